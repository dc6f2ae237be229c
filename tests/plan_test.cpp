#include "plan/plan.h"

#include <algorithm>
#include <limits>
#include <set>

#include "catch.h"
#include "errors.h"
#include "plan/problems.h"
#include "plan/units.h"

using namespace attnroof;

namespace {

DeviceFacts h200() {
    DeviceFacts facts;
    facts.kind = DeviceKind::cuda;
    facts.compute_capability = 90;
    facts.cache_bytes = 62'914'560;
    return facts;
}

DeviceFacts a_cpu() {
    DeviceFacts facts;
    facts.cache_bytes = 32 << 20;
    return facts;
}

SweepConfig one_size(std::int64_t n, std::int64_t d) {
    SweepConfig config;
    config.seq_lens = {n};
    config.head_dims = {d};
    return config;
}

constexpr std::int64_t plenty = std::int64_t{1} << 50;

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("ids are stable, and hold a variant only when it was asked for") {
    SweepConfig config = one_size(4096, 128);
    config.heads = {16};
    config.kernels = {{"fused", ""}, {"fused", "sm80"}};
    const std::vector<Case> plan = make_plan(config, h200(), plenty);
    REQUIRE(plan.size() == 2);
    REQUIRE(plan[0].id == "forward/fused/bf16/full/b1/h16/kv16/q4096/k4096/d128/cold");
    REQUIRE(plan[1].id == "forward/fused:sm80/bf16/full/b1/h16/kv16/q4096/k4096/d128/cold");
    REQUIRE(plan[1].kernel->variant == "sm80");
    for (const Case& c : plan) REQUIRE(c.status == Status::ok);
}

TEST_CASE("problems are outermost, kernels and cache modes innermost") {
    SweepConfig config = one_size(128, 64);
    config.seq_lens = {128, 256};
    config.masks = {Mask::full, Mask::causal};
    config.caches = {CacheMode::cold, CacheMode::warm};
    std::vector<std::string> ids;
    for (const Case& c : make_plan(config, h200(), plenty)) ids.push_back(c.id);
    const std::string p = "/bf16/full/b1/h1/kv1/q128/k128/d64/";
    REQUIRE(ids.size() == 16);
    REQUIRE(ids[0] == "forward/naive" + p + "cold");
    REQUIRE(ids[1] == "forward/naive" + p + "warm");
    REQUIRE(ids[2] == "forward/fused" + p + "cold");
    REQUIRE(holds(ids[4], "/full/b1/h1/kv1/q256/"));
    REQUIRE(holds(ids[8], "/causal/b1/h1/kv1/q128/"));
    REQUIRE(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
}

TEST_CASE("tokens and hidden derive batch and heads, at least one of each") {
    SweepConfig config = one_size(512, 128);
    config.seq_lens = {512, 65536};
    config.tokens = 16384;
    config.hidden = 2048;
    const std::vector<AttentionProblem> problems = list_problems(config);
    REQUIRE(problems[0].batch == 32);
    REQUIRE(problems[0].heads == 16);
    REQUIRE(problems[0].kv_heads == 16);
    REQUIRE(problems[1].batch == 1);
    config.hidden = 64;
    REQUIRE(list_problems(config)[0].heads == 1);
}

TEST_CASE("kv_heads are crossed with heads, and are as many where not given") {
    SweepConfig config = one_size(128, 64);
    config.heads = {8, 16};
    REQUIRE(list_problems(config)[1].kv_heads == 16);
    config.kv_heads = {1, 8};
    REQUIRE(list_problems(config).size() == 4);
}

TEST_CASE("needed memory is operands, workspace and the displacing buffer") {
    SweepConfig config = one_size(1024, 64);
    config.kernels = {{"naive", ""}, {"fused", ""}};
    config.caches = {CacheMode::cold, CacheMode::warm};
    const std::vector<Case> plan = make_plan(config, h200(), plenty);
    const std::int64_t operands = 4 * 1024 * 64 * 2 + 1024 * 4;
    const std::int64_t scores = 1024 * 1024 * 2;
    REQUIRE(plan[0].needed_bytes == operands + scores + 2 * 62'914'560);
    REQUIRE(plan[1].needed_bytes == operands + scores);
    REQUIRE(plan[3].needed_bytes == operands);
}

TEST_CASE("what does not fit is skipped with needed and available bytes") {
    const std::vector<Case> plan = make_plan(one_size(524288, 64), h200(), 150'000'000'000);
    REQUIRE(plan[0].asked.name == "naive");
    REQUIRE(plan[0].status == Status::skipped);
    REQUIRE(plan[0].kernel != nullptr);
    REQUIRE(holds(plan[0].reason, std::to_string(plan[0].needed_bytes)));
    REQUIRE(holds(plan[0].reason, "(512 GiB)"));
    REQUIRE(holds(plan[0].reason, "150000000000 bytes (140 GiB)"));
    REQUIRE(plan[1].status == Status::ok);  // fused needs no scores
}

TEST_CASE("what fits exactly runs") {
    const SweepConfig config = one_size(256, 64);
    const std::int64_t needed = make_plan(config, h200(), plenty)[0].needed_bytes;
    REQUIRE(make_plan(config, h200(), needed)[0].status == Status::ok);
    REQUIRE(make_plan(config, h200(), needed - 1)[0].status == Status::skipped);
}

TEST_CASE("what no kernel takes is unsupported with the kernel's own reason") {
    SweepConfig config = one_size(128, 36);
    for (const Case& c : make_plan(config, h200(), plenty)) {
        REQUIRE(c.status == Status::unsupported);
        REQUIRE(c.kernel == nullptr);
        REQUIRE(holds(c.reason, "36"));
    }
    config.head_dims = {64};
    config.passes = {Pass::backward};
    REQUIRE(holds(make_plan(config, h200(), plenty)[0].reason, "backward"));
}

TEST_CASE("a variant of another device is unsupported here") {
    SweepConfig config = one_size(128, 64);
    config.kernels = {{"fused", "sm80"}, {"fused", ""}};
    const std::vector<Case> plan = make_plan(config, a_cpu(), plenty);
    REQUIRE(plan[0].status == Status::unsupported);
    REQUIRE(holds(plan[0].reason, "fused:sm80"));
    REQUIRE(plan[1].status == Status::ok);
    REQUIRE(plan[1].kernel->variant == "cpu");
}

TEST_CASE("an old GPU is told what is needed") {
    DeviceFacts old = h200();
    old.compute_capability = 75;
    const std::vector<Case> plan = make_plan(one_size(128, 64), old, plenty);
    REQUIRE(plan[0].status == Status::unsupported);
    REQUIRE(holds(plan[0].reason, "7.5"));
}

TEST_CASE("two cases with one id are refused") {
    SweepConfig config = one_size(128, 64);
    config.seq_lens = {128, 128};
    REQUIRE_THROWS_AS(make_plan(config, h200(), plenty), UsageError);
    config.seq_lens = {128};
    config.kernels = {{"naive", ""}, {"naive", ""}};
    REQUIRE_THROWS_AS(make_plan(config, h200(), plenty), UsageError);
}

TEST_CASE("sizes that leave 64 bits are refused before any arithmetic") {
    const std::int64_t large = std::int64_t{1} << 40;
    for (auto field : {&SweepConfig::seq_lens, &SweepConfig::q_lens, &SweepConfig::kv_lens,
                       &SweepConfig::head_dims, &SweepConfig::batches, &SweepConfig::heads}) {
        SweepConfig config = one_size(65536, 65536);
        config.*field = {large};
        config.batches.front() = std::max<std::int64_t>(config.batches.front(), 1024);
        REQUIRE_THROWS_AS(make_plan(config, h200(), plenty), UsageError);
    }
    SweepConfig config = one_size(large, 64);
    config.tokens = std::numeric_limits<std::int64_t>::max();
    REQUIRE_THROWS_AS(make_plan(config, h200(), plenty), UsageError);
}

TEST_CASE("sizes for people") {
    REQUIRE(readable_bytes(0) == "0 B");
    REQUIRE(readable_bytes(1000) == "1000 B");
    REQUIRE(readable_bytes(512) == "512 B");
    REQUIRE(readable_bytes(1024) == "1.00 KiB");
    REQUIRE(readable_bytes(std::int64_t{3} << 29) == "1.50 GiB");
    REQUIRE(readable_bytes(std::numeric_limits<std::int64_t>::max()) == "8.00 EiB");
}
