// Reading ahead for step 1: all blocks bring what they need next of Q and K into L2 at one moment.
//
// A read in the middle of a flood of stores turns an HBM channel from writing to reading and back,
// which takes longer than some ten lines. Reads that come at one moment share the turn: on an H200,
// stores of S with every line of Q and K read once beside them reach .77 .79 .83 .86 of the write
// ceiling (head_dim 64; 2048, 4096, 8192 and 16384 keys) when the reads are spread and .88 .90 .92
// .93 in bursts of 16 MB (attnroof_naive_bench). A burst must be used up soon, or the stores drive
// it out of L2 again: hence small sections, and reading ahead by half of one.
#pragma once

#include "kernels/cuda/naive/sm90_scores_work.cuh"
#include "kernels/cuda/ptx/l2.cuh"
#include "kernels/cuda/ptx/tma.cuh"

namespace attnroof::cuda::naive_sm90 {

/// Q tiles that come together, and how many of the section before are left when they are fetched.
inline constexpr int section_tiles = 8, section_lead = 4;

/// Where the blocks of a launch meet. The last to leave puts it back. Nothing depends on it but
/// time: who waits in vain stops when its own work has gone on.
struct ScoresMeeting {
    unsigned arrived, left;
};

/// Tells that Q tile `m` of a unit of `q_tiles` is about to be loaded: at one tile of each section
/// `begun` counts up.
__device__ __forceinline__ void tell_section(int* begun, int m, int q_tiles) {
    const int place = m % section_tiles, told = section_tiles - section_lead;
    if (place == told || (place < told && m + 1 == q_tiles)) atomicAdd(begun, 1);
}

/// Until every block has begun section `section`, counted from 1, or this one has gone past it.
__device__ __forceinline__ void meet(ScoresMeeting* meeting, int section, int* begun) {
    atomicAdd(&meeting->arrived, 1u);
    const unsigned all = gridDim.x * section;
    volatile const unsigned* arrived = &meeting->arrived;
    while (*arrived < all && atomicAdd(begun, 0) <= section) {
    }
}

__device__ __forceinline__ void leave(ScoresMeeting* meeting) {
    if (atomicAdd(&meeting->left, 1u) + 1 < gridDim.x) return;
    meeting->arrived = 0;
    meeting->left = 0;
    __threadfence();
}

/// This block's share of the section of Q that begins with the unit's tile `m`: those who have
/// other keys of the same head fetch the rest.
template <typename T>
__device__ __forceinline__ void fetch_q(const ScoresParams<typename T::Score>& p,
                                        const ScoresUnit& unit, int m, std::uint64_t l2_policy) {
    const int end = min(m + section_tiles, unit.q_tiles);
    for (int tile = m + unit.k; tile < end; tile += p.k_tiles)
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_prefetch_3d(&p.q, 64 * slab, (unit.m + tile) * scores_rows, unit.head,
                                 l2_policy);
}

template <typename T>
__device__ __forceinline__ void fetch_k(const ScoresParams<typename T::Score>& p,
                                        const ScoresUnit& unit, std::uint64_t l2_policy) {
#pragma unroll
    for (int group = 0; group < T::consumers; ++group)
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_prefetch_3d(&p.k, 64 * slab, unit.k * T::block_keys + group * T::group_keys,
                                 unit.head / p.group, l2_policy);
}

/// One thread's work, beside the producer, which counts `begun` up.
template <typename T>
__device__ __forceinline__ void read_ahead(const ScoresParams<typename T::Score>& p, int* begun) {
    const std::uint64_t kept = ptx::l2_evict_last();
    int section = 0;
    unsigned index = unit_of_round(0);
    for (unsigned round = 0; index < p.units; ++round) {
        const ScoresUnit unit = unit_at(p, index);
        index = unit_of_round(round + 1);
        for (int m = 0; m < unit.q_tiles; m += section_tiles) {
            ++section;
            while (atomicAdd(begun, 0) < section) __nanosleep(100);
            meet(p.meeting, section, begun);
            if (m + section_tiles < unit.q_tiles) {
                fetch_q<T>(p, unit, m + section_tiles, kept);
            } else if (index < p.units) {
                const ScoresUnit next = unit_at(p, index);
                fetch_k<T>(p, next, kept);
                fetch_q<T>(p, next, 0, kept);
            }
        }
    }
    leave(p.meeting);
}

}  // namespace attnroof::cuda::naive_sm90
