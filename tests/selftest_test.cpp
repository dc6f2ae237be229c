// The self-test on a scripted device: what is off loses its values, everywhere, with the reason.
#include "measure/selftest.h"

#include "catch.h"
#include "fake_backend.h"
#include "fake_kernels.h"
#include "measure/count.h"

using namespace attnroof;

namespace {

/// A device whose calibrations are a read of 1000 bytes and 500 multiply-adds.
struct Calibrated : FakeBackend {
    Calibrated() : FakeBackend({}) {
        count_job = [this](const std::string& range) {
            CounterSet set{{Counter::hbm_read_bytes, {read, "read", ""}},
                           {Counter::hbm_write_bytes, {written, "write", ""}},
                           {Counter::ffma, {ffma, "ffma", ""}}};
            if (range == "drain") set[Counter::hbm_read_bytes].value = 0;
            return set;
        };
    }
    std::vector<Calibration> calibrations() override {
        CountJob read{"selftest read", [] {}, [this] { body(); }};
        read.after = [this] { ++freed; };
        return {{std::move(read),
                 "read",
                 {{Counter::hbm_read_bytes, 1000}, {Counter::hbm_write_bytes, 0}}},
                {{"selftest ffma", [] {}, [] {}}, "ffma", {{Counter::ffma, 500}}}};
    }
    double read = 1000, written = 0;
    std::optional<double> ffma = 500;
    std::function<void()> body = [] {};
    int freed = 0;
};

CountedSweep count_one(Backend& backend) {
    static const KernelRow row = fake_kernel("fused", {fake_step("fused")});
    Case c;
    c.id = "case";
    c.problem = {.q_len = 4, .kv_len = 4, .head_dim = 8};
    c.kernel = &row;
    DeviceArena arena(backend);
    return count_cases(arena, {&c}, 1, true);
}

}  // namespace

TEST_CASE("counters within one percent stay usable", "[selftest]") {
    Calibrated device;
    device.read = 1009;
    device.written = 9;
    const SelfTestRun run = run_selftest(device);
    REQUIRE(run.test.results.size() == 3);
    CHECK(run.test.unusable().empty());
    CHECK(*run.test.results[0].error == Approx(0.009));
    CHECK(*run.test.results[1].error == Approx(0.009));  // of the 1000 bytes that the job reads
}

TEST_CASE("a counter that is off is unusable, and the reason has both figures", "[selftest]") {
    Calibrated device;
    device.written = 20;
    const auto unusable = run_selftest(device).test.unusable();
    REQUIRE(unusable.size() == 1);
    const std::string& reason = unusable.at(Counter::hbm_write_bytes);
    CHECK(reason == "the self-test found it off: 0 of job \"read\" were counted as 20 (write)");
}

TEST_CASE("a counter that is not there is no fault", "[selftest]") {
    Calibrated device;
    device.ffma.reset();
    const SelfTestRun run = run_selftest(device);
    CHECK(run.test.unusable().empty());
    CHECK_FALSE(run.test.results[2].error);
}

TEST_CASE("a sweep runs the self-test in its own session and drops what is off", "[selftest]") {
    Calibrated device;
    device.ffma = 1000;
    const CountedSweep sweep = count_one(device);
    CHECK(device.ranges.size() == 2 + 1 + 2);
    CHECK(device.operation_ranges.size() == 2 + 1);
    CHECK(device.instruction_ranges.size() == 2 + 1);
    CHECK(sweep.selftest.results.size() == 3);
    const CounterSet& counted = sweep.cases[0].in_range;
    CHECK_FALSE(counted.at(Counter::ffma).value);
    CHECK(counted.at(Counter::ffma).reason.find("the self-test found it off: 500 of job") == 0);
    CHECK(*counted.at(Counter::hbm_read_bytes).value == 1000);
    CHECK_FALSE(sweep.cases[0].executed_flops());
}

TEST_CASE("settled bytes of a counter that is off are dropped too", "[selftest]") {
    Calibrated device;
    device.read = 2000;
    const CaseCounters counted = count_one(device).cases[0];
    CHECK_FALSE(counted.settled.at(Counter::hbm_read_bytes).value);
    CHECK(counted.settled.at(Counter::hbm_write_bytes).value);
}

TEST_CASE("a self-test that cannot run leaves the counters as they are", "[selftest]") {
    Calibrated device;
    device.body = [] { throw OutOfMemory("no room"); };
    const CountedSweep sweep = count_one(device);
    CHECK(sweep.selftest.results.empty());
    CHECK(sweep.selftest.reason == "the self-test failed: no room");
    CHECK(device.freed == 3);  // in each session, or its memory would be missing to the cases
    CHECK(*sweep.cases[0].in_range.at(Counter::ffma).value == 500);
}

TEST_CASE("a device without calibrations says so", "[selftest]") {
    FakeBackend device({});
    device.count_job = [](const std::string&) { return CounterSet{}; };
    CHECK(run_selftest(device).test.reason == "this device has no jobs of known counts");
}
