#include "report/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace attnroof {

std::string significant(double value) {
    if (!std::isfinite(value)) return "?";
    if (value == 0) return "0";
    if (std::abs(value) >= 1e7 || std::abs(value) < 1e-5) return fmt::format("{:.2e}", value);
    if (std::abs(value) >= 1000) return fmt::format("{:.0f}", value);
    // Rounded first, so that 9.996 counts as 10.0 and not as 10.00.
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value) * 1.000001)));
    const double unit = std::pow(10.0, exponent - 2);
    const double rounded = std::round(value / unit) * unit;
    const int digits = static_cast<int>(std::floor(std::log10(std::abs(rounded) * 1.000001)));
    return fmt::format("{:.{}f}", rounded, std::clamp(2 - digits, 0, 7));
}

std::string si(double value, std::string_view unit) {
    static constexpr std::array prefixes{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    if (!std::isfinite(value)) return fmt::format("? {}", unit);
    if (value == 0) return fmt::format("0 {}", unit);
    // 999.6 M rounds to 1.00 G.
    const double thousands = std::floor((std::log10(std::abs(value)) - std::log10(0.9995)) / 3);
    const int index =
        std::clamp(static_cast<int>(thousands) + 3, 0, static_cast<int>(prefixes.size()) - 1);
    return fmt::format("{} {}{}", significant(value / std::pow(1000.0, index - 3)),
                       prefixes[static_cast<std::size_t>(index)], unit);
}

std::string percent(double share) {
    return share < 10 ? fmt::format("{:.0f}", 100 * share) : significant(100 * share);
}

std::string spoken(double value, std::string_view unit) {
    if (unit == "byte/s") return si(value, "B/s");
    if (unit == "byte") return si(value, "B");
    return si(value, unit);
}

std::string short_length(long long length) {
    if (length >= 1 << 20 && length % (1 << 20) == 0) return fmt::format("{}M", length >> 20);
    if (length >= 1 << 10 && length % (1 << 10) == 0) return fmt::format("{}k", length >> 10);
    return std::to_string(length);
}

}  // namespace attnroof
