#include <filesystem>

#include "catch.h"
#include "config/embedded.h"
#include "config/parse.h"
#include "config/words.h"
#include "errors.h"
#include "plan/problems.h"
#include "tests/temporary_folder.h"

using namespace attnroof;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Everything that happens to a config before a device is opened.
SweepConfig accept(const std::string& text, const ConfigLayer& overrides = {}) {
    const SweepRequest request{"test.json", parse_config(text, "test.json"), overrides};
    const SweepConfig config = resolve(request, DeviceKind::cuda);
    list_problems(config);
    return config;
}

/// The message of the UsageError; fails the test when there is none.
std::string refusal(const std::string& text) {
    try {
        accept(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    FAIL("accepted: " << text.substr(0, 200));
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string axes(const std::string& text) { return "{\"axes\": {" + text + "}}"; }

}  // namespace

TEST_CASE("a full config is read") {
    const SweepConfig c = accept(R"({
        "kernels": ["naive", "fused:sm80"],
        "axes": {"seq_len": [512, 1e3, 2048.0], "head_dim": 64, "dtype": ["fp16", "fp32"],
                 "mask": "causal", "pass": ["forward", "backward"], "batch": 2, "heads": [4, 8],
                 "kv_heads": [1, 2]},
        "cache": ["cold", "warm"], "counters": "off",
        "timing": {"max_seconds": 0.5, "target_ci": 0.02, "min_samples": 3, "max_samples": 30,
                   "warmup": 0},
        "seed": 18446744073709551615})");
    REQUIRE(c.kernels == std::vector<KernelChoice>{{"naive", ""}, {"fused", "sm80"}});
    REQUIRE(c.seq_lens == Sizes{512, 1000, 2048});
    REQUIRE(c.head_dims == Sizes{64});
    REQUIRE(c.dtypes == std::vector{DType::fp16, DType::fp32});
    REQUIRE(c.masks == std::vector{Mask::causal});
    REQUIRE(c.passes == std::vector{Pass::forward, Pass::backward});
    REQUIRE(c.batches == Sizes{2});
    REQUIRE(c.heads == Sizes{4, 8});
    REQUIRE(c.kv_heads == Sizes{1, 2});
    REQUIRE(c.caches == std::vector{CacheMode::cold, CacheMode::warm});
    REQUIRE(c.counters == CounterMode::off);
    REQUIRE(c.timing.max_seconds == 0.5);
    REQUIRE(c.timing.target_ci == 0.02);
    REQUIRE(c.timing.min_samples == 3);
    REQUIRE(c.timing.max_samples == 30);
    REQUIRE(c.timing.warmup == 0);
    REQUIRE(c.seed == 18446744073709551615u);
}

TEST_CASE("ranges end at or before their end") {
    const auto seq_lens = [](const std::string& range) {
        return accept(axes("\"seq_len\": " + range + ", \"head_dim\": 64")).seq_lens;
    };
    REQUIRE(seq_lens(R"({"from": 512, "to": 4096, "times": 2})") == Sizes{512, 1024, 2048, 4096});
    REQUIRE(seq_lens(R"({"from": 512, "to": 4095, "times": 2})") == Sizes{512, 1024, 2048});
    REQUIRE(seq_lens(R"({"from": 100, "to": 300, "step": 100})") == Sizes{100, 200, 300});
    REQUIRE(seq_lens(R"({"from": 7, "to": 7, "step": 1099511627776})") == Sizes{7});
    REQUIRE(parse_sizes("-N", "512:4096:*2") == Sizes{512, 1024, 2048, 4096});
    REQUIRE(parse_sizes("-N", "64, 100:300:+100") == Sizes{64, 100, 200, 300});
}

TEST_CASE("each kind of bad config is named with its path and value") {
    const std::string d = ", \"head_dim\": [64]";
    const std::vector<std::pair<std::string, std::vector<std::string>>> rows{
        // keys
        {R"({"kernel": ["naive"]})", {"kernel: unknown key, did you mean kernels?"}},
        {R"({"timing": {"maxseconds": 1}})", {"timing.maxseconds", "max_seconds"}},
        {axes(R"("seq_len": {"from": 1, "to": 8, "tims": 2})"), {"axes.seq_len.tims", "times"}},
        {R"({"seed": 1, "seed": 1})", {"seed", "twice"}},
        {R"({"axes": {"seq_len": {"from": 1, "from": 2}}})", {"axes.seq_len.from", "twice"}},
        {R"({"axes": {}, "axes": {}})", {"axes", "twice"}},
        {R"({"": 1})", {"unknown key"}},
        // numbers
        {axes("\"seq_len\": [512, -1]" + d), {"axes.seq_len[1]", "-1"}},
        {axes("\"seq_len\": 0" + d), {"axes.seq_len", "0"}},
        {axes("\"seq_len\": -0" + d), {"axes.seq_len", "0"}},
        {axes("\"seq_len\": 1099511627777" + d), {"axes.seq_len", "1099511627777"}},
        {axes("\"seq_len\": 9223372036854775808" + d), {"axes.seq_len", "9223372036854775808"}},
        {axes("\"seq_len\": -9223372036854775809" + d), {"axes.seq_len", "-9223372036854775809"}},
        {axes("\"seq_len\": 1e30" + d), {"axes.seq_len", "1e30"}},
        {axes("\"seq_len\": 1e400" + d), {"1e400"}},
        {axes("\"seq_len\": 1e-3" + d), {"axes.seq_len", "1e-3", "whole"}},
        {axes("\"seq_len\": [512, 5.12e2]" + d), {"axes.seq_len[1]", "twice"}},
        {R"({"tokens": 0})", {"tokens", "0"}},
        {R"({"hidden": [2048]})", {"hidden", "array"}},
        {R"({"seed": -1})", {"seed", "-1"}},
        {R"({"seed": 1.5})", {"seed", "1.5"}},
        {R"({"timing": {"max_seconds": 0}})", {"timing.max_seconds", "0"}},
        {R"({"timing": {"target_ci": 2}})", {"timing.target_ci", "2"}},
        {R"({"timing": {"min_samples": 1.5}})", {"timing.min_samples", "1.5"}},
        {R"({"timing": {"max_samples": 9999999999}})", {"timing.max_samples", "9999999999"}},
        {R"({"axes": {"seq_len": 8, "head_dim": 8}, "timing": {"min_samples": 9, "max_samples": 8}})",
         {"min_samples 9", "8"}},
        // types
        {axes("\"seq_len\": null" + d), {"axes.seq_len", "null"}},
        {axes("\"seq_len\": true" + d), {"axes.seq_len", "true"}},
        {axes("\"seq_len\": [[512]]" + d), {"axes.seq_len[0]", "array"}},
        {axes("\"seq_len\": [\"512\"]" + d), {"axes.seq_len[0]", "512"}},
        {axes(R"("dtype": 16)"), {"axes.dtype", "16"}},
        {R"({"axes": [1]})", {"axes", "object", "array"}},
        {R"({"counters": true})", {"counters", "true"}},
        {R"({"kernels": {}})", {"kernels", "object"}},
        {"42", {"object", "42"}},
        {"null", {"object", "null"}},
        // lists and ranges
        {R"({"kernels": []})", {"kernels", "empty"}},
        {R"({"cache": []})", {"cache", "empty"}},
        {R"({"kernels": ["naive", "naive"]})", {"kernels[1]", "naive", "twice"}},
        {axes(R"("mask": ["full", "full"])"), {"axes.mask[1]", "full"}},
        {axes("\"seq_len\": {}" + d), {"axes.seq_len", "from"}},
        {axes(R"("seq_len": {"from": 1, "to": 8, "times": 2, "step": 1})" + d), {"times", "step"}},
        {axes(R"("seq_len": {"from": 8, "to": 1, "times": 2})" + d), {"axes.seq_len", "8", "1"}},
        {axes(R"("seq_len": {"from": 1, "to": 8, "times": 1})" + d), {"axes.seq_len.times", "1"}},
        {axes(R"("seq_len": {"from": 1, "to": 1e12, "step": 1})" + d), {"axes.seq_len", "4096"}},
        // words
        {R"({"cache": "col"})", {"cache", "col", "did you mean cold?"}},
        {R"({"counters": "offf"})", {"counters", "did you mean off?"}},
        {axes(R"("pass": ["backwards"])"), {"axes.pass[0]", "did you mean backward?"}},
        {axes(R"("mask": "casual")"), {"axes.mask", "did you mean causal?"}},
        {R"({"kernels": ["fused:sm81"]})", {"kernels[0]", "sm81", "sm80"}},
        {R"({"kernels": ["fused:"]})", {"kernels[0]", "variant ''"}},
        // settings that do not go together, or are missing
        {R"({"tokens": 1024, "axes": {"batch": 1}})", {"tokens", "axes.batch"}},
        {R"({"hidden": 1024, "axes": {"heads": 1}})", {"hidden", "axes.heads"}},
        {axes(R"("seq_len": 1, "q_len": 1, "kv_len": 1, "head_dim": 8)"), {"axes.seq_len"}},
        {axes(R"("seq_len": 512)"), {"axes.head_dim", "missing"}},
        {axes(R"("q_len": 512, "head_dim": 64)"), {"axes.seq_len", "only q_len"}},
        {"{}", {"axes.seq_len", "missing"}},
        {axes(R"("seq_len": 8, "head_dim": 8, "heads": [4, 6], "kv_heads": [2, 4])"),
         {"kv_heads 4", "heads 6"}},
        {axes(R"("seq_len": 8, "head_dim": 8, "kv_heads": 2)"), {"kv_heads 2", "heads 1"}},
        // too much
        {axes(R"("seq_len": 4294967296, "head_dim": 64)"), {"q4294967296", "64 bits"}},
        {axes(R"("seq_len": 8, "head_dim": 8, "batch": 1099511627776, "heads": 1099511627776)"),
         {"64 bits"}},
        {axes(R"("seq_len": {"from": 1, "to": 4000, "step": 1}, "head_dim": {"from": 1, "to": 4000,
              "step": 1})"),
         {"100000 cases"}},
        // not JSON
        {"", {"empty"}},
        {" \n\t", {"empty"}},
        {"{\n  \"axes\": {\n", {"line 3"}},
        {"{\"seed\": 1,}", {"line 1, column 12"}},
        {"{\"seed\": NaN}", {"line 1, column 10"}},
        {"{\"seed\": Infinity}", {"line 1"}},
        {"{\"seed\": 01}", {"line 1"}},
        {"{\"seed\": 0x10}", {"line 1"}},
        {"{'seed': 1}", {"line 1, column 2"}},
        {"{\n// why\n\"seed\": 1}", {"line 2, column 1"}},
        {"{\"seed\": 1} {}", {"line 1, column 13"}},
        {"{\"seed\": \"\xff\"}", {"line 1"}},
        {"\xef\xbb\xbf{\"seed\": 1}", {"byte-order mark"}},
        {"\xff\xfe{", {"byte-order mark"}},
        {std::string("{\"seed\0\": 1}", 12), {"line 1"}},
        {std::string(100000, '['), {"16 levels"}},
        {"{\"a\": " + std::string(17, '{'), {"line 1"}},
    };
    for (const auto& [text, says] : rows) {
        const std::string message = refusal(text);
        INFO(message);
        REQUIRE((message.starts_with("test.json: ") || message.starts_with("axes: ")));
        REQUIRE(message.find('\n') == std::string::npos);
        REQUIRE(message.size() < 600);
        for (const std::string& word : says) {
            INFO("must say " << word);
            REQUIRE(holds(message, word));
        }
    }
}

TEST_CASE("a long value is cut in the message") {
    const std::string message = refusal(axes("\"dtype\": \"" + std::string(100000, 'x') + "\""));
    REQUIRE(message.size() < 600);
    REQUIRE(holds(message, "100000 bytes"));
}

TEST_CASE("files that cannot be a config") {
    const TemporaryFolder folder;
    const auto load = [&](const std::string& path) -> std::string {
        try {
            load_config(path);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "accepted";
    };
    REQUIRE(holds(load(folder.path().string()), "is a directory"));
    REQUIRE(holds(load(folder.write("huge.json", std::string((1 << 20) + 1, ' '))), "larger"));
    REQUIRE(holds(load(folder.write("blank.json", "")), "empty"));
    const auto loop = folder.path() / "loop.json";
    std::filesystem::create_symlink(loop, loop);
    REQUIRE(holds(load(loop.string()), "cannot be read"));
    REQUIRE(holds(load("/dev/zero"), "larger"));
    REQUIRE(holds(load("no/such.json"), "'no/such.json' is no file"));
    REQUIRE(holds(load("cpuu"), "did you mean cpu?"));
    REQUIRE(load("Quick") == "accepted");
    REQUIRE(load(folder.write("far.json", "{\"seed\": 1e999}")) ==
            (folder.path() / "far.json").string() +
                ": line 1, column 14: '1e999' is too large for a number");
}

TEST_CASE("shipped configs resolve on both kinds of device") {
    REQUIRE_FALSE(embedded_configs().empty());
    for (const EmbeddedConfig& shipped : embedded_configs()) {
        INFO(shipped.name);
        for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda})
            REQUIRE_FALSE(
                list_problems(resolve({shipped.name, load_config(shipped.name), {}}, kind))
                    .empty());
    }
}

TEST_CASE("without a config the device chooses the default") {
    const SweepConfig gpu = resolve({}, DeviceKind::cuda);
    REQUIRE(gpu.dtypes == std::vector{DType::bf16});
    REQUIRE(gpu.seq_lens == Sizes{512, 1024, 2048, 4096, 8192, 16384});
    REQUIRE(gpu.tokens == 16384);
    REQUIRE(gpu.hidden == 2048);
    const SweepConfig cpu = resolve({}, DeviceKind::cpu);
    REQUIRE(cpu.dtypes == std::vector{DType::fp32});
    REQUIRE(cpu.seq_lens.back() == 4096);
    REQUIRE(cpu.masks == std::vector{Mask::full, Mask::causal});
    REQUIRE(cpu.head_dims == Sizes{64, 128});
}

TEST_CASE("options override the config, and what they exclude goes with it") {
    const std::string decode = axes(R"("q_len": 1, "kv_len": [512, 1024], "head_dim": 64)");
    const std::string total =
        R"({"tokens": 4096, "hidden": 512, "axes": {"seq_len": 512, "head_dim": 64}})";
    const std::string counts = axes(R"("seq_len": 512, "head_dim": 64, "batch": 2, "heads": 8,
                                       "kv_heads": 4)");
    ConfigLayer o;

    SECTION("-N takes q_len and kv_len away") {
        o.seq_lens = Sizes{2048};
        const SweepConfig c = accept(decode, o);
        REQUIRE(c.seq_lens == Sizes{2048});
        REQUIRE(c.q_lens.empty());
        REQUIRE(c.kv_lens.empty());
        REQUIRE(c.head_dims == Sizes{64});
    }
    SECTION("--q-len replaces q_len alone") {
        o.q_lens = Sizes{2};
        const SweepConfig c = accept(decode, o);
        REQUIRE(c.q_lens == Sizes{2});
        REQUIRE(c.kv_lens == Sizes{512, 1024});
    }
    SECTION("--q-len beside seq_len leaves kv_len to it") {
        o.q_lens = Sizes{1};
        const std::vector<AttentionProblem> problems = list_problems(accept(total, o));
        REQUIRE(problems.size() == 1);
        REQUIRE(problems[0].q_len == 1);
        REQUIRE(problems[0].kv_len == 512);
    }
    SECTION("--batch takes tokens and hidden away") {
        o.batches = Sizes{3};
        const SweepConfig c = accept(total, o);
        REQUIRE_FALSE(c.tokens);
        REQUIRE_FALSE(c.hidden);
        REQUIRE(c.batches == Sizes{3});
        REQUIRE(c.heads == Sizes{1});
    }
    SECTION("--heads takes tokens and hidden away") {
        o.heads = Sizes{4};
        const SweepConfig c = accept(total, o);
        REQUIRE_FALSE(c.tokens);
        REQUIRE_FALSE(c.hidden);
        REQUIRE(c.heads == Sizes{4});
    }
    SECTION("--tokens takes batch, heads and kv_heads away") {
        o.tokens = 1024;
        const SweepConfig c = accept(counts, o);
        REQUIRE(c.tokens == 1024);
        REQUIRE(c.batches == Sizes{1});
        REQUIRE(c.heads == Sizes{1});
        REQUIRE(c.kv_heads.empty());
    }
    SECTION("--tokens keeps the config's hidden") {
        o.tokens = 1024;
        REQUIRE(accept(total, o).hidden == 512);
    }
    SECTION("--heads is checked against the config's kv_heads") {
        o.heads = Sizes{6};
        REQUIRE_THROWS_AS(accept(counts, o), UsageError);
        o.kv_heads = Sizes{3};
        REQUIRE(accept(counts, o).kv_heads == Sizes{3});
    }
    SECTION("an option gives what the file leaves out") {
        o.head_dims = Sizes{128};
        REQUIRE(accept(axes(R"("seq_len": 512)"), o).head_dims == Sizes{128});
    }
    SECTION("without a file the default gives what the options leave out") {
        o.seq_lens = Sizes{777};
        const SweepConfig c = resolve({"", std::nullopt, o}, DeviceKind::cuda);
        REQUIRE(c.seq_lens == Sizes{777});
        REQUIRE(c.head_dims == Sizes{64, 128});
        REQUIRE(c.tokens == 16384);
    }
    SECTION("scalars and words") {
        o.max_seconds = 2.5;
        o.seed = 9;
        o.counters = CounterMode::on;
        o.caches = std::vector{CacheMode::warm};
        o.kernels = std::vector{KernelChoice{"fused", "sm80"}};
        const SweepConfig c = accept(total, o);
        REQUIRE(c.timing.max_seconds == 2.5);
        REQUIRE(c.timing.min_samples == TimingPlan{}.min_samples);
        REQUIRE(c.seed == 9);
        REQUIRE(c.counters == CounterMode::on);
        REQUIRE(c.caches == std::vector{CacheMode::warm});
        REQUIRE(c.kernels == *o.kernels);
    }
}

TEST_CASE("edit distance") {
    REQUIRE(edit_distance("", "") == 0);
    REQUIRE(edit_distance("", "abc") == 3);
    REQUIRE(edit_distance("abc", "") == 3);
    REQUIRE(edit_distance("swep", "sweep") == 1);
    REQUIRE(edit_distance("casual", "causal") == 1);  // one swap
    REQUIRE(edit_distance("kitten", "sitting") == 3);
    REQUIRE(did_you_mean("swep", {"compare", "sweep"}) == ", did you mean sweep?");
    REQUIRE(did_you_mean("xyz", {"compare", "sweep"}).empty());
    REQUIRE(did_you_mean("x", {}).empty());
}

TEST_CASE("printable text is one line of valid UTF-8") {
    REQUIRE(printable("plain \xc3\xa9 \xe2\x82\xac") == "plain \xc3\xa9 \xe2\x82\xac");
    REQUIRE(printable("a\nb\x1b[31m\x7f") == "a?b?[31m?");
    REQUIRE(printable("\xff|\xc3|\xe2\x82") == "?|?|??");
}

TEST_CASE("on_cpu takes the place of the file's settings on a CPU alone") {
    const SweepRequest request{
        "test.json",
        parse_config(R"({"axes": {"seq_len": [4096, 65536], "head_dim": 64}, "lesson": true,
                         "on_cpu": {"axes": {"seq_len": 512, "dtype": "fp32"}}})",
                     "test.json"),
        {}};
    const SweepConfig gpu = resolve(request, DeviceKind::cuda);
    CHECK(gpu.seq_lens == Sizes{4096, 65536});
    CHECK(gpu.dtypes == std::vector{DType::bf16});
    const SweepConfig cpu = resolve(request, DeviceKind::cpu);
    CHECK(cpu.seq_lens == Sizes{512});
    CHECK(cpu.head_dims == Sizes{64});
    CHECK(cpu.dtypes == std::vector{DType::fp32});
    CHECK(cpu.lesson);
    ConfigLayer overrides;
    overrides.seq_lens = Sizes{1024};
    CHECK(resolve({"test.json", request.file, overrides}, DeviceKind::cpu).seq_lens == Sizes{1024});
}

TEST_CASE("the self-test is on unless the config or the command line turns it off") {
    const auto file = [](const char* text) { return parse_config(text, "test.json"); };
    const ConfigLayer plain = file(R"({"axes": {"seq_len": 512, "head_dim": 64}})"),
                      off =
                          file(R"({"axes": {"seq_len": 512, "head_dim": 64}, "selftest": false})");
    ConfigLayer turned_on;
    turned_on.selftest = true;
    CHECK(resolve({"test.json", plain, {}}, DeviceKind::cuda).selftest);
    CHECK_FALSE(resolve({"test.json", off, {}}, DeviceKind::cuda).selftest);
    CHECK(resolve({"test.json", off, turned_on}, DeviceKind::cuda).selftest);
    CHECK(holds(refusal(R"({"selftest": "off"})"), "true or false"));
}

TEST_CASE("on_cpu is checked like the rest of a file") {
    const std::string start = R"({"axes": {"seq_len": 512, "head_dim": 64}, "on_cpu": )";
    CHECK(holds(refusal(start + R"({"sed": 1}})"), "on_cpu.sed"));
    CHECK(holds(refusal(start + R"({"on_cpu": {"seed": 1}}})"), "on_cpu.on_cpu"));
    CHECK(holds(refusal(start + R"({"tokens": 512, "axes": {"batch": 2}}})"), "on_cpu"));
    CHECK(holds(refusal(R"({"lesson": 1})"), "true or false"));
}
