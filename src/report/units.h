// Numbers for people: SI prefixes, three significant digits. Files keep base units.
#pragma once

#include <string>
#include <string_view>

namespace attnroof {

/// 5.87e14, "FLOP/s" -> "587 TFLOP/s"; 1.5e-6, "s" -> "1.50 us". "?" when not finite.
std::string si(double value, std::string_view unit);

/// Three significant digits: 0.0252, 4.28, 83.1, 12345. With an exponent from ten million on and
/// below a hundred thousandth: 1.00e+308.
std::string significant(double value);

/// A share as whole percent, without the sign: 0.857 -> "86"; as significant from ten times on.
std::string percent(double share);

/// A ceiling's value with its unit as spoken: "4.28 TB/s", "587 TFLOP/s", "4.17 Top/s", "2.10 us".
std::string spoken(double value, std::string_view unit);

/// A sequence length as it is written on axes: 512, 4k, 16k, 1M where that is exact.
std::string short_length(long long length);

}  // namespace attnroof
