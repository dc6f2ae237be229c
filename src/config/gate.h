// What a regression gate asks of each case: limits and required cases, by pattern.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnroof {

/// Changes up to these are no change. Bytes and FLOPs are counted, not sampled: their limits cover
/// what a counter sees of the rest of the machine, not noise.
struct Limits {
    double percent = 5;          // of time; a slower case is beyond this and beyond `seconds`
    double seconds = 2e-6;       // of time, absolute
    double bytes_percent = 2;    // of HBM bytes (and more than a million of them)
    double flops_percent = 0.1;  // of executed FLOPs
};

/// Limits of the cases whose id matches `cases`; what is empty stays as it was.
struct LimitRule {
    std::string cases = "*";
    std::optional<double> percent, seconds, bytes_percent, flops_percent;

    bool operator==(const LimitRule&) const = default;
};

struct Gate {
    std::vector<LimitRule> limits;      // later rules win
    std::vector<std::string> required;  // patterns; empty: every case is required

    bool operator==(const Gate&) const = default;
};

/// `*` stands for any text, also across slashes, `?` for one character.
bool matches(std::string_view pattern, std::string_view id);
bool matches_any(const std::vector<std::string>& patterns, std::string_view id);

Limits limits_for(const Gate& gate, std::string_view id);

}  // namespace attnroof
