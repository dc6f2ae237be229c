// Faults in the middle of a sweep: each ends its own case, the others stand, the report is valid.
#include "commands/stages.h"

#include <cstring>
#include <functional>

#include "catch.h"
#include "fake_backend.h"
#include "report/formats.h"
#include "report/read.h"

using namespace attnroof;

namespace {

const KernelRow& cpu_fused() {
    for (const KernelRow& row : kernel_registry())
        if (row.name == "fused" && row.device == DeviceKind::cpu) return row;
    throw std::logic_error("no fused kernel for the CPU");
}

void good(const LaunchArgs& args) { cpu_fused().steps[0].launch(args); }
void refuses(const LaunchArgs&) { throw std::runtime_error("invalid configuration argument"); }
void hangs(const LaunchArgs&) { throw DeviceLost("a kernel has not ended after 60 s"); }
void writes_nothing(const LaunchArgs&) {}
/// Leaves the last row of O as it was.
void writes_a_part(const LaunchArgs& args) {
    good(args);
    const AttentionProblem& p = args.problem;
    const std::int64_t row = p.head_dim * bytes_of(p.dtype);
    std::memset(static_cast<char*>(args.o) + q_bytes(p) - row, 0xff, static_cast<std::size_t>(row));
}
void writes_wrong_numbers(const LaunchArgs& args) {
    good(args);
    std::memset(args.o, 0x41, static_cast<std::size_t>(q_bytes(args.problem)));
}

bool no_room = false;
void runs_out(const LaunchArgs& args) {
    if (no_room) throw OutOfMemory("no room");
    good(args);
}

/// A sweep of one case a launcher on the fake device.
struct Sweep {
    explicit Sweep(const std::vector<void (*)(const LaunchArgs&)>& launchers) {
        for (auto launcher : launchers) {
            rows.push_back(std::make_unique<KernelRow>(cpu_fused()));
            rows.back()->steps[0].launch = launcher;
            Case c;
            c.id = "case " + std::to_string(plan.size());
            c.problem = {.q_len = 32, .kv_len = 32, .head_dim = 16};
            c.problem.dtype = DType::fp32;
            c.asked = {"fused", ""};
            c.kernel = rows.back().get();
            plan.push_back(c);
        }
        backend.count_job = [](const std::string& range) {
            const double bytes = range == "drain" ? 0 : 100;
            return CounterSet{{Counter::hbm_read_bytes, {bytes, "read", ""}},
                              {Counter::hbm_write_bytes, {bytes, "write", ""}}};
        };
    }

    void run(const SweepEvents& events = {}) {
        report.cases.clear();
        for (const Case& c : plan) {
            CaseResult result;
            result.plan = c;
            result.plan.status = Status::skipped;
            result.plan.reason = "not run";
            report.cases.push_back(result);
        }
        report.config.seq_lens = {32};
        report.config.head_dims = {16};
        report.config.timing.max_samples = 3;
        measure_report(backend, plan, report, events);
        report.complete = true;
        // Valid: what is written can be read again, case by case.
        const Report again = parse_report(to_json(report), "report");
        REQUIRE(again.cases.size() == plan.size());
        for (std::size_t i = 0; i < plan.size(); ++i)
            CHECK(again.cases[i].plan.status == status(i));
    }

    Status status(std::size_t i) const { return report.cases[i].plan.status; }
    const std::string& reason(std::size_t i) const { return report.cases[i].plan.reason; }
    double read_bytes(std::size_t i) const {
        return report.cases[i].counted.in_range.at(Counter::hbm_read_bytes).value.value_or(-1);
    }

    std::vector<std::unique_ptr<KernelRow>> rows;
    std::vector<Case> plan;
    FakeBackend backend{{}};
    Report report;
};

}  // namespace

TEST_CASE("a kernel that returns an error fails its case, the others are timed and counted") {
    Sweep sweep({good, refuses, good});
    sweep.run();
    CHECK(sweep.status(1) == Status::failed);
    CHECK(sweep.reason(1) == "invalid configuration argument");
    CHECK_FALSE(sweep.report.cases[1].time);
    for (std::size_t i : {0u, 2u}) {
        CHECK(sweep.status(i) == Status::ok);
        CHECK(sweep.report.cases[i].time);
        CHECK(sweep.read_bytes(i) == 100);
    }
}

TEST_CASE("wrong and partial outputs are wrong, without a time") {
    Sweep sweep({writes_nothing, writes_a_part, writes_wrong_numbers, good});
    sweep.run();
    for (std::size_t i : {0u, 1u, 2u}) {
        CHECK(sweep.status(i) == Status::wrong);
        CHECK_FALSE(sweep.report.cases[i].time);
    }
    CHECK(sweep.reason(1).find("16 elements of O and LSE are NaN") != std::string::npos);
    CHECK(sweep.reason(2).find("O is off by") != std::string::npos);
    CHECK(sweep.status(3) == Status::ok);
}

TEST_CASE("a power cap is a warning only for the case whose clock fell") {
    Sweep sweep({good, good, good});
    sweep.backend.clock.throttle_reasons = 0x4;
    SweepEvents events;
    events.begin = [&](const std::string& what) {
        sweep.backend.clock.sm_clock_mhz = what == "case 1" ? 1500 : 1980;
    };
    sweep.run(events);
    sweep.report.cases[2].time->clocks.throttle_reasons = 0x40;  // too hot, at full speed
    for (int again = 0; again < 2; ++again) {
        mark_throttled(sweep.report);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(sweep.report.cases[i].time->clocks.throttled == (i > 0));
            CHECK(sweep.report.cases[i].warnings.size() == (i > 0 ? 1u : 0u));
        }
    }
    // An unthrottled ceiling shows that the device can do more.
    Ceiling burst;
    burst.clock_mhz = 2400;
    sweep.report.ceilings = {burst};
    mark_throttled(sweep.report);
    CHECK(sweep.report.cases[0].time->clocks.throttled == true);
}

TEST_CASE("out of memory in the middle skips the case that does not fit") {
    Sweep sweep({good, good, good});
    sweep.plan[1].problem.batch = 1 << 20;
    sweep.backend.available = 1 << 20;
    sweep.run();
    CHECK(sweep.status(0) == Status::ok);
    CHECK(sweep.status(1) == Status::skipped);
    CHECK(sweep.reason(1).find("out of memory") != std::string::npos);
    CHECK(sweep.status(2) == Status::ok);
    CHECK(sweep.read_bytes(2) == 100);
}

TEST_CASE("out of memory while counting takes one case's counters, the times stand") {
    Sweep sweep({good, runs_out, good});
    const auto count_job = sweep.backend.count_job;
    sweep.backend.count_job = [&](const std::string& range) {
        no_room = range.starts_with("0 ");  // another process takes the memory behind case 0
        return count_job(range);
    };
    sweep.run();
    CHECK(sweep.backend.ranges.size() == 1 + 3 * 2);
    for (std::size_t i : {0u, 1u, 2u}) CHECK(sweep.status(i) == Status::ok);
    CHECK(sweep.read_bytes(0) == 100);
    const CounterValue& none = sweep.report.cases[1].counted.in_range.at(Counter::ffma);
    CHECK_FALSE(none.value);
    CHECK(none.reason == "counting failed: no room");
    CHECK(counters_missing(sweep.report));
    CHECK(sweep.report.cases[1].time);
    CHECK(sweep.read_bytes(2) == 100);
}

TEST_CASE("a hung kernel ends the sweep: earlier cases stand, later ones are skipped") {
    Sweep sweep({good, hangs, good, good});
    sweep.backend.lost_reason = "a kernel has not ended after 60 s";
    sweep.run();
    CHECK(sweep.status(0) == Status::ok);
    CHECK(sweep.report.cases[0].time);
    CHECK(sweep.status(1) == Status::failed);
    for (std::size_t i : {2u, 3u}) {
        CHECK(sweep.status(i) == Status::skipped);
        CHECK(sweep.reason(i) == "not run: a kernel has not ended after 60 s");
    }
    CHECK(sweep.backend.ranges.empty());
    CHECK(sweep.report.counters_closed_gate.find("the device was lost") == 0);
}

TEST_CASE("a device that is gone before the first case fails that case and skips the rest") {
    Sweep sweep({good, good});
    sweep.backend.before_ceilings = [] { throw DeviceLost("cudaErrorDevicesUnavailable"); };
    sweep.backend.lost_reason = "the device is gone";
    sweep.rows[0]->steps[0].launch = refuses;
    sweep.run();
    CHECK(sweep.report.ceilings.empty());
    CHECK(sweep.status(0) == Status::failed);
    CHECK(sweep.status(1) == Status::skipped);
}

TEST_CASE("where no case can run no ceiling is measured") {
    Sweep sweep({good, good});
    int measured = 0;
    sweep.backend.before_ceilings = [&] { ++measured; };
    for (Case& c : sweep.plan) c.status = Status::unsupported;
    sweep.run();
    CHECK(measured == 0);
    sweep.plan[0].status = Status::ok;
    sweep.run();
    CHECK(measured == 1);
}

TEST_CASE("ceilings that cannot be measured leave times and counters") {
    Sweep sweep({good});
    sweep.backend.before_ceilings = [] { throw OutOfMemory("4 GiB asked for"); };
    sweep.run();
    CHECK(sweep.report.ceilings.empty());
    CHECK(sweep.status(0) == Status::ok);
    CHECK(sweep.read_bytes(0) == 100);
}

TEST_CASE("refused counters and another profiler leave the times, with gate and remedy") {
    Sweep sweep({good, good});
    sweep.backend.count_job = nullptr;
    sweep.backend.outcome.closed_gate = "another profiler is attached";
    sweep.backend.outcome.remedy = "run without it";
    sweep.run();
    for (std::size_t i : {0u, 1u}) {
        CHECK(sweep.status(i) == Status::ok);
        CHECK(sweep.report.cases[i].time);
        CHECK(sweep.report.cases[i].counted.in_range.empty());
    }
    CHECK(sweep.report.counters_closed_gate == "another profiler is attached");
    CHECK(to_json(sweep.report).find("run without it") != std::string::npos);
}

TEST_CASE("a session of operations that fails leaves the bytes, and counters are missing") {
    for (const char* refused : {"", "no such schedule"}) {
        Sweep sweep({good, good});
        sweep.backend.refused[CounterGroup::operations] = refused;
        sweep.run();
        CHECK(sweep.read_bytes(1) == 100);
        CHECK(sweep.report.counters_closed_gate.empty());
        const Report read = parse_report(to_json(sweep.report), "report.json");
        for (const auto& report : {std::cref(sweep.report), std::cref(read)})
            CHECK(counters_missing(report) == (std::string(refused) != ""));
    }
}

TEST_CASE("a counter that the self-test found off is missing") {
    Report report;
    CHECK_FALSE(counters_missing(report));
    report.selftest.results = {{"read", Counter::hbm_read_bytes, 1000, {990, "read", ""}, 0.01}};
    CHECK_FALSE(counters_missing(report));
    report.selftest.results[0].error = 0.02;
    CHECK(counters_missing(report));
}

TEST_CASE("a device lost while counting leaves every time") {
    Sweep sweep({good, good});
    sweep.backend.count_job = [](const std::string&) -> CounterSet {
        throw DeviceLost("a kernel has not ended after 60 s");
    };
    sweep.run();
    for (std::size_t i : {0u, 1u}) CHECK(sweep.report.cases[i].time);
    CHECK(sweep.report.counters_closed_gate.find("counting ended early: a kernel has not ended") ==
          0);
}

TEST_CASE("a sweep that is stopped keeps what it has measured") {
    Sweep sweep({good, good, good});
    int done = 0;
    sweep.run({.begin = {}, .case_done = [&] { ++done; }, .stop = [&] { return done == 2; }});
    CHECK(sweep.report.cases[1].time);
    CHECK(sweep.status(2) == Status::skipped);
    CHECK(sweep.reason(2) == "not run");
    CHECK(sweep.backend.ranges.empty());
}
