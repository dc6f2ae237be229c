// naive, step 1 for Hopper: S = scale * Q K^T by TMA and wgmma, written once.
//
// A block is persistent. Its unit of work is a stretch of K tiles past one Q tile of 64 rows for
// each consumer warpgroup: one producer thread loads Q once and streams K, the consumers multiply,
// and each stores its 64 rows through two staging buffers of its own, so that one is on its way to
// memory while the other is filled. The rows of Q are many so that K, which every Q tile reads
// again, costs L2 half of what S costs HBM (head_dim 128, 256 rows).
//
// Measured on an H200, bf16, head_dim 128, 8192 keys, 16k tokens, bytes through HBM: 2.88 TB/s with
// mma.sync, 3.16 here (0.68 of the write ceiling). The stores bind, not the products: without them
// it runs at 655 TFLOP/s, as fast as 5.3 TB/s of S would need. Neither the order of the tiles nor
// the length of the stretches moves that.
#pragma once

#include <algorithm>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/sm90.h"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ptx/mma.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/warpgroup.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"
#include "kernels/cuda/ring.cuh"
#include "kernels/cuda/tensor_map.h"

namespace attnroof::cuda::naive_sm90 {

/// One compile-time choice. HeadDim is the padded head_dim.
template <typename Element_, int HeadDim>
struct ScoresTile {
    using Element = Element_;
    static constexpr int consumers = block_rows(HeadDim) / 64;
    static constexpr int threads = 128 * (consumers + 1);
    static constexpr int block_m = 64 * consumers, block_n = 128;
    static constexpr int slabs = HeadDim / 64, steps = HeadDim / 16;
    static constexpr int box_columns = 64;               // of a staging buffer
    static constexpr int boxes = block_n / box_columns;  // of a warpgroup's tile
    static constexpr int q_bytes = block_m * HeadDim * 2, k_bytes = block_n * HeadDim * 2;
    static constexpr int box_bytes = 64 * 128, staging_bytes = consumers * 2 * box_bytes;
    static constexpr int stages = 2;
    static constexpr int k_offset = q_bytes, staging_offset = k_offset + stages * k_bytes;
    static constexpr int barrier_offset = staging_offset + staging_bytes;
    static constexpr int shared_bytes = barrier_offset + (2 + 2 * stages) * 8 + 1024;  // to align
    static_assert(shared_bytes <= 227 * 1024);
};

struct ScoresParams {
    CUtensorMap q, k, s;  // 3-D {head_dim or keys, length, batch * heads}
    float scale;
    int m_tiles, k_tiles, segments, segment_tiles;
    std::int64_t units;  // heads * segments * m_tiles
    int group;           // query heads that share one key/value head
};

/// K tiles [first, first + tiles) of one Q tile. The Q tiles of a head follow each other, so that
/// blocks at work together read the same K from L2.
struct ScoresUnit {
    int m, head, first, tiles;
};

template <typename T>
__device__ __forceinline__ ScoresUnit scores_unit(const ScoresParams& p, std::int64_t index) {
    ScoresUnit unit;
    unit.m = static_cast<int>(index % p.m_tiles);
    unit.first = static_cast<int>(index / p.m_tiles % p.segments) * p.segment_tiles;
    unit.head = static_cast<int>(index / p.m_tiles / p.segments);
    unit.tiles = min(p.k_tiles - unit.first, p.segment_tiles);
    return unit;
}

template <typename T>
struct ScoresShared {
    std::uint32_t base;

    __device__ __forceinline__ std::uint32_t q() const { return base; }
    __device__ __forceinline__ std::uint32_t k(int stage) const {
        return base + T::k_offset + stage * T::k_bytes;
    }
    __device__ __forceinline__ std::uint32_t staging(int warpgroup, int buffer) const {
        return base + T::staging_offset + (2 * warpgroup + buffer) * T::box_bytes;
    }
    __device__ __forceinline__ std::uint32_t q_full() const { return barrier(0); }
    __device__ __forceinline__ std::uint32_t q_empty() const { return barrier(1); }
    __device__ __forceinline__ std::uint32_t k_full(int stage) const { return barrier(2 + stage); }
    __device__ __forceinline__ std::uint32_t k_empty(int stage) const {
        return barrier(2 + T::stages + stage);
    }
    __device__ __forceinline__ void init_barriers() const {
        ptx::mbarrier_init(q_full(), 1);
        ptx::mbarrier_init(q_empty(), T::consumers);
        for (int i = 0; i < T::stages; ++i) {
            ptx::mbarrier_init(k_full(i), 1);
            ptx::mbarrier_init(k_empty(i), T::consumers);
        }
        ptx::mbarrier_init_fence();
    }

  private:
    __device__ __forceinline__ std::uint32_t barrier(int i) const {
        return base + T::barrier_offset + 8 * i;
    }
};

template <typename T>
__device__ __forceinline__ void produce_scores(const ScoresParams& p,
                                               const ScoresShared<T>& shared) {
    Ring<1> q_ring;
    Ring<T::stages> k_ring;
    const std::uint64_t usual = ptx::l2_evict_normal();
    const auto load_k = [&](int tile, int kv_head) {
        ptx::mbarrier_wait(shared.k_empty(k_ring.stage), k_ring.parity ^ 1);
        ptx::mbarrier_arrive_expect(shared.k_full(k_ring.stage), T::k_bytes);
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_load_3d(shared.k(k_ring.stage) + slab * T::block_n * 128, &p.k,
                             shared.k_full(k_ring.stage), 64 * slab, tile * T::block_n, kv_head,
                             usual);
        k_ring.advance();
    };
    for (std::int64_t index = blockIdx.x; index < p.units; index += gridDim.x) {
        const ScoresUnit unit = scores_unit<T>(p, index);
        const int kv_head = unit.head / p.group;
        load_k(unit.first, kv_head);
        ptx::mbarrier_wait(shared.q_empty(), q_ring.parity ^ 1);
        ptx::mbarrier_arrive_expect(shared.q_full(), T::q_bytes);
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_load_3d(shared.q() + slab * T::block_m * 128, &p.q, shared.q_full(), 64 * slab,
                             unit.m * T::block_m, unit.head, usual);
        q_ring.advance();
        for (int i = 1; i < unit.tiles; ++i) load_k(unit.first + i, kv_head);
    }
}

/// One consumer warpgroup: 64 rows of S.
template <typename T>
struct ScoresConsumer {
    const ScoresParams& p;
    const ScoresShared<T>& shared;
    const int group, lane, row;  // row: this thread's first, within the warpgroup's 64

    __device__ __forceinline__ ScoresConsumer(const ScoresParams& params, const ScoresShared<T>& s,
                                              int warpgroup)
        : p(params),
          shared(s),
          group(warpgroup),
          lane(threadIdx.x % 32),
          row(16 * (threadIdx.x % 128 / 32) + lane / 4) {}

    __device__ __forceinline__ bool leads() const { return threadIdx.x % 128 == 0; }

    __device__ __forceinline__ void multiply(float (&s)[T::block_n / 2], int stage) const {
        const std::uint64_t q = ptx::wgmma_descriptor(shared.q() + 64 * group * 128, 16);
        const std::uint64_t k = ptx::wgmma_descriptor(shared.k(stage), 16);
        constexpr std::uint64_t q_slab = T::block_m * 128 >> 4, k_slab = T::block_n * 128 >> 4;
        ptx::wgmma_pin(s);
        ptx::wgmma_fence();
#pragma unroll
        for (int step = 0; step < T::steps; ++step)
            ptx::Wgmma<typename T::Element, T::block_n>::ss(
                s, q + step / 4 * q_slab + step % 4 * ptx::k_step_along_row,
                k + step / 4 * k_slab + step % 4 * ptx::k_step_along_row, step > 0);
        ptx::wgmma_commit();
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(s);
    }

    /// Writes columns [box * box_columns, ...) of the tile into a staging buffer, as TMA's swizzle
    /// has them: the 16-byte chunks of row r lie at chunk ^ (r & 7).
    __device__ __forceinline__ void stage(const float (&s)[T::block_n / 2], int box,
                                          std::uint32_t buffer) const {
        constexpr int tiles = T::box_columns / 8;  // of 8 columns, 4 accumulators
#pragma unroll
        for (int j = 0; j < tiles; ++j)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const float low = s[4 * (box * tiles + j) + 2 * r] * p.scale;
                const float high = s[4 * (box * tiles + j) + 2 * r + 1] * p.scale;
                const std::uint32_t line = buffer + (row + 8 * r) * 128;
                const int swizzle = row & 7;
                asm volatile(
                    "st.shared.b32 [%0], %1;\n" ::"r"(line + ((j ^ swizzle) << 4) + 4 * (lane % 4)),
                    "r"(ptx::pack<typename T::Element>(low, high))
                    : "memory");
            }
    }

    __device__ __forceinline__ void store(const float (&s)[T::block_n / 2], const ScoresUnit& unit,
                                          int tile) const {
#pragma unroll
        for (int box = 0; box < T::boxes; ++box) {
            const std::uint32_t buffer = shared.staging(group, box % 2);
            if (leads()) ptx::tma_store_wait_read<1>();  // the store before last used this buffer
            ptx::named_barrier_sync(1 + group, 128);
            stage(s, box, buffer);
            ptx::fence_async_proxy();
            ptx::named_barrier_sync(1 + group, 128);
            if (leads()) {
                ptx::tma_store_3d(&p.s, buffer, tile * T::block_n + box * T::box_columns,
                                  unit.m * T::block_m + 64 * group, unit.head,
                                  ptx::l2_evict_normal());
                ptx::tma_store_commit();
            }
        }
    }

    __device__ __forceinline__ void run() const {
        Ring<1> q_ring;
        Ring<T::stages> k_ring;
        for (std::int64_t index = blockIdx.x; index < p.units; index += gridDim.x) {
            const ScoresUnit unit = scores_unit<T>(p, index);
            ptx::mbarrier_wait(shared.q_full(), q_ring.parity);
            for (int i = 0; i < unit.tiles; ++i) {
                float s[T::block_n / 2];
                ptx::mbarrier_wait(shared.k_full(k_ring.stage), k_ring.parity);
                multiply(s, k_ring.stage);
                if (leads()) {
                    ptx::mbarrier_arrive(shared.k_empty(k_ring.stage));
                    if (i + 1 == unit.tiles) ptx::mbarrier_arrive(shared.q_empty());
                }
                k_ring.advance();
                store(s, unit, unit.first + i);
            }
            q_ring.advance();
        }
        if (leads()) ptx::tma_store_wait_read();
    }
};

template <typename T>
__global__ void __launch_bounds__(T::threads, 1)
    scores_kernel(const __grid_constant__ ScoresParams p) {
    extern __shared__ std::uint8_t raw[];
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const ScoresShared<T> shared{(unaligned + 1023) & ~1023u};
    if (threadIdx.x == 0) {
        shared.init_barriers();
        ptx::tma_prefetch_map(&p.q);
        ptx::tma_prefetch_map(&p.k);
        ptx::tma_prefetch_map(&p.s);
    }
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup < T::consumers) {
        ScoresConsumer<T>(p, shared, warpgroup).run();
    } else if (threadIdx.x == 128 * T::consumers) {
        produce_scores<T>(p, shared);
    }
}

template <typename T>
void launch_scores(const LaunchArgs& args) {
    const AttentionProblem& a = args.problem;
    const std::int64_t heads = a.batch * a.heads, kv_heads = a.batch * a.kv_heads;
    ScoresParams p{};
    p.q = make_tensor_map(args.q, a.dtype, a.head_dim, a.q_len, heads, T::block_m);
    p.k = make_tensor_map(args.k, a.dtype, a.head_dim, a.kv_len, kv_heads, T::block_n);
    p.s = make_tensor_map(args.workspace, a.dtype, score_pitch(a), a.q_len, heads, 64);
    p.scale = static_cast<float>(a.scale());
    p.m_tiles = static_cast<int>(ceil_div(a.q_len, T::block_m));
    p.k_tiles = static_cast<int>(ceil_div(a.kv_len, T::block_n));
    // Stretches of 2048 keys: Q is read again for each, but blocks finish together.
    p.segment_tiles = std::min(p.k_tiles, 2048 / T::block_n);
    p.segments = static_cast<int>(ceil_div(p.k_tiles, p.segment_tiles));
    p.units = heads * p.segments * p.m_tiles;
    p.group = static_cast<int>(a.heads / a.kv_heads);
    allow_shared_memory(scores_kernel<T>, T::shared_bytes);
    const std::int64_t sms = current_device_attribute(cudaDevAttrMultiProcessorCount);
    scores_kernel<T><<<grid_x(std::min(p.units, sms)), T::threads, T::shared_bytes,
                       static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive scores (sm90)");
}

}  // namespace attnroof::cuda::naive_sm90
