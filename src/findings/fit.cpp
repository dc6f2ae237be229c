#include "findings/fit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnroof {
namespace {

/// Sums over a group, about the group's own means.
struct Moments {
    double xx = 0, xy = 0, yy = 0;
};

Moments moments_of(const std::vector<Sample>& group) {
    double mean_x = 0, mean_y = 0;
    const double n = static_cast<double>(group.size());
    for (const Sample& s : group) {
        mean_x += std::log(s.x) / n;
        mean_y += std::log(s.y) / n;
    }
    Moments m;
    for (const Sample& s : group) {
        const double dx = std::log(s.x) - mean_x, dy = std::log(s.y) - mean_y;
        m.xx += dx * dx;
        m.xy += dx * dy;
        m.yy += dy * dy;
    }
    return m;
}

}  // namespace

double student_975(std::size_t degrees) {
    static constexpr std::array<double, 10> table{12.706, 4.303, 3.182, 2.776, 2.571,
                                                  2.447,  2.365, 2.306, 2.262, 2.228};
    if (degrees <= table.size()) return table[std::max<std::size_t>(degrees, 1) - 1];
    // Cornish-Fisher expansion about the normal quantile: within 0.001 from here on.
    const double z = 1.959964, n = static_cast<double>(degrees);
    const double z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

std::optional<Exponent> fit_exponent(const std::vector<std::vector<Sample>>& groups) {
    constexpr std::size_t fewest = 3;
    Moments sum;
    std::size_t points = 0, used = 0;
    for (const std::vector<Sample>& group : groups) {
        if (group.size() < fewest) continue;
        const Moments m = moments_of(group);
        sum.xx += m.xx;
        sum.xy += m.xy;
        sum.yy += m.yy;
        points += group.size();
        ++used;
    }
    if (points == 0 || sum.xx <= 0) return std::nullopt;
    const double slope = sum.xy / sum.xx;
    const std::size_t degrees = points - used - 1;
    const double residual = std::max(0.0, sum.yy - slope * sum.xy);
    const double error = std::sqrt(residual / static_cast<double>(degrees) / sum.xx);
    const double reach = student_975(degrees) * error;
    return Exponent{slope, slope - reach, slope + reach, points};
}

}  // namespace attnroof
