// Numbers for people: three digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace attnroof {

/// "512 B", "1.50 GiB": powers of 1024.
std::string readable_bytes(std::int64_t bytes);

/// "68.7 GFLOP" for (6.87e10, "FLOP"): powers of 1000.
std::string readable(double value, const std::string& unit);

}  // namespace attnroof
