#include "plan/units.h"

#include <fmt/format.h>

#include <array>

namespace attnroof {
namespace {

/// Divides by `base` until the number is below it, counting the steps; the last prefix takes all.
std::string scaled(double value, double base, const std::array<const char*, 7>& prefixes,
                   const std::string& unit) {
    std::size_t step = 0;
    // A value that would print as 1000 of three digits goes to the next prefix.
    while (step + 1 < prefixes.size() && value >= base * (1 - 5e-4)) {
        value /= base;
        ++step;
    }
    const int decimals = step == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}{}", value, decimals, prefixes[step], unit);
}

}  // namespace

std::string readable_bytes(std::int64_t bytes) {
    return scaled(static_cast<double>(bytes), 1024, {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, "B");
}

std::string readable(double value, const std::string& unit) {
    return scaled(value, 1000, {"", "k", "M", "G", "T", "P", "E"}, unit);
}

}  // namespace attnroof
