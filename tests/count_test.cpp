// The counting stage on a scripted device: ranges, settled bytes, executed FLOPs.
#include "measure/count.h"

#include <set>

#include "catch.h"
#include "fake_backend.h"

using namespace attnroof;

namespace {

CounterSet bytes(double read, double write) {
    return {{Counter::hbm_read_bytes, {read, "dram__bytes_read.sum", ""}},
            {Counter::hbm_write_bytes, {write, "dram__bytes_write.sum", ""}}};
}

void launch_nothing(const LaunchArgs&) {}
Traffic no_traffic(const AttentionProblem&, std::int64_t) { return {}; }
std::int64_t no_bytes(const AttentionProblem&) { return 0; }
std::optional<std::string> refuses_nothing(const AttentionProblem&, int) { return std::nullopt; }

const KernelRow three_steps{"naive",
                            "test",
                            DeviceKind::cpu,
                            "",
                            refuses_nothing,
                            no_bytes,
                            false,
                            {{"scores", no_traffic, launch_nothing},
                             {"softmax", no_traffic, launch_nothing},
                             {"output", no_traffic, launch_nothing}}};
const KernelRow one_step{
    "fused",         "test",   DeviceKind::cpu, "",
    refuses_nothing, no_bytes, false,           {{"fused", no_traffic, launch_nothing}}};

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
    REQUIRE(sweep.cases[0].steps.size() == 3);
    CHECK(sweep.cases[0].steps[1].name == "softmax");
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
