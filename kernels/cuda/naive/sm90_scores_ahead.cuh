// Reading ahead for step 1: all blocks bring what they need next of Q into L2 at one moment.
//
// A read in the middle of a flood of stores turns an HBM channel from writing to reading and back,
// which takes longer than the transfer of ten lines. Reads that come at one moment share the turn:
// on an H200, the stores of S with every line of Q and K read once beside them reach .78 .79 .84
// .86 of the write ceiling (head_dim 64; 2048, 4096, 8192 and 16384 keys) when the reads are spread
// and .88 .90 .92 .92 in bursts of 16 MB (attnroof_naive_bench).
//
// What is fetched must be used soon, or the stores drive it out of L2 and it is read twice: hence
// small sections, fetched half a section ahead. A unit's K tile and first section are left to the
// loads; to fetch them as well, 17 MB at once, was 3 % slower at head_dim 128 and 2048 keys.
#pragma once

#include "kernels/cuda/last_block.cuh"
#include "kernels/cuda/naive/sm90_scores_work.cuh"
#include "kernels/cuda/ptx/l2.cuh"
#include "kernels/cuda/ptx/tma.cuh"

namespace attnroof::cuda::naive_sm90 {

/// Q tiles that come together, and how many of the section before are left when they are fetched.
inline constexpr int section_tiles = 8, section_lead = 4;

/// Where the blocks of a launch meet. The last to leave puts it back, so one launch at a time may
/// use it. Nothing depends on it but time: who waits in vain goes on when its own work has.
struct ScoresMeeting {
    unsigned arrived, left;
};

/// One before each section of a unit but the first.
template <typename Score>
__device__ __forceinline__ int meetings_of_unit(const ScoresParams<Score>& p) {
    return (p.q_tiles - 1) / section_tiles;
}

/// The meetings that are due when this block is about to load Q tile `m` of round `round`.
template <typename Score>
__device__ __forceinline__ int meetings_due(const ScoresParams<Score>& p, int round, int m) {
    const int of_unit = meetings_of_unit(p);
    return round * of_unit + min((m + section_lead) / section_tiles, of_unit);
}

/// Waits until `all` have arrived at this meeting and those before, this block among them. False
/// when they have not by the time that meeting `number` + 1 is due.
__device__ __forceinline__ bool meet(ScoresMeeting* meeting, unsigned all, int number, int* due) {
    atomicAdd(&meeting->arrived, 1u);
    volatile const unsigned* arrived = &meeting->arrived;
    while (*arrived < all)
        if (atomicAdd(due, 0) > number) return false;
    return true;
}

__device__ __forceinline__ void leave(ScoresMeeting* meeting) {
    if (last_block_out(&meeting->left)) *meeting = {};
}

/// A block's place among those that have other keys of the same rows in the same round.
struct Sharing {
    int place, blocks;
};

template <typename Score>
__device__ __forceinline__ Sharing sharing(const ScoresParams<Score>& p, unsigned round,
                                           unsigned index) {
    const unsigned first_key = index - index % p.k_tiles;
    const unsigned first = max(round * gridDim.x, first_key);
    const unsigned end = min(min((round + 1) * gridDim.x, p.units), first_key + p.k_tiles);
    return {static_cast<int>(index - first), static_cast<int>(end - first)};
}

/// This block's share of the section of Q that begins with the unit's tile `m`.
template <typename T>
__device__ __forceinline__ void fetch_q(const ScoresParams<typename T::Score>& p,
                                        const ScoresUnit& unit, int m, const Sharing& sharing,
                                        std::uint64_t l2_policy) {
    const int end = min(m + section_tiles, unit.q_tiles);
    for (int tile = m + sharing.place; tile < end; tile += sharing.blocks)
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_prefetch_3d(&p.q, 64 * slab, (unit.m + tile) * scores_rows, unit.head,
                                 l2_policy);
}

/// One thread's work, beside the producer, which keeps `due` up.
template <typename T>
__device__ __forceinline__ void read_ahead(const ScoresParams<typename T::Score>& p, int* due) {
    const std::uint64_t held = ptx::l2_evict_last();
    const int of_unit = meetings_of_unit(p);
    unsigned index;
    for (unsigned round = 0; (index = unit_of_round(round)) < p.units; ++round) {
        const ScoresUnit unit = unit_at(p, index);
        const Sharing shared = sharing(p, round, index);
        const unsigned before = of_unit * round * gridDim.x;
        const unsigned blocks = min(gridDim.x, p.units - round * gridDim.x);
        for (int i = 1; i <= of_unit; ++i) {
            const int number = static_cast<int>(round) * of_unit + i;
            while (atomicAdd(due, 0) < number) __nanosleep(100);
            if (meet(p.meeting, before + i * blocks, number, due))
                fetch_q<T>(p, unit, i * section_tiles, shared, held);
        }
    }
    leave(p.meeting);
}

}  // namespace attnroof::cuda::naive_sm90
