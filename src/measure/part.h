// A part of a problem that stands for the whole: its first heads.
#pragma once

#include "backend/counters.h"
#include "kernels/problem.h"

namespace attnroof {

/// Instructions are counted on at most this many scores: counting takes many times as long as
/// running, and a block's instructions do not depend on how many others there are.
inline constexpr std::int64_t most_counted_scores = std::int64_t{1} << 26;

struct Part {
    AttentionProblem problem;
    std::int64_t times = 1;  // parts in the whole
    std::int64_t heads = 1;  // query heads of the whole, over the batch

    bool whole() const { return times == 1; }
};

/// The largest part of `whole` with at most `most_scores` scores that divides it evenly: some of
/// the batch, or of one batch item some key/value heads with their query heads; one of these at
/// least. Its Q, K, V, O and LSE are the first bytes of the whole's.
Part part_of(const AttentionProblem& whole, std::int64_t most_scores = most_counted_scores);

/// What the whole executes, by what its part was counted to execute: `times` as much, with words
/// for it in `metric` ("8 * a.sum of 4 of 32 heads"). Heads are alike and independent, so this is
/// the whole's own count but for what a block does once for all its tiles and what depends on the
/// data. The same set where the part is the whole.
CounterSet of_whole(CounterSet counted, const Part& part);

}  // namespace attnroof
