#include "backend/cuda/counter_gate.h"

#include "backend/cuda/cupti_host.h"
#include "backend/cuda/nvml.h"
#include "catch.h"

using namespace attnroof::cuda;

namespace {

// bit 21 is CAP_SYS_ADMIN, bit 38 CAP_PERFMON
constexpr const char* no_capabilities = "Name:\tx\nCapPrm:\t000001ffffffffff\nCapEff:\t0\n";
constexpr const char* sys_admin = "CapEff:\t0000000000200000\n";
constexpr const char* perfmon = "CapEff:\t0000004000000000\n";
constexpr const char* restricted = "Mobile: 4294967295\nRmProfilingAdminOnly: 1\n";

}  // namespace

TEST_CASE("a driver that restricts counters shuts the gate to those without the capability") {
    const Gate gate = privilege_gate(restricted, no_capabilities);
    CHECK_FALSE(gate.closed.empty());
    CHECK(gate.remedy.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
    CHECK_FALSE(
        privilege_gate("RestrictProfilingToAdminUsers: 1\n", no_capabilities).closed.empty());

    CHECK(privilege_gate(restricted, sys_admin).closed.empty());
    CHECK(privilege_gate(restricted, perfmon).closed.empty());
    CHECK(privilege_gate("RmProfilingAdminOnly: 0\n", no_capabilities).closed.empty());
}

TEST_CASE("what is not known does not shut the gate") {
    CHECK(privilege_gate("", no_capabilities).closed.empty());
    CHECK(privilege_gate(restricted, "").closed.empty());
    CHECK(privilege_gate("RmProfilingAdminOnly: ?\n", no_capabilities).closed.empty());
}

TEST_CASE("CUPTI's refusals are told in words") {
    CHECK(gate_of(35, "f").remedy.find("CAP_SYS_ADMIN") != std::string::npos);
    CHECK(gate_of(39, "f").closed.find("another profiler") != std::string::npos);
    CHECK(gate_of(43, "f").closed.find("MIG") != std::string::npos);
    CHECK(gate_of(999, "cuptiSomething").closed == "cuptiSomething failed with CUPTI error 999");
}

TEST_CASE("a missing or foreign CUPTI is named") {
    CHECK_THROWS_WITH(open_cupti({"/nowhere/libcupti.so.13"}), ContainsSubstring("was not found"));
    CHECK_THROWS_WITH(open_cupti({"libc.so.6"}), ContainsSubstring("is not a CUPTI library"));
}

TEST_CASE("power and heat throttle, idleness and a chosen clock do not") {
    for (const std::uint64_t reason : {0x4, 0x8, 0x20, 0x40, 0x80}) CHECK(is_throttled(reason));
    for (const std::uint64_t reason : {0x0, 0x1, 0x2, 0x10, 0x100})
        CHECK_FALSE(is_throttled(reason));
    CHECK(is_throttled(0x1 | 0x4));
}
