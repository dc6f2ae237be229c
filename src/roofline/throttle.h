// Was the clock held down while a case was timed?
#pragma once

#include <optional>
#include <vector>

#include "backend/ceiling.h"
#include "backend/device_facts.h"

namespace attnroof {

/// A clock below this share of the free one fell measurably: 5 %, which compare takes for a change
/// of time, and several of the steps in which clocks move (15 MHz of 1980 on an H200). Readings of
/// a device at full speed spread over half of that.
inline constexpr double fallen_clock = 0.95;

/// The SM clock in MHz that the device reaches when nothing holds it down: the highest among its
/// burst ceilings and the readings without a reason; where there is none of these, among all
/// readings. Empty when no clock was read.
std::optional<double> free_clock_mhz(const std::vector<Ceiling>& ceilings,
                                     const std::vector<ClockReading>& readings);

/// NVML's clock event reasons (nvmlClocksEventReasons of its reference manual): heat and hardware
/// slowdowns hold the clock down whatever it reads. The software power cap is told of at full speed
/// too, as soon as the power nears the limit: it counts when the clock fell. Empty when the reasons
/// are not known, or the power cap is set and no clock was read.
std::optional<bool> held_down(const ClockReading& reading, std::optional<double> free_mhz);

}  // namespace attnroof
