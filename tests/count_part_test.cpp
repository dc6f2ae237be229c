// Counting on a part of a large problem: which counters, which heads, which factor.
#include "catch.h"
#include "fake_backend.h"
#include "fake_kernels.h"
#include "measure/count.h"

using namespace attnroof;

namespace {

Case make_case(const KernelRow& row, const char* id) {
    Case c;
    c.id = id;
    c.kernel = &row;
    return c;
}

/// The problems that were launched, in order.
std::vector<AttentionProblem> launched;

void record(const LaunchArgs& args) { launched.push_back(args.problem); }

/// A device on which every counter counts the scores of the last launch.
struct ScoreCounting : FakeBackend {
    ScoreCounting() : FakeBackend({}) {
        launched.clear();
        count_job = [](const std::string&) {
            CounterSet set;
            for (const CounterInfo& info : counter_table()) {
                const double scores =
                    launched.empty() ? 0 : double(launched.back().score_elements());
                set[info.counter] = {scores, std::string(info.name) + ".sum", ""};
            }
            return set;
        };
    }
};

const AttentionProblem large{
    .heads = 8, .kv_heads = 4, .q_len = 4096, .kv_len = 4096, .head_dim = 8};  // 2^27 scores

}  // namespace

TEST_CASE("instructions of a large problem are counted on its first heads, all else on the whole",
          "[count][part]") {
    ScoreCounting backend;
    DeviceArena arena(backend);
    const KernelRow row =
        fake_kernel("naive", {fake_step("scores", record), fake_step("softmax", record)});
    Case c = make_case(row, "case");
    c.problem = large;
    const CaseCounters counted = count_cases(arena, {&c}, 1).cases[0];
    const auto scores = double(large.score_elements());
    const CounterValue& ffma = counted.in_range.at(Counter::ffma);
    CHECK(*ffma.value == 2 * scores);
    CHECK(ffma.metric == "2 * ffma.sum of 4 of 8 heads");
    CHECK(*counted.in_range.at(Counter::xu_threads).value == 2 * scores);
    CHECK(counted.in_range.at(Counter::xu_threads).metric == "xu_threads.sum");
    CHECK(counted.in_range.at(Counter::tensor_bf16_flops).metric == "tensor_bf16_flops.sum");
    CHECK(counted.steps[1].counters.at(Counter::ffma).metric == ffma.metric);
    CHECK(*counted.steps[1].counters.at(Counter::ffma).value == scores);
    // Tensor FLOPs in bf16 come from the range of the whole kernel, which this device takes for its
    // last launch, the others from one range a step.
    CHECK(*counted.executed_flops() == scores * (1 + 2 * (1 + 2 + 1 + 1 + 4 + 2 + 2)));

    // The session of the instructions is the last: both steps, in order, on the same part.
    // Both steps in range, settled, each on its own, for the operations and for the instructions.
    REQUIRE(launched.size() == 2 * 5);
    for (std::size_t i = launched.size() - 2; i < launched.size(); ++i) {
        CHECK(launched[i].heads == 4);
        CHECK(launched[i].kv_heads == 2);
    }
    CHECK(launched[launched.size() - 3] == large);
}

TEST_CASE("a problem counted whole has no factor", "[count][part]") {
    ScoreCounting backend;
    DeviceArena arena(backend);
    const KernelRow row = fake_kernel("fused", {fake_step("fused", record)});
    Case c = make_case(row, "case");
    c.problem = large;
    c.problem.kv_len = 2048;
    const CaseCounters counted = count_cases(arena, {&c}, 1).cases[0];
    CHECK(launched.back() == c.problem);
    CHECK(counted.in_range.at(Counter::ffma).metric == "ffma.sum");
}

TEST_CASE("cases that share a count share its part", "[count][part]") {
    ScoreCounting backend;
    DeviceArena arena(backend);
    const KernelRow row = fake_kernel("fused", {fake_step("fused", record)});
    Case cold = make_case(row, "cold"), warm = make_case(row, "warm");
    cold.problem = warm.problem = large;
    warm.cache = CacheMode::warm;
    const CountedSweep sweep = count_cases(arena, {&cold, &warm}, 1);
    CHECK(sweep.cases[1].in_range.at(Counter::fadd).metric == "2 * fadd.sum of 4 of 8 heads");
    CHECK(sweep.cases[1].in_range.at(Counter::fadd).value ==
          sweep.cases[0].in_range.at(Counter::fadd).value);
}
