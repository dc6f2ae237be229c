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
    /// `low` and `high` are positive and stand at the pixels `from` and `to`. Kept where a decade
    /// more or less is still a finite number, and at least a decade apart when they are not in
    /// order.
    LogAxis(double low, double high, double from, double to)
        : low_(std::clamp(low, least, most)),
          high_(std::clamp(high, least, most)),
          from_(from),
          to_(to) {
        if (!(high_ > low_)) high_ = low_ * 10;
    }

    double low() const { return low_; }
    double high() const { return high_; }
    double pixel(double value) const {
        const double drawn = std::clamp(value, least, most);
        return from_ + (to_ - from_) * (std::log10(drawn) - std::log10(low_)) / decades();
    }
    /// 1 to 9 times every decade in range. Labelled: the decades, on a short axis also 2 and 5. An
    /// axis too long for that has some of its decades only.
    std::vector<Tick> ticks() const {
        const bool is_short = decades() < 2.2;
        const int step = std::max(1, static_cast<int>(decades() / 15));
        std::vector<Tick> ticks;
        for (int e = static_cast<int>(std::floor(std::log10(low_))); std::pow(10, e) <= high_;
             e += step)
            for (int digit = 1; digit < (step > 1 ? 2 : 10); ++digit) {
                const double value = digit * std::pow(10, e);
                if (value < low_ * 0.9999 || value > high_ * 1.0001) continue;
                ticks.push_back({value, digit == 1 || (is_short && (digit == 2 || digit == 5))});
            }
        return ticks;
    }

  private:
    static constexpr double least = 1e-290, most = 1e290;
    double decades() const { return std::log10(high_) - std::log10(low_); }

    double low_, high_, from_, to_;
};

}  // namespace attnroof
