// Is one set of times slower than another? Seeded, pure functions on numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace attnroof {

/// Samples of one side, a list for each process that took them.
using Processes = std::vector<std::vector<double>>;

struct Interval {
    double low = 0, high = 0;
};

enum class Change { same, faster, slower, unclear };

/// Medians of the two sides, and what the bootstrap says about their ratio.
struct TimeChange {
    double base_s = 0, new_s = 0;
    double ratio = 1;  // new / base: above 1 is slower
    Interval ratio_ci95;
    Change change = Change::same;
};

/// Fewer samples a side than this, over all its processes, decide nothing: the interval of a median
/// of five is [min, max] and holds 94 %.
inline constexpr std::size_t least_samples = 5;
inline constexpr int bootstrap_resamples = 1000;

/// The median of the processes' medians: each process counts once, however many samples it took.
double centre(const Processes& side);

/// Bootstrap in two stages (Davison and Hinkley, Bootstrap Methods, section 3.8): processes with
/// replacement, then samples within each, so that the spread between processes is in the interval
/// as soon as there are several. Slower: the 95 % interval of new - max(base * (1 + relative),
/// base + absolute) lies above 0. Faster: the same with the sides exchanged. Same: neither reaches
/// above 0. Else unclear. Every process holds a sample above 0.
TimeChange judge_time(const Processes& base, const Processes& fresh, double relative,
                      double absolute_s, std::uint64_t seed);

}  // namespace attnroof
