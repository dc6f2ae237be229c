#include "plan/units.h"

#include <fmt/format.h>

#include <array>

namespace attnroof {

std::string readable_bytes(std::int64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (unit + 1 < units.size() && value >= 1023.5) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace attnroof
