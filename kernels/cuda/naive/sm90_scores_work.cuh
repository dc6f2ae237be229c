// The work of step 1: tile shapes, units of work, and which block takes which unit.
#pragma once

#include <cstdint>

#include "kernels/cuda/naive/sm90.h"
#include "kernels/cuda/naive/sm90_scores_store.cuh"
#include "kernels/cuda/tensor_map.h"

namespace attnroof::cuda::naive_sm90 {

/// One compile-time choice. HeadDim is the padded head_dim; Writer<Score, keys> takes a warp's
/// scores.
template <typename Element_, typename Score_, int HeadDim,
          template <typename, int> typename Writer_ = ScoresWriter>
struct ScoresTile {
    using Element = Element_;
    using Score = Score_;
    static constexpr int consumers = 2;  // a third would leave fewer registers than a tile needs
    static constexpr int threads = 128 * (consumers + 1);
    static constexpr int producer_registers = 56, consumer_registers = 224;
    static constexpr int group_keys = scores_keys(HeadDim), block_keys = consumers * group_keys;
    using Writer = Writer_<Score, group_keys>;
    static constexpr int slabs = HeadDim / 64, steps = HeadDim / 16;
    static constexpr int q_slab_bytes = scores_rows * 128, k_slab_bytes = group_keys * 128;
    static constexpr int q_bytes = slabs * q_slab_bytes, k_bytes = slabs * k_slab_bytes;
    static constexpr int k_stages = HeadDim <= 64 ? 2 : 1;
    static constexpr int q_stages = HeadDim <= 128 ? 4 : 2;
    static constexpr int q_offset = k_stages * consumers * k_bytes;
    static constexpr int staging_offset = q_offset + q_stages * q_bytes;
    static constexpr int barrier_offset = staging_offset + 4 * consumers * warp_staging_bytes;
    static constexpr int shared_bytes =
        barrier_offset + 2 * (k_stages * consumers + q_stages) * 8 + 1024;  // slack to align
    static_assert(shared_bytes + 16 <= 227 * 1024);
};

struct ScoresMeeting;

template <typename Score>
struct ScoresParams {
    CUtensorMap q, k;  // 3-D {head_dim, length, batch * heads}
    ScoresTarget<Score> target;
    ScoresMeeting* meeting;  // null: nothing is read ahead
    int m_tiles, k_tiles;    // of a head: Q tiles, and K tiles of block_keys
    int q_tiles, m_units;    // Q tiles of a unit, and such parts of a head
    unsigned units;          // batch * heads * m_units * k_tiles
    int group;               // query heads that share one key/value head
    VisibleKeys visible;
};

/// Tiles [m, m + q_tiles) of Q past K tile `k`.
struct ScoresUnit {
    int head, m, q_tiles, k;
};

/// The unit that this block takes in round `round`, none from `units` up. Neighbouring blocks keep
/// neighbouring K tiles of the same rows. Every other round goes backwards: under a causal mask
/// that skips, who had the longest column of tiles gets the shortest.
__device__ __forceinline__ unsigned unit_of_round(unsigned round) {
    const unsigned place = round % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
    return round * gridDim.x + place;
}

template <typename Score>
__device__ __forceinline__ ScoresUnit unit_at(const ScoresParams<Score>& p, unsigned index) {
    const auto k_tiles = static_cast<unsigned>(p.k_tiles);
    const unsigned of_head = p.m_units * k_tiles, rest = index % of_head;
    ScoresUnit unit;
    unit.head = static_cast<int>(index / of_head);
    unit.m = static_cast<int>(rest / k_tiles) * p.q_tiles;
    unit.q_tiles = min(p.q_tiles, p.m_tiles - unit.m);
    unit.k = static_cast<int>(rest % k_tiles);
    return unit;
}

/// The unit's first Q tile, counted from 0, that sees `key` or one behind it.
template <typename Score>
__device__ __forceinline__ int first_q_tile(const ScoresParams<Score>& p, const ScoresUnit& unit,
                                            int key) {
    if (!p.visible.skip) return 0;
    return max((key - p.visible.causal_offset) / scores_rows - unit.m, 0);
}

}  // namespace attnroof::cuda::naive_sm90
