// Seams inside the sm90 naive kernel: its options, and one function a step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/division.h"
#include "kernels/launch.h"

#ifdef __CUDACC__
#define ATTNROOF_HOST_DEVICE __host__ __device__
#else
#define ATTNROOF_HOST_DEVICE
#endif

namespace attnroof::cuda::naive_sm90 {

/// A tile of step 1: rows of Q, and the keys of one of a block's two consumer warpgroups.
inline constexpr int scores_rows = 64;
constexpr int scores_keys(std::int64_t head_dim) { return head_dim <= 128 ? 256 : 128; }

/// Q tiles that a block of step 1 takes past one K tile. All `m_tiles` of a head, so that the K
/// tile is loaded once; fewer where parts that long would leave some of `blocks` idle at the end.
/// `k_tiles` counts those of all heads.
constexpr std::int64_t tiles_of_unit(std::int64_t m_tiles, std::int64_t k_tiles,
                                     std::int64_t blocks) {
    constexpr std::int64_t switching = 2;  // what a new K tile costs, in Q tiles
    std::int64_t best = m_tiles, least = 0;
    for (std::int64_t parts = 1; parts <= std::min(m_tiles, blocks); ++parts) {
        const std::int64_t tiles = ceil_div(m_tiles, parts);
        const std::int64_t units = ceil_div(m_tiles, tiles) * k_tiles;
        const std::int64_t time = ceil_div(units, blocks) * (tiles + switching);
        if (parts == 1 || time < least) {
            least = time;
            best = tiles;
        }
    }
    return best;
}

/// Rows that a block of step 3 works on, 64 a consumer warpgroup: as many as fit, since V is read
/// again for each block. And the keys of one of its pipeline's stages.
constexpr int output_rows(std::int64_t head_dim) { return head_dim <= 128 ? 256 : 128; }
inline constexpr int output_keys = 64;

struct Options {
    bool fp32_scores = false;  // S in fp32, P in the problem's dtype over the first half of its row
    bool skip = false;         // leaves out what lies above the diagonal, a tile at a time
    bool read_together = true;  // step 1's blocks bring Q into L2 at the same moments
};

/// How many keys a block of rows deals with.
struct VisibleKeys {
    int kv_len, causal_offset;  // row i sees keys up to i + causal_offset
    bool skip;

    /// Keys that any row below `row` sees, or all.
    ATTNROOF_HOST_DEVICE int of_rows_below(int row) const {
        if (!skip) return kv_len;
        const int keys = row + causal_offset;
        return keys < 0 ? 0 : (keys < kv_len ? keys : kv_len);
    }
};

inline VisibleKeys visible_keys_of(const AttentionProblem& problem, bool skip) {
    return {static_cast<int>(problem.kv_len), static_cast<int>(problem.kv_len - problem.q_len),
            skip};
}

/// Blocks that share `units` of work: one on every multiprocessor, if there is enough for each.
unsigned blocks_for(std::int64_t units);

void scores(const LaunchArgs& args, const Options& options);
void output(const LaunchArgs& args, const Options& options);

}  // namespace attnroof::cuda::naive_sm90
