// Are two reports of the same machine and the same way of timing?
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace attnroof {

/// Why two devices are not the same model, or nothing. A model is its kind, name and number of
/// multiprocessors (cores): neither index, UUID nor host.
std::string device_difference(const DeviceFacts& base, const DeviceFacts& fresh);

/// Why two configs time differently, so that their times cannot be compared, or nothing.
std::string timing_difference(const SweepConfig& base, const SweepConfig& fresh);

/// Differences that a reader should know and that forbid nothing: driver, power limit, ECC, the
/// CUDA version, the timing budget.
std::vector<std::string> lesser_differences(const Report& base, const Report& fresh);

}  // namespace attnroof
