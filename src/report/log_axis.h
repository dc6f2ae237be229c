// A logarithmic axis: values to pixels, and its ticks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace attnroof {

struct Tick {
    double value;
    bool labelled;
};

class LogAxis {
  public:
    /// `low` and `high` are positive and stand at the pixels `from` and `to`.
    LogAxis(double low, double high, double from, double to)
        : low_(low), high_(high), from_(from), to_(to) {}

    double low() const { return low_; }
    double high() const { return high_; }
    double pixel(double value) const {
        return from_ + (to_ - from_) * std::log10(value / low_) / std::log10(high_ / low_);
    }
    /// 1 to 9 times every decade in range. Labelled: the decades, on a short axis also 2 and 5.
    std::vector<Tick> ticks() const {
        const bool is_short = std::log10(high_ / low_) < 2.2;
        std::vector<Tick> ticks;
        for (int e = static_cast<int>(std::floor(std::log10(low_))); std::pow(10, e) <= high_; ++e)
            for (int digit = 1; digit < 10; ++digit) {
                const double value = digit * std::pow(10, e);
                if (value < low_ * 0.9999 || value > high_ * 1.0001) continue;
                ticks.push_back({value, digit == 1 || (is_short && (digit == 2 || digit == 5))});
            }
        return ticks;
    }

  private:
    double low_, high_, from_, to_;
};

}  // namespace attnroof
