// Numbers of a comparison as people read them.
#pragma once

#include <string>

namespace attnroof {

/// A ratio as a change: 1.2 -> "+20.0 %"; from a factor of 3 on: "3.5x", "500x faster".
std::string percent_text(double ratio);
/// The change from `base` to `fresh`; "from 0" where there is no ratio.
std::string change_text(double base, double fresh);
/// "2 us", "1.5 ms"
std::string seconds_text(double seconds);

}  // namespace attnroof
