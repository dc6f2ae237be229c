// Config, options and the device's default on top of each other.
#include "catch.h"
#include "config/embedded.h"
#include "config_fixture.h"

using namespace attnroof;

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
