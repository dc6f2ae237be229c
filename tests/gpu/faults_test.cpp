// Kernels that hang or fault, on a real device; the self-test; what doctor finds.
#include <cstdlib>
#include <filesystem>

#include "backend/cuda/open.h"
#include "backend/inspection.h"
#include "catch.h"
#include "errors.h"
#include "gpu/probes.h"
#include "measure/selftest.h"

using namespace attnroof;

namespace {

/// Runs the hidden tests with this tag in a process of their own: what they do to the device ends
/// with it.
bool passes_alone(const std::string& tag) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    return std::system(("'" + self + "' '" + tag + "'").c_str()) == 0;
}

}  // namespace

TEST_CASE("a spoiled context is lost", "[.][spoiled]") {
    const auto backend = open_cuda_backend(0);
    CHECK(backend->lost().empty());
    CHECK_THROWS(backend->run([](void* stream) { probe::fault(stream); }));
    CHECK_THAT(backend->lost(), ContainsSubstring("cannot be used any more"));
    CHECK_THROWS_AS(backend->allocate(1024), DeviceLost);
}

TEST_CASE("a hung kernel is lost", "[.][hung]") {
    const auto backend = open_cuda_backend(0);
    const Buffer held = backend->allocate(1024);
    backend->set_watchdog(0.2);
    CHECK_THROWS_AS(backend->run([](void* stream) { probe::hang(5, stream); }), DeviceLost);
    CHECK_THAT(backend->lost(), ContainsSubstring("has not ended after 0.2 s"));
    CHECK_THROWS_AS(backend->allocate(1024), DeviceLost);
}

TEST_CASE("after a fault the backend says that the device is lost, and the process ends") {
    CHECK(passes_alone("[spoiled]"));
}

TEST_CASE("a hung kernel ends in DeviceLost, and so does its process") {
    CHECK(passes_alone("[hung]"));
}

TEST_CASE("a long kernel that ends before the watchdog does is no fault", "[faults]") {
    const auto backend = open_cuda_backend(0);
    backend->set_watchdog(5);
    CHECK_NOTHROW(backend->run([](void* stream) { probe::hang(0.05, stream); }));
    CHECK(backend->lost().empty());
}

TEST_CASE("every counter passes the self-test, and every calibration has a value", "[selftest]") {
    const auto backend = open_cuda_backend(0);
    const SelfTestRun run = run_selftest(*backend);
    if (!run.closed_gate.empty()) {
        WARN("skipped: " << run.closed_gate << "; " << run.remedy);
        return;
    }
    REQUIRE_FALSE(run.test.results.empty());
    for (const CalibrationResult& result : run.test.results) {
        INFO(result.job << ' ' << name(result.counter) << ": " << result.expected << " expected, "
                        << result.counted.value.value_or(-1) << " counted, "
                        << result.counted.reason);
        CHECK(result.error.has_value());
        CHECK(result.passed());
    }
}

TEST_CASE("doctor's look at a device that works finds it working", "[doctor]") {
    const GpuInspection found = inspect_gpu(0);
    CHECK(found.built);
    CHECK(found.driver_cuda >= 13000);
    CHECK(found.device_fault.empty());
    CHECK_FALSE(found.device.name.empty());
    CHECK(found.counters_fault.empty() == (found.counter_passes > 0));
    if (found.nvml) CHECK(found.busy.sm_clock_mhz > 0);
    CHECK_FALSE(inspect_gpu(4096).device_fault.empty());
}
