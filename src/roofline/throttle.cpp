#include "roofline/throttle.h"

#include <algorithm>

namespace attnroof {
namespace {

constexpr std::uint64_t software_power_cap = 0x4;
/// Hardware slowdown, software and hardware thermal slowdown, power brake.
constexpr std::uint64_t slowdowns = 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace

std::optional<double> free_clock_mhz(const std::vector<Ceiling>& ceilings,
                                     const std::vector<ClockReading>& readings) {
    std::optional<double> free, any;
    const auto raise = [](std::optional<double>& most, const std::optional<double>& clock) {
        if (clock) most = std::max(most.value_or(0), *clock);
    };
    for (const Ceiling& c : ceilings)
        if (c.mode == CeilingMode::burst) raise(free, c.clock_mhz);
    for (const ClockReading& r : readings) {
        raise(any, r.sm_clock_mhz);
        if (held_down(r, {}) == false) raise(free, r.sm_clock_mhz);
    }
    return free ? free : any;
}

std::optional<bool> held_down(const ClockReading& reading, std::optional<double> free_mhz) {
    if (!reading.throttle_reasons) return std::nullopt;
    if ((*reading.throttle_reasons & slowdowns) != 0) return true;
    if ((*reading.throttle_reasons & software_power_cap) == 0) return false;
    if (!reading.sm_clock_mhz || !free_mhz) return std::nullopt;
    return *reading.sm_clock_mhz < fallen_clock * *free_mhz;
}

}  // namespace attnroof
