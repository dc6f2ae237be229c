// The counting stage on a scripted device: ranges, settled bytes, executed FLOPs.
#include "measure/count.h"

#include <set>

#include "catch.h"
#include "fake_backend.h"
#include "fake_kernels.h"

using namespace attnroof;

namespace {

CounterSet bytes(double read, double write) {
    return {{Counter::hbm_read_bytes, {read, "dram__bytes_read.sum", ""}},
            {Counter::hbm_write_bytes, {write, "dram__bytes_write.sum", ""}}};
}

const KernelRow three_steps =
    fake_kernel("naive", {fake_step("scores"), fake_step("softmax"), fake_step("output")});
const KernelRow one_step = fake_kernel("fused", {fake_step("fused")});

Case make_case(const KernelRow& row, const char* id) {
    Case c;
    c.id = id;
    c.problem = {.q_len = 4, .kv_len = 4, .head_dim = 8};
    c.kernel = &row;
    return c;
}

}  // namespace

TEST_CASE("settled bytes are those with the drain, less the drain's own", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string& range) {
        if (range == "drain") return bytes(256, 2);
        if (range.ends_with("settled")) return bytes(256 + 100, 2 + 40);
        return bytes(100, 10);
    };
    const Case fused = make_case(one_step, "fused case");
    const CountedSweep sweep = count_cases(arena, {&fused}, 1);
    REQUIRE(sweep.cases.size() == 1);
    const CaseCounters& counted = sweep.cases[0];
    CHECK(*counted.in_range.at(Counter::hbm_write_bytes).value == 10);
    CHECK(*counted.settled.at(Counter::hbm_read_bytes).value == 100);
    CHECK(*counted.settled.at(Counter::hbm_write_bytes).value == 40);
    CHECK(counted.steps.empty());
}

TEST_CASE("every range has a name of its own, and each step has a range", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string&) { return bytes(1, 1); };
    const Case a = make_case(three_steps, "same id"), b = make_case(one_step, "same id");
    const CountedSweep sweep = count_cases(arena, {&a, &b}, 1);
    const std::set<std::string> unique(backend.ranges.begin(), backend.ranges.end());
    CHECK(unique.size() == backend.ranges.size());
    CHECK(backend.ranges.size() == 1 + (2 + 3) + 2);
    CHECK(backend.operation_ranges == std::vector<std::string>{"0 same id operations of scores",
                                                               "0 same id operations of softmax",
                                                               "0 same id operations of output",
                                                               "1 same id operations of fused"});
    REQUIRE(sweep.cases[0].steps.size() == 3);
    CHECK(sweep.cases[0].steps[1].name == "softmax");
}

TEST_CASE("a kernel's operations are those of its steps, each launched once", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string& range) {
        CounterSet set = bytes(7, 7);  // a session drops what is not of its group
        set[Counter::ffma] = {range.ends_with("softmax") ? 100.0 : 5.0, "ffma.sum", ""};
        return set;
    };
    const Case naive = make_case(three_steps, "naive case");
    const CaseCounters counted = count_cases(arena, {&naive}, 1).cases[0];
    CHECK(*counted.in_range.at(Counter::ffma).value == 110);
    CHECK(*counted.in_range.at(Counter::hbm_read_bytes).value == 7);
    CHECK(*counted.steps[1].counters.at(Counter::ffma).value == 100);
    CHECK_FALSE(counted.settled.contains(Counter::ffma));
    CHECK(counted.passes == 3);  // one a session
}

TEST_CASE("cases of one kernel and problem share the count of their operations", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    double next = 0;
    backend.count_job = [&](const std::string&) {
        CounterSet set = bytes(1, 1);
        set[Counter::ffma] = {++next, "ffma.sum", ""};
        return set;
    };
    const Case cold = make_case(one_step, "cold"), other = make_case(three_steps, "other kernel");
    Case warm = make_case(one_step, "warm"), longer = make_case(one_step, "longer");
    warm.cache = CacheMode::warm;
    longer.problem.kv_len = 8;
    const CountedSweep sweep = count_cases(arena, {&cold, &warm, &longer, &other}, 1);
    CHECK(backend.operation_ranges.size() == 1 + 1 + 3);
    CHECK(backend.instruction_ranges.size() == 1 + 1 + 3);
    const auto ffma = [&](std::size_t i) {
        return *sweep.cases[i].in_range.at(Counter::ffma).value;
    };
    CHECK(ffma(0) == ffma(1));
    CHECK(ffma(0) != ffma(2));
    CHECK(sweep.cases[1].settled.at(Counter::hbm_read_bytes).value);
}

TEST_CASE("a session that fails takes the counters of its group alone", "[count]") {
    for (const auto& [bad, other] :
         {std::pair{Counter::xu_threads, Counter::ffma}, {Counter::ffma, Counter::xu_threads}}) {
        FakeBackend backend({});
        DeviceArena arena(backend);
        backend.count_job = [](const std::string&) {
            CounterSet set = bytes(3, 4);
            for (Counter counter : {Counter::xu_threads, Counter::ffma})
                set[counter] = {7.0, "m", ""};
            return set;
        };
        const CounterGroup group = info_of(bad).group;
        backend.refused[group] = "another profiler is attached";
        const Case c = make_case(three_steps, "case");
        const CountedSweep sweep = count_cases(arena, {&c}, 1);
        CHECK(sweep.closed_gate.empty());
        const CaseCounters& counted = sweep.cases[0];
        CHECK(*counted.in_range.at(Counter::hbm_write_bytes).value == 4);
        CHECK(*counted.in_range.at(other).value == 3 * 7);
        CHECK_FALSE(counted.in_range.at(bad).value);
        CHECK(sweep.fault == std::string("counting failed: the session of the ") + name(group) +
                                 ": another profiler is attached");
        CHECK(counted.in_range.at(bad).reason == sweep.fault);
        CHECK_FALSE(counted.executed_flops());
    }
}

TEST_CASE("two sessions that fail are both told", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string&) { return bytes(3, 4); };
    backend.refused = {{CounterGroup::operations, "first"}, {CounterGroup::instructions, "second"}};
    const Case c = make_case(one_step, "case");
    const CountedSweep sweep = count_cases(arena, {&c}, 1);
    CHECK(sweep.fault ==
          "counting failed: the session of the operations: first; "
          "counting failed: the session of the instructions: second");
    CHECK(sweep.cases[0].in_range.at(Counter::fmul).reason ==
          "counting failed: the session of the instructions: second");
}

TEST_CASE("an error in one session takes the counters of that case and group alone", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string&) {
        CounterSet set = bytes(3, 4);
        set[Counter::xu_threads] = {8.0, "xu.sum", ""};
        set[Counter::ffma] = {9.0, "ffma.sum", ""};
        return set;
    };
    // The third and fourth launch of this kernel, behind in range and settled.
    static int launches, operations_fail, instructions_fail;
    launches = 0;
    operations_fail = GENERATE(0, 3);
    instructions_fail = GENERATE(0, 4);
    KernelRow fails = one_step;
    fails.steps[0].launch = [](const LaunchArgs&) {
        ++launches;
        if (launches == operations_fail || launches == instructions_fail)
            throw DeviceError(launches == 3 ? "the third fails" : "the fourth fails");
    };
    const Case bad = make_case(fails, "bad"), good = make_case(one_step, "good");
    const CountedSweep sweep = count_cases(arena, {&bad, &good}, 1);
    CHECK(sweep.fault.empty());
    CHECK(*sweep.cases[0].in_range.at(Counter::hbm_read_bytes).value == 3);
    CHECK(sweep.cases[0].in_range.at(Counter::xu_threads).reason ==
          (operations_fail ? "counting failed: the third fails" : ""));
    CHECK(sweep.cases[0].in_range.at(Counter::ffma).reason ==
          (instructions_fail ? "counting failed: the fourth fails" : ""));
    CHECK(*sweep.cases[1].in_range.at(Counter::ffma).value == 9);
}

TEST_CASE("jobs run in the sessions of their groups only", "[count]") {
    std::vector<std::string> ran;
    const auto session = [&](CounterGroup group, const std::vector<CountJob>& jobs) {
        CountOutcome outcome;
        outcome.passes = group == CounterGroup::operations ? 4 : 1;
        for (const CountJob& job : jobs) {
            ran.push_back(job.range);
            outcome.sets.push_back(
                {{Counter::l2_bytes, {1.0, "l2", ""}}, {Counter::xu_threads, {2.0, "xu", ""}}});
        }
        return outcome;
    };
    const CountJob all{"all", {}, {}}, bytes_only{"bytes", {}, {}, {CounterGroup::traffic}},
        operations_only{"operations", {}, {}, {CounterGroup::operations}};
    const CountOutcome outcome = count_by_group({operations_only, all, bytes_only}, session);
    CHECK(ran == std::vector<std::string>{"all", "bytes", "operations", "all", "all"});
    CHECK(outcome.passes == 6);
    REQUIRE(outcome.sets.size() == 3);
    CHECK(outcome.sets[0].size() == 1);
    CHECK(outcome.sets[0].contains(Counter::xu_threads));
    CHECK(outcome.sets[1].size() == 2);
    CHECK(outcome.sets[2].contains(Counter::l2_bytes));

    ran.clear();
    CHECK(count_by_group({bytes_only}, session).passes == 1);
    CHECK(ran == std::vector<std::string>{"bytes"});
}

TEST_CASE("what the first session throws goes through, what a later one throws is a fault",
          "[count]") {
    const CountJob all{"all", {}, {}};
    const auto lost_in = [](CounterGroup bad) {
        return [bad](CounterGroup group, const std::vector<CountJob>& jobs) {
            if (group == bad) throw DeviceLost("hung");
            CountOutcome outcome;
            outcome.sets.assign(jobs.size(), bytes(1, 1));
            return outcome;
        };
    };
    CHECK_THROWS_AS(count_by_group({all}, lost_in(CounterGroup::traffic)), DeviceLost);
    for (Counter counter : {Counter::xu_threads, Counter::fadd}) {
        const CountOutcome outcome = count_by_group({all}, lost_in(info_of(counter).group));
        CHECK_THAT(outcome.fault, ContainsSubstring("hung"));
        CHECK(*outcome.sets[0].at(Counter::hbm_read_bytes).value == 1);
        CHECK_FALSE(outcome.sets[0].at(counter).value);
    }
}

TEST_CASE("a value that is missing stays missing, with its reason", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.count_job = [](const std::string& range) {
        CounterSet set = bytes(5, 5);
        if (range == "drain")
            set[Counter::hbm_write_bytes] = {std::nullopt, "", "not on this chip"};
        return set;
    };
    const Case c = make_case(one_step, "case");
    const CounterSet settled = count_cases(arena, {&c}, 1).cases[0].settled;
    CHECK_FALSE(settled.at(Counter::hbm_write_bytes).value);
    CHECK(settled.at(Counter::hbm_write_bytes).reason.find("not on this chip") !=
          std::string::npos);
    CHECK(*settled.at(Counter::hbm_read_bytes).value == 0);
}

TEST_CASE("a shut gate leaves every set empty and says why", "[count]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    backend.outcome.closed_gate = "counters are for administrators";
    backend.outcome.remedy = "run as root";
    const Case c = make_case(one_step, "case");
    const CountedSweep sweep = count_cases(arena, {&c}, 1);
    REQUIRE(sweep.cases.size() == 1);
    CHECK(sweep.cases[0].in_range.empty());
    CHECK(sweep.closed_gate == "counters are for administrators");
    CHECK(sweep.remedy == "run as root");
}

TEST_CASE("executed FLOPs weigh each counter and need all of them", "[count]") {
    CounterSet set;
    for (const CounterInfo& info : counter_table())
        if (info.flops_each > 0) set[info.counter] = {0.0, "m", ""};
    set[Counter::tensor_bf16_flops].value = 1000;
    set[Counter::ffma].value = 10;
    set[Counter::fadd].value = 3;
    CHECK(*executed_flops(set) == 1023);
    set[Counter::fmul] = {std::nullopt, "", "not on this chip"};
    CHECK_FALSE(executed_flops(set));
    CHECK_FALSE(executed_flops({}));
}
