// naive, step 1 for Hopper: S = scale * Q K^T by TMA and wgmma, written once.
//
// A block is persistent. It keeps a K tile of 256 keys, and one producer thread streams Q tiles of
// 64 rows past it; two consumer warpgroups take the Q tiles in turn, each storing what it
// multiplied. Q is read again for each K tile: half a byte from L2 for a byte of S at head_dim 128.
//
// Neighbouring blocks keep neighbouring K tiles and walk down the same rows, so that what is being
// written at one time is a few stretches of whole rows, as when a buffer is filled in order.
//
// Ladder on an H200, bf16, 16k tokens, hidden 2048, share of the write ceiling (4.67 TB/s) at 2048,
// 4096, 8192 and 16384 keys (attnroof_naive_bench):
//   step                                            head_dim 64           head_dim 128
//   mma.sync, 128 x 128 tiles                       .76 .76 .78 .80       .63 .55 .54 .56
//   wgmma, TMA stores of 128 bytes a row            .70 .72 .73 .72       .69 .69 .69 .70
//   rows stored whole by the warps                  .75 .79 .79 .79       .72 .75 .77 .79
//   storing warps of their own, 96 KB staged: no
//     gain, not kept                                .75 .77 .78 .84       .71 .72 .76 .67
// What binds: the same stores in the same order with nothing else reach .95 .95 .94 .94, the
// products alone 1.8 times what the stores need at head_dim 64 and 1.1 to 1.4 at 128. With Q and K
// of one head for all, which then stay in L2, head_dim 64 reaches .92 .92 .90 .88: it is the 134 MB
// of Q and K, 1.5 to 6 % of the bytes, that cost HBM a tenth of its time by turning it from writing
// to reading. Bringing them in bursts of 2 to 16 MB ahead did not help.
#pragma once

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/sm90.h"
#include "kernels/cuda/naive/sm90_scores_store.cuh"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/warpgroup.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"
#include "kernels/cuda/ring.cuh"
#include "kernels/cuda/tensor_map.h"

namespace attnroof::cuda::naive_sm90 {

/// One compile-time choice. HeadDim is the padded head_dim; Writer takes a warp's scores, which it
/// stores as Writer::Score.
template <typename Element_, typename Writer_, int HeadDim>
struct ScoresTile {
    using Element = Element_;
    using Writer = Writer_;
    using Score = typename Writer::Score;
    static constexpr int consumers = 2;  // a third would leave fewer registers than a tile needs
    static constexpr int threads = 128 * (consumers + 1);
    static constexpr int producer_registers = 24, consumer_registers = 240;
    static constexpr int slabs = HeadDim / 64, steps = HeadDim / 16;
    static constexpr int q_slab_bytes = scores_rows * 128, k_slab_bytes = scores_keys * 128;
    static constexpr int q_bytes = slabs * q_slab_bytes, k_bytes = slabs * k_slab_bytes;
    static constexpr int k_stages = HeadDim <= 128 ? 2 : 1;
    static constexpr int q_stages = HeadDim <= 128 ? 2 * consumers : consumers;
    static constexpr int q_offset = k_stages * k_bytes;
    static constexpr int staging_offset = q_offset + q_stages * q_bytes;
    static constexpr int barrier_offset = staging_offset + 4 * consumers * warp_staging_bytes;
    static constexpr int shared_bytes =
        barrier_offset + 2 * (k_stages + q_stages) * 8 + 1024;  // slack to align
    static_assert(shared_bytes <= 227 * 1024);
};

template <typename Score>
struct ScoresParams {
    CUtensorMap q, k;  // 3-D {head_dim, length, batch * heads}
    ScoresTarget<Score> target;
    ScoresSchedule schedule;
    int m_tiles, k_tiles, m_units, k_units;
    std::int64_t units;  // heads * m_units * k_units
    int group;           // query heads that share one key/value head
    VisibleKeys visible;
};

/// Tiles [m, m + q_tiles) of Q past each of [k, k + k_tiles) of K.
struct ScoresUnit {
    int head, m, q_tiles, k, k_tiles;
};

template <typename Score>
__device__ __forceinline__ ScoresUnit scores_unit(const ScoresParams<Score>& p,
                                                  std::int64_t index) {
    const std::int64_t of_head = static_cast<std::int64_t>(p.m_units) * p.k_units;
    const std::int64_t rest = index % of_head;
    const bool keys_first = p.schedule.keys_first;
    ScoresUnit unit;
    unit.head = static_cast<int>(index / of_head);
    unit.m = static_cast<int>(keys_first ? rest / p.k_units : rest % p.m_units);
    unit.k = static_cast<int>(keys_first ? rest % p.k_units : rest / p.m_units);
    unit.m *= p.schedule.q_tiles;
    unit.k *= p.schedule.k_tiles;
    unit.q_tiles = min(p.schedule.q_tiles, p.m_tiles - unit.m);
    unit.k_tiles = min(p.schedule.k_tiles, p.k_tiles - unit.k);
    return unit;
}

/// The unit's first Q tile that sees any key of K tile `k`, from 0.
template <typename Score>
__device__ __forceinline__ int first_q_tile(const ScoresParams<Score>& p, const ScoresUnit& unit,
                                            int k) {
    if (!p.visible.skip) return 0;
    return max((k * scores_keys - p.visible.causal_offset) / scores_rows - unit.m, 0);
}

template <typename T>
struct ScoresShared {
    std::uint32_t base;

    __device__ __forceinline__ std::uint32_t k(int stage) const {
        return base + stage * T::k_bytes;
    }
    __device__ __forceinline__ std::uint32_t q(int stage) const {
        return base + T::q_offset + stage * T::q_bytes;
    }
    __device__ __forceinline__ std::uint32_t staging(int warp) const {
        return base + T::staging_offset + warp * warp_staging_bytes;
    }
    __device__ __forceinline__ std::uint32_t k_full(int stage) const { return barrier(stage); }
    __device__ __forceinline__ std::uint32_t k_empty(int stage) const {
        return barrier(T::k_stages + stage);
    }
    __device__ __forceinline__ std::uint32_t q_full(int stage) const {
        return barrier(2 * T::k_stages + stage);
    }
    __device__ __forceinline__ std::uint32_t q_empty(int stage) const {
        return barrier(2 * T::k_stages + T::q_stages + stage);
    }
    __device__ __forceinline__ void init_barriers() const {
        for (int i = 0; i < T::k_stages; ++i) {
            ptx::mbarrier_init(k_full(i), 1);
            ptx::mbarrier_init(k_empty(i), T::consumers);
        }
        for (int i = 0; i < T::q_stages; ++i) {
            ptx::mbarrier_init(q_full(i), 1);
            ptx::mbarrier_init(q_empty(i), 1);  // a Q tile is one warpgroup's
        }
        ptx::mbarrier_init_fence();
    }

  private:
    __device__ __forceinline__ std::uint32_t barrier(int i) const {
        return base + T::barrier_offset + 8 * i;
    }
};

template <typename T>
__device__ __forceinline__ void produce_scores(const ScoresParams<typename T::Score>& p,
                                               const ScoresShared<T>& shared) {
    Ring<T::k_stages> k_ring;
    Ring<T::q_stages> q_ring;
    const std::uint64_t usual = ptx::l2_evict_normal();
    for (std::int64_t index = blockIdx.x; index < p.units; index += gridDim.x) {
        const ScoresUnit unit = scores_unit(p, index);
        for (int k = unit.k; k < unit.k + unit.k_tiles; ++k) {
            int m = first_q_tile(p, unit, k);
            if (m >= unit.q_tiles) continue;
            const std::uint32_t k_full = shared.k_full(k_ring.stage);
            ptx::mbarrier_wait(shared.k_empty(k_ring.stage), k_ring.parity ^ 1);
            ptx::mbarrier_arrive_expect(k_full, T::k_bytes);
#pragma unroll
            for (int slab = 0; slab < T::slabs; ++slab)
                ptx::tma_load_3d(shared.k(k_ring.stage) + slab * T::k_slab_bytes, &p.k, k_full,
                                 64 * slab, k * scores_keys, unit.head / p.group, usual);
            k_ring.advance();
            for (; m < unit.q_tiles; ++m) {
                const std::uint32_t q_full = shared.q_full(q_ring.stage);
                ptx::mbarrier_wait(shared.q_empty(q_ring.stage), q_ring.parity ^ 1);
                ptx::mbarrier_arrive_expect(q_full, T::q_bytes);
#pragma unroll
                for (int slab = 0; slab < T::slabs; ++slab)
                    ptx::tma_load_3d(shared.q(q_ring.stage) + slab * T::q_slab_bytes, &p.q, q_full,
                                     64 * slab, (unit.m + m) * scores_rows, unit.head, usual);
                q_ring.advance();
            }
        }
    }
}

/// s = Q K^T of one tile, by a warpgroup.
template <typename T>
__device__ __forceinline__ void multiply_scores(float (&s)[scores_keys / 2], std::uint32_t q_tile,
                                                std::uint32_t k_tile) {
    const std::uint64_t q = ptx::wgmma_descriptor(q_tile, 16);
    const std::uint64_t k = ptx::wgmma_descriptor(k_tile, 16);
    ptx::wgmma_pin(s);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < T::steps; ++step)
        ptx::Wgmma<typename T::Element, scores_keys>::ss(
            s, q + step / 4 * (T::q_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row,
            k + step / 4 * (T::k_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row, step > 0);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(s);
}

/// Consumer warpgroup `group`: every T::consumers-th Q tile.
template <typename T>
__device__ __forceinline__ void consume_scores(const ScoresParams<typename T::Score>& p,
                                               const ScoresShared<T>& shared, int group) {
    const bool leads = threadIdx.x % 128 == 0;
    const int first_row = threadIdx.x % 128 / 32 * 16;  // this warp's, of a tile
    const typename T::Writer writer(
        p.target, shared.staging(threadIdx.x / 32),
        p.schedule.evict_first ? ptx::l2_evict_first() : ptx::l2_evict_normal());
    Ring<T::k_stages> k_ring;
    Ring<T::q_stages> q_ring;
    int turn = 0;
    for (std::int64_t index = blockIdx.x; index < p.units; index += gridDim.x) {
        const ScoresUnit unit = scores_unit(p, index);
        for (int k = unit.k; k < unit.k + unit.k_tiles; ++k) {
            int m = first_q_tile(p, unit, k);
            if (m >= unit.q_tiles) continue;
            ptx::mbarrier_wait(shared.k_full(k_ring.stage), k_ring.parity);
            for (; m < unit.q_tiles; ++m) {
                if (turn == group) {
                    float s[scores_keys / 2];
                    ptx::mbarrier_wait(shared.q_full(q_ring.stage), q_ring.parity);
                    multiply_scores<T>(s, shared.q(q_ring.stage), shared.k(k_ring.stage));
                    if (leads) ptx::mbarrier_arrive(shared.q_empty(q_ring.stage));
                    writer.store(s, unit.head, (unit.m + m) * scores_rows + first_row,
                                 k * scores_keys);
                }
                turn = turn + 1 == T::consumers ? 0 : turn + 1;
                q_ring.advance();
            }
            if (leads) ptx::mbarrier_arrive(shared.k_empty(k_ring.stage));
            k_ring.advance();
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(T::threads, 1)
    scores_kernel(const __grid_constant__ ScoresParams<typename T::Score> p) {
    extern __shared__ std::uint8_t raw[];
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const ScoresShared<T> shared{(unaligned + 1023) & ~1023u};
    if (threadIdx.x == 0) {
        shared.init_barriers();
        ptx::tma_prefetch_map(&p.q);
        ptx::tma_prefetch_map(&p.k);
    }
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup == T::consumers) {
        ptx::setmaxnreg_dec<T::producer_registers>();
        if (threadIdx.x == 128 * T::consumers) produce_scores<T>(p, shared);
    } else {
        ptx::setmaxnreg_inc<T::consumer_registers>();
        consume_scores<T>(p, shared, warpgroup);
    }
}

template <typename T>
ScoresParams<typename T::Score> make_scores_params(const LaunchArgs& args, const Options& options) {
    using Score = typename T::Score;
    const AttentionProblem& a = args.problem;
    const std::int64_t heads = a.batch * a.heads, kv_heads = a.batch * a.kv_heads;
    const std::int64_t pitch = score_pitch(a);
    ScoresParams<Score> p{};
    p.q = make_tensor_map(args.q, a.dtype, a.head_dim, a.q_len, heads, scores_rows);
    p.k = make_tensor_map(args.k, a.dtype, a.head_dim, a.kv_len, kv_heads, scores_keys);
    p.target.s = static_cast<Score*>(args.workspace);
    p.target.pitch = pitch;
    p.target.q_len = static_cast<int>(a.q_len);
    p.target.scale = static_cast<float>(a.scale());
    p.schedule = options.schedule;
    p.m_tiles = static_cast<int>(ceil_div(a.q_len, scores_rows));
    p.k_tiles = static_cast<int>(ceil_div(a.kv_len, scores_keys));
    p.m_units = static_cast<int>(ceil_div(p.m_tiles, p.schedule.q_tiles));
    p.k_units = static_cast<int>(ceil_div(p.k_tiles, p.schedule.k_tiles));
    p.units = heads * p.m_units * p.k_units;
    p.group = static_cast<int>(a.heads / a.kv_heads);
    p.visible = visible_keys_of(a, options.skip);
    return p;
}

template <typename T>
void launch_scores(const LaunchArgs& args, const Options& options) {
    const auto p = make_scores_params<T>(args, options);
    allow_shared_memory(scores_kernel<T>, T::shared_bytes);
    scores_kernel<T><<<blocks_for(p.units, options), T::threads, T::shared_bytes,
                       static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive scores (sm90)");
}

}  // namespace attnroof::cuda::naive_sm90
