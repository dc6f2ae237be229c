// Whole numbers divided into pieces: how many, and up to where they reach.
#pragma once

#include <cstdint>

namespace attnroof {

/// a / b, rounded up; a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The least multiple of b from a up; a >= 0, b > 0.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

}  // namespace attnroof
