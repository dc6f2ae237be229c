#include "measure/timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attnroof {
namespace {

// The clock moves by several percent from one reading to the next under a power cap.
constexpr int samples_a_clock = 4;

/// Ranks (from 0) of the order statistics that enclose the median with 95 % confidence: the normal
/// approximation of Binomial(n, 1/2), clamped to the sample.
std::pair<std::size_t, std::size_t> median_interval_ranks(std::size_t n) {
    const double half_width = 1.96 * std::sqrt(static_cast<double>(n)) / 2;
    const double centre = static_cast<double>(n) / 2;
    const double low = std::floor(centre - half_width);
    const double high = std::ceil(centre + half_width);
    const auto last = static_cast<double>(n - 1);
    return {static_cast<std::size_t>(std::clamp(low, 0.0, last)),
            static_cast<std::size_t>(std::clamp(high, 0.0, last))};
}

bool known_well_enough(const TimeStats& stats, double target) {
    return stats.ci95_high_s - stats.ci95_low_s <= target * stats.median_s;
}

/// Readings taken beside the samples as one: the mean clock, every reason that any gave, throttled
/// when any was; power and temperature are the last.
ClockReading together(const std::vector<ClockReading>& readings) {
    ClockReading all = readings.back();
    double sum = 0;
    bool clocks = true;
    for (const ClockReading& reading : readings) {
        clocks = clocks && reading.sm_clock_mhz;
        sum += reading.sm_clock_mhz.value_or(0);
        if (reading.throttle_reasons)
            all.throttle_reasons = all.throttle_reasons.value_or(0) | *reading.throttle_reasons;
        if (reading.throttled.value_or(false)) all.throttled = true;
    }
    if (clocks) all.sm_clock_mhz = sum / static_cast<double>(readings.size());
    return all;
}

}  // namespace

TimeStats summarize(std::vector<double> samples_s) {
    TimeStats stats;
    stats.samples_s = std::move(samples_s);
    std::vector<double> sorted = stats.samples_s;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    stats.median_s = std::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
    stats.min_s = sorted.front();
    const auto [low, high] = median_interval_ranks(n);
    stats.ci95_low_s = sorted[low];
    stats.ci95_high_s = sorted[high];
    return stats;
}

TimeStats time_case(Backend& backend, const StreamWork& work, bool cold, const TimingPlan& plan) {
    backend.displace_cache();  // what the case before left or held warms no other
    for (int i = 0; i < plan.warmup; ++i) backend.time_s(work, cold);
    std::vector<double> samples;
    std::vector<ClockReading> clocks;
    double spent = 0;
    const auto count = [&] { return static_cast<int>(samples.size()); };
    // Looking at the interval after each sample costs little and stops as soon as it may.
    while (count() < plan.max_samples) {
        const double sample = backend.time_s(work, cold);
        samples.push_back(sample);
        spent += sample;
        if (count() % samples_a_clock == 0) clocks.push_back(backend.clocks());
        if (count() < plan.min_samples) {
            // A case far slower than its budget need not take all the samples asked for.
            if (count() >= 3 && spent > 4 * plan.max_seconds) break;
            continue;
        }
        if (spent >= plan.max_seconds || known_well_enough(summarize(samples), plan.target_ci))
            break;
    }
    TimeStats stats = summarize(std::move(samples));
    clocks.push_back(backend.clocks());
    stats.clocks = together(clocks);
    return stats;
}

std::vector<double> time_steps(Backend& backend, const CaseBuffers& buffers,
                               const TimingPlan& plan) {
    constexpr int most_samples = 5;
    const double budget = plan.max_seconds / static_cast<double>(2 * buffers.kernel->steps.size());
    std::vector<double> medians;
    for (std::size_t step = 0; step < buffers.kernel->steps.size(); ++step) {
        std::vector<double> samples;
        double spent = 0;
        while (static_cast<int>(samples.size()) < most_samples &&
               (samples.empty() || spent < budget)) {
            // Each time anew: a step may work in place.
            for (std::size_t before = 0; before < step; ++before) backend.run(buffers.step(before));
            samples.push_back(backend.time_s(buffers.step(step), true));
            spent += samples.back();
        }
        medians.push_back(summarize(std::move(samples)).median_s);
    }
    return medians;
}

}  // namespace attnroof
