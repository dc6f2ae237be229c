// When a clock counts as held down: by its reasons, and by how far it fell.
#include "roofline/throttle.h"

#include "catch.h"

using namespace attnroof;

namespace {

constexpr std::uint64_t idle = 0x1, power_cap = 0x4;

ClockReading reading(std::optional<double> mhz, std::optional<std::uint64_t> reasons) {
    ClockReading r;
    r.sm_clock_mhz = mhz;
    r.throttle_reasons = reasons;
    return r;
}

Ceiling ceiling(CeilingMode mode, double mhz) {
    Ceiling c;
    c.mode = mode;
    c.clock_mhz = mhz;
    return c;
}

}  // namespace

TEST_CASE("the power cap throttles only what lost its clock", "[throttle]") {
    CHECK(held_down(reading(1980, power_cap), 1980) == false);
    CHECK(held_down(reading(1920, power_cap), 1980) == false);  // 97 %
    CHECK(held_down(reading(1875, power_cap), 1980) == true);   // 94.7 %
    CHECK(held_down(reading(1260, power_cap | idle), 1980) == true);
    CHECK_FALSE(held_down(reading({}, power_cap), 1980));
    CHECK_FALSE(held_down(reading(1980, power_cap), {}));
}

TEST_CASE("heat and hardware slowdowns throttle at any clock", "[throttle]") {
    for (std::uint64_t reason : {0x8, 0x20, 0x40, 0x80}) {
        CHECK(held_down(reading(1980, reason), 1980) == true);
        CHECK(held_down(reading({}, reason | power_cap), {}) == true);
    }
}

TEST_CASE("no reason is no throttling, whatever the clock", "[throttle]") {
    for (std::uint64_t reason : {0x0, 0x1, 0x2, 0x10, 0x100})  // idle, set by a user, sync, display
        CHECK(held_down(reading(210, reason), 1980) == false);
    CHECK_FALSE(held_down(reading(210, {}), 1980));
}

TEST_CASE("the free clock is that of burst ceilings and of cases without a reason", "[throttle]") {
    const std::vector<ClockReading> readings{reading(1710, power_cap), reading(1800, 0),
                                             reading(1950, power_cap), reading({}, 0)};
    CHECK(free_clock_mhz({ceiling(CeilingMode::burst, 1935), ceiling(CeilingMode::sustained, 1995)},
                         readings) == 1935);
    CHECK(free_clock_mhz({}, readings) == 1800);
    CHECK(free_clock_mhz({}, {readings[0], readings[2]}) == 1950);
    CHECK_FALSE(free_clock_mhz({}, {}));
}
