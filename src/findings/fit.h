// The exponent of a power law, fitted on log-log axes.
#pragma once

#include <optional>
#include <vector>

namespace attnroof {

struct Sample {
    double x = 0, y = 0;  // both positive
};

struct Exponent {
    double value = 0;
    double low = 0, high = 0;  // 95 % interval of the value
    std::size_t points = 0;
};

/// Least squares of log y = a_group + b log x: one exponent b, one factor a for each group.
/// The interval is Student's with (points - groups - 1) degrees of freedom (Draper and Smith,
/// Applied Regression Analysis, section 1.4). Groups of fewer than three samples are left out;
/// empty when none remains or no group has two different x.
std::optional<Exponent> fit_exponent(const std::vector<std::vector<Sample>>& groups);

/// The 97.5 % quantile of Student's t distribution.
double student_975(std::size_t degrees_of_freedom);

}  // namespace attnroof
