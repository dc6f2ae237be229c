// naive, step 1 for Hopper: S = scale * Q K^T by TMA and wgmma, written once.
//
// A block is persistent. It keeps a K tile of 512 keys (256 at head_dim 256), half of it for each
// of two consumer warpgroups, and one producer thread streams Q tiles of 64 rows past it, all of a
// head's where there are heads enough (tiles_of_unit); each warpgroup stores what it multiplied. Q
// is read again for each K tile: a quarter of a byte from L2 for a byte of S at head_dim 128.
// Another thread reads Q ahead, together with those of the other blocks (sm90_scores_ahead.cuh).
//
// Neighbouring blocks keep neighbouring K tiles and walk down the same rows, so that what is being
// written at one time is a few stretches of whole rows, as when a buffer is filled in order.
//
// Ladder on an H200, bf16, 16k tokens, hidden 2048, share of the write ceiling (4.68 TB/s) at 2048,
// 4096, 8192 and 16384 keys (attnroof_naive_bench):
//   step                                            head_dim 64           head_dim 128
//   mma.sync, 128 x 128 tiles                       .75 .75 .78 .79       .63 .62 .62 .62
//   wgmma, 256 keys, each loaded every 2048 rows    .74 .77 .78 .78       .70 .74 .75 .76
//   512 keys, loaded once; each reads for itself    .77 .80 .82 .83       .72 .76 .82 .83
//   K tiles and sections of Q read together         .76 .80 .83 .83       .73 .78 .83 .83
//   a unit's K tile and first section left to the
//     loads; Q and K held in L2 (evict_last)        .79 .80 .82 .83       .79 .82 .83 .83
//     the same, each reading for itself             .77 .79 .83 .84       .74 .77 .81 .83
// What binds: the same stores with nothing read reach .86 .89 .92 .92 and .84 .87 .90 .91, with Q
// and K read once beside them .78 .79 .84 .86 and .78 .78 .80 .82 (spread) or .88 .90 .92 .92 and
// .86 .90 .92 .90 (16 MB at one moment; a share counts what is read as well). L2 hits cost nothing
// that can be measured, the products 2 % at head_dim 64 and up to 10 at 128. Tried without gain: Q
// by multicast in clusters of 2, 4 and 8; whole tiles staged and stored under the next product;
// storing warps of their own; TMA and bulk stores; deeper rings of Q; longer sections (16 to 64
// tiles), which stores drive out of L2 before they are used, even when held; K read as usual or
// evict_first; part of L2 set aside, which slows the stores; as few blocks as end together.
#pragma once

#include <climits>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/sm90_scores_ahead.cuh"
#include "kernels/cuda/naive/sm90_scores_work.cuh"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/warpgroup.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"
#include "kernels/cuda/ring.cuh"

namespace attnroof::cuda::naive_sm90 {

template <typename T>
struct ScoresShared {
    std::uint32_t base;

    __device__ __forceinline__ std::uint32_t k(int stage, int group) const {
        return base + (stage * T::consumers + group) * T::k_bytes;
    }
    __device__ __forceinline__ std::uint32_t q(int stage) const {
        return base + T::q_offset + stage * T::q_bytes;
    }
    __device__ __forceinline__ std::uint32_t staging(int warp) const {
        return base + T::staging_offset + warp * warp_staging_bytes;
    }
    __device__ __forceinline__ std::uint32_t k_full(int stage, int group) const {
        return barrier(stage * T::consumers + group);
    }
    __device__ __forceinline__ std::uint32_t k_empty(int stage, int group) const {
        return barrier((T::k_stages + stage) * T::consumers + group);
    }
    __device__ __forceinline__ std::uint32_t q_full(int stage) const {
        return barrier(2 * T::k_stages * T::consumers + stage);
    }
    __device__ __forceinline__ std::uint32_t q_empty(int stage) const {
        return barrier(2 * T::k_stages * T::consumers + T::q_stages + stage);
    }
    __device__ __forceinline__ void init_barriers() const {
        for (int i = 0; i < T::k_stages; ++i)
            for (int group = 0; group < T::consumers; ++group) {
                ptx::mbarrier_init(k_full(i, group), 1);
                ptx::mbarrier_init(k_empty(i, group), 1);
            }
        for (int i = 0; i < T::q_stages; ++i) {
            ptx::mbarrier_init(q_full(i), 1);
            ptx::mbarrier_init(q_empty(i), T::consumers);
        }
        ptx::mbarrier_init_fence();
    }

  private:
    __device__ __forceinline__ std::uint32_t barrier(int i) const {
        return base + T::barrier_offset + 8 * i;
    }
};

/// One thread's work: K tiles and Q tiles in the order in which the consumers want them.
/// `meetings` tells the one who reads ahead how far this is.
template <typename T>
__device__ __forceinline__ void produce_scores(const ScoresParams<typename T::Score>& p,
                                               const ScoresShared<T>& shared, int* meetings) {
    Ring<T::k_stages> k_ring;
    Ring<T::q_stages> q_ring;
    const std::uint64_t held = ptx::l2_evict_last();
    unsigned index;
    for (unsigned round = 0; (index = unit_of_round(round)) < p.units; ++round) {
        const ScoresUnit unit = unit_at(p, index);
        int m = first_q_tile(p, unit, unit.k * T::block_keys);
        if (m >= unit.q_tiles) continue;
#pragma unroll
        for (int group = 0; group < T::consumers; ++group) {
            const std::uint32_t k_full = shared.k_full(k_ring.stage, group);
            ptx::mbarrier_wait(shared.k_empty(k_ring.stage, group), k_ring.parity ^ 1);
            ptx::mbarrier_arrive_expect(k_full, T::k_bytes);
#pragma unroll
            for (int slab = 0; slab < T::slabs; ++slab)
                ptx::tma_load_3d(shared.k(k_ring.stage, group) + slab * T::k_slab_bytes, &p.k,
                                 k_full, 64 * slab, unit.k * T::block_keys + group * T::group_keys,
                                 unit.head / p.group, held);
        }
        k_ring.advance();
        for (; m < unit.q_tiles; ++m) {
            atomicExch(meetings, meetings_due(p, round, m));
            const std::uint32_t q_full = shared.q_full(q_ring.stage);
            ptx::mbarrier_wait(shared.q_empty(q_ring.stage), q_ring.parity ^ 1);
            ptx::mbarrier_arrive_expect(q_full, T::q_bytes);
#pragma unroll
            for (int slab = 0; slab < T::slabs; ++slab)
                ptx::tma_load_3d(shared.q(q_ring.stage) + slab * T::q_slab_bytes, &p.q, q_full,
                                 64 * slab, (unit.m + m) * scores_rows, unit.head, held);
            q_ring.advance();
        }
    }
    atomicExch(meetings, INT_MAX);
}

/// s = Q K^T of one tile, by a warpgroup.
template <typename T>
__device__ __forceinline__ void multiply_scores(float (&s)[T::group_keys / 2], std::uint32_t q_tile,
                                                std::uint32_t k_tile) {
    const std::uint64_t q = ptx::wgmma_descriptor(q_tile, 16);
    const std::uint64_t k = ptx::wgmma_descriptor(k_tile, 16);
    ptx::wgmma_pin(s);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < T::steps; ++step)
        ptx::Wgmma<typename T::Element, T::group_keys>::ss(
            s, q + step / 4 * (T::q_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row,
            k + step / 4 * (T::k_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row, step > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(s);
}

/// Consumer warpgroup `group`: its half of each K tile, past every Q tile.
template <typename T>
__device__ __forceinline__ void consume_scores(const ScoresParams<typename T::Score>& p,
                                               const ScoresShared<T>& shared, int group) {
    const bool leads = threadIdx.x % 128 == 0;
    const int first_row = threadIdx.x % 128 / 32 * 16;  // this warp's, of a tile
    const typename T::Writer writer(p.target, shared.staging(threadIdx.x / 32));
    Ring<T::k_stages> k_ring;
    Ring<T::q_stages> q_ring;
    unsigned index;
    for (unsigned round = 0; (index = unit_of_round(round)) < p.units; ++round) {
        const ScoresUnit unit = unit_at(p, index);
        const int key = unit.k * T::block_keys + group * T::group_keys;
        int m = first_q_tile(p, unit, unit.k * T::block_keys);
        if (m >= unit.q_tiles) continue;
        const int first_seen = first_q_tile(p, unit, key);
        ptx::mbarrier_wait(shared.k_full(k_ring.stage, group), k_ring.parity);
        for (; m < unit.q_tiles; ++m) {
            ptx::mbarrier_wait(shared.q_full(q_ring.stage), q_ring.parity);
            if (m >= first_seen) {
                float s[T::group_keys / 2];
                multiply_scores<T>(s, shared.q(q_ring.stage), shared.k(k_ring.stage, group));
                if (leads) ptx::mbarrier_arrive(shared.q_empty(q_ring.stage));
                writer.store(s, unit.head, (unit.m + m) * scores_rows + first_row, key);
            } else {
                ptx::named_barrier_sync(1 + group, 128);  // all four warps have seen the tile come
                if (leads) ptx::mbarrier_arrive(shared.q_empty(q_ring.stage));
            }
            q_ring.advance();
        }
        if (leads) ptx::mbarrier_arrive(shared.k_empty(k_ring.stage, group));
        k_ring.advance();
    }
}

template <typename T>
__global__ void __launch_bounds__(T::threads, 1)
    scores_kernel(const __grid_constant__ ScoresParams<typename T::Score> p) {
    extern __shared__ std::uint8_t raw[];
    __shared__ int meetings;  // that are due
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const ScoresShared<T> shared{(unaligned + 1023) & ~1023u};
    if (threadIdx.x == 0) {
        meetings = 0;
        shared.init_barriers();
        ptx::tma_prefetch_map(&p.q);
        ptx::tma_prefetch_map(&p.k);
    }
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup == T::consumers) {
        ptx::setmaxnreg_dec<T::producer_registers>();
        if (threadIdx.x == 128 * T::consumers)
            produce_scores<T>(p, shared, &meetings);
        else if (p.meeting != nullptr && threadIdx.x == 128 * T::consumers + 32)
            read_ahead<T>(p, &meetings);
    } else {
        ptx::setmaxnreg_inc<T::consumer_registers>();
        consume_scores<T>(p, shared, warpgroup);
    }
}

/// Zero at load, put back to zero by every launch that uses it.
template <typename T>
__device__ ScoresMeeting scores_meeting;

template <typename T>
ScoresParams<typename T::Score> make_scores_params(const LaunchArgs& args, const Options& options) {
    using Score = typename T::Score;
    const AttentionProblem& a = args.problem;
    const std::int64_t heads = a.batch * a.heads, kv_heads = a.batch * a.kv_heads;
    ScoresParams<Score> p{};
    p.q = make_tensor_map(args.q, a.dtype, a.head_dim, a.q_len, heads, scores_rows);
    p.k = make_tensor_map(args.k, a.dtype, a.head_dim, a.kv_len, kv_heads, T::group_keys);
    p.target.s = static_cast<Score*>(args.workspace);
    p.target.pitch = score_pitch(a);
    p.target.q_len = static_cast<int>(a.q_len);
    p.target.scale = static_cast<float>(a.scale());
    p.m_tiles = static_cast<int>(ceil_div(a.q_len, scores_rows));
    p.k_tiles = static_cast<int>(ceil_div(a.kv_len, T::block_keys));
    p.q_tiles = static_cast<int>(tiles_of_unit(
        p.m_tiles, heads * p.k_tiles, current_device_attribute(cudaDevAttrMultiProcessorCount)));
    p.m_units = static_cast<int>(ceil_div(p.m_tiles, p.q_tiles));
    p.units = grid_x(heads * p.m_units * p.k_tiles);
    p.group = static_cast<int>(a.heads / a.kv_heads);
    p.visible = visible_keys_of(a, options.skip);
    if (options.read_together && !options.skip) {
        void* meeting = nullptr;
        ATTNROOF_CUDA_CHECK(cudaGetSymbolAddress(&meeting, scores_meeting<T>));
        p.meeting = static_cast<ScoresMeeting*>(meeting);
    }
    return p;
}

template <typename T>
void launch_scores(const LaunchArgs& args, const Options& options) {
    const auto p = make_scores_params<T>(args, options);
    allow_shared_memory(scores_kernel<T>, T::shared_bytes);
    scores_kernel<T><<<blocks_for(p.units), T::threads, T::shared_bytes,
                       static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive scores (sm90)");
}

}  // namespace attnroof::cuda::naive_sm90
