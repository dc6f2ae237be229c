#include <filesystem>

#include "catch.h"
#include "config/embedded.h"
#include "config/words.h"
#include "config_fixture.h"
#include "tests/temporary_folder.h"

using namespace attnroof;

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
