#include "compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace attnroof {
namespace {

using Rng = std::mt19937_64;

/// From here on a resample costs more than it tells.
constexpr std::size_t many_samples = 5000;

/// Uniform in [0, n). The standard distributions differ between libraries, this does not.
std::size_t below(Rng& rng, std::size_t n) { return (rng() >> 32) * n >> 32; }

/// Reorders its argument.
double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

/// Draws centres of resamples of one side.
class Resampler {
  public:
    explicit Resampler(Processes side) : sorted_(std::move(side)) {
        for (std::vector<double>& process : sorted_) std::sort(process.begin(), process.end());
    }

    double draw(Rng& rng) {
        medians_.clear();
        for (std::size_t p = 0; p < sorted_.size(); ++p) {
            const std::vector<double>& process = sorted_[below(rng, sorted_.size())];
            medians_.push_back(process.size() < many_samples ? resampled_median(process, rng)
                                                             : limiting_median(process, rng));
        }
        return median(medians_);
    }

  private:
    /// Counts how often each of the sorted samples is drawn, then walks to the middle.
    double resampled_median(const std::vector<double>& sorted, Rng& rng) {
        const std::size_t n = sorted.size();
        drawn_.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) ++drawn_[below(rng, n)];
        std::size_t lower = 0, passed = drawn_[0];
        while (passed <= (n - 1) / 2) passed += drawn_[++lower];
        std::size_t upper = lower;
        while (passed <= n / 2) passed += drawn_[++upper];
        return std::midpoint(sorted[lower], sorted[upper]);
    }

    /// Its limit for many samples: the rank of a resample's median is normal about the middle, with
    /// a deviation of sqrt(n) / 2 (David and Nagaraja, Order Statistics, section 10.2).
    static double limiting_median(const std::vector<double>& sorted, Rng& rng) {
        double normal = -6;  // the sum of twelve uniforms has variance 1
        for (int i = 0; i < 12; ++i) normal += static_cast<double>(rng() >> 32) * 0x1p-32;
        const auto n = static_cast<double>(sorted.size());
        const double rank = (n + normal * std::sqrt(n)) / 2;
        return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))];
    }

    Processes sorted_;
    std::vector<std::uint32_t> drawn_;
    std::vector<double> medians_;
};

Interval interval95(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    const std::size_t tail = values.size() / 40;
    return {values[tail], values[values.size() - 1 - tail]};
}

}  // namespace

double centre(const Processes& side) {
    std::vector<double> medians;
    for (std::vector<double> process : side) medians.push_back(median(process));
    return median(medians);
}

TimeChange judge_time(const Processes& base, const Processes& fresh, double relative,
                      double absolute_s, std::uint64_t seed) {
    // How far `to` lies above what `from` allows.
    const auto excess = [&](double from, double to) {
        return to - std::max(from * (1 + relative), from + absolute_s);
    };
    Rng rng(seed);
    Resampler bases(base), freshes(fresh);
    std::vector<double> ratios, slower, faster;
    for (int i = 0; i < bootstrap_resamples; ++i) {
        const double b = bases.draw(rng);
        const double n = freshes.draw(rng);
        ratios.push_back(n / b);
        slower.push_back(excess(b, n));
        faster.push_back(excess(n, b));
    }
    const Interval slow = interval95(slower), fast = interval95(faster);

    TimeChange result;
    result.base_s = centre(base);
    result.new_s = centre(fresh);
    result.ratio = result.new_s / result.base_s;
    result.ratio_ci95 = interval95(ratios);
    result.change = slow.low > 0                       ? Change::slower
                    : fast.low > 0                     ? Change::faster
                    : slow.high <= 0 && fast.high <= 0 ? Change::same
                                                       : Change::unclear;
    return result;
}

}  // namespace attnroof
