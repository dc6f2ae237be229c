// Fused attention forward with mma.sync, cp.async and ldmatrix: any GPU from sm_80 on.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/check.h"
#include "kernels/cuda/fused/sm80_softmax.cuh"
#include "kernels/cuda/fused/sm80_tile.cuh"
#include "kernels/cuda/ptx/mma.cuh"
#include "kernels/launch.h"

namespace attnroof::cuda::sm80 {

/// One launch: sizes, then pointers. Shapes as in AttentionProblem.
struct Params {
    std::int64_t q_len, kv_len;
    int head_dim;        // true one, <= Tile::head_dim
    std::int64_t group;  // query heads that share a key/value head
    unsigned heads;      // batch * heads of this launch
    unsigned row_tiles;  // ceil(q_len / Tile::rows)
    unsigned section;    // heads whose K and V fit L2 together
    std::int64_t first;  // first of this launch's batch * heads
    float scale, scale_log2, slack;
    const void *q, *k, *v;
    void* o;
    float* lse;
};

/// Compile-time shape. `rows` query rows and `cols` keys a tile; `blocks` thread blocks share an
/// SM.
template <typename ElementT, bool CausalMask, int HeadDim, int Rows, int Cols, int Warps,
          int Stages, int Blocks, int QInRegisters>
struct Tile {
    using Element = ElementT;
    static constexpr bool causal = CausalMask;
    static constexpr int head_dim = HeadDim, rows = Rows, cols = Cols, warps = Warps;
    static constexpr int stages = Stages, blocks = Blocks;
    static constexpr bool q_in_registers = QInRegisters;
    static constexpr int threads = 32 * warps;
    static constexpr int row_tiles = rows / (16 * warps);  // 16-row mma tiles a warp
    static constexpr int score_tiles = cols / 8;           // 8-column mma tiles of S
    static constexpr int output_tiles = head_dim / 8;      // 8-column mma tiles of O
    static constexpr int k_steps = head_dim / 16;          // mma steps along head_dim
    static constexpr int q_bytes = rows * head_dim * 2, kv_bytes = cols * head_dim * 2;
    static constexpr int shared_bytes = q_bytes + 2 * stages * kv_bytes;
    static_assert(rows % (16 * warps) == 0 && cols % 16 == 0);
};

/// Which rows of which head a block works on.
struct Work {
    std::int64_t head;  // over batch * heads
    std::int64_t first_row;
};

/// blockIdx.x, read anew at each call: what is derived from it need not stay in registers.
__device__ __forceinline__ unsigned block_index() {
    unsigned index;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    return index;
}

/// Heads in sections that share the L2, heavy tiles (causal: the last rows) of a section first.
template <class T>
__device__ __forceinline__ Work work_of(const Params& p) {
    const unsigned block = block_index();
    const unsigned section = block / (p.section * p.row_tiles);
    const unsigned heads = min(p.section, p.heads - section * p.section);
    const unsigned rest = block - section * p.section * p.row_tiles;
    const unsigned tile = p.row_tiles - 1 - rest / heads;
    return {p.first + section * p.section + rest % heads,
            static_cast<std::int64_t>(tile) * T::rows};
}

/// S = Q K^T for one tile of keys.
template <class T>
__device__ __forceinline__ void scores(
    float (&s)[T::row_tiles][T::score_tiles][4],
    const std::uint32_t (&q_registers)[T::q_in_registers ? T::k_steps : 1][T::row_tiles][4],
    std::uint32_t q_address, std::uint32_t k_address) {
    constexpr int pitch = Layout<T::head_dim>::pitch;
#pragma unroll
    for (int m = 0; m < T::row_tiles; ++m)
#pragma unroll
        for (int j = 0; j < T::score_tiles; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) s[m][j][e] = 0.0f;
#pragma unroll
    for (int step = 0; step < T::k_steps; ++step) {
        std::uint32_t a[T::row_tiles][4];
#pragma unroll
        for (int m = 0; m < T::row_tiles; ++m) {
            if constexpr (T::q_in_registers) {
#pragma unroll
                for (int i = 0; i < 4; ++i) a[m][i] = q_registers[step][m][i];
            } else {
                ptx::ldmatrix_x4(a[m], (q_address ^ (step * 32)) + m * 16 * pitch);
            }
        }
#pragma unroll
        for (int j = 0; j < T::score_tiles; j += 2) {
            std::uint32_t b[4];
            ptx::ldmatrix_x4(b, (k_address ^ (step * 32)) + j * 8 * pitch);
#pragma unroll
            for (int m = 0; m < T::row_tiles; ++m) {
                ptx::mma_m16n8k16<typename T::Element>(s[m][j], a[m], b[0], b[1]);
                ptx::mma_m16n8k16<typename T::Element>(s[m][j + 1], a[m], b[2], b[3]);
            }
        }
    }
}

/// O += P V for one tile of keys; P is rounded to the element type on the way.
template <class T>
__device__ __forceinline__ void output(float (&o)[T::row_tiles][T::output_tiles][4],
                                       const float (&p)[T::row_tiles][T::score_tiles][4],
                                       std::uint32_t v_address) {
    using Element = typename T::Element;
    constexpr int pitch = Layout<T::head_dim>::pitch;
#pragma unroll
    for (int j = 0; j < T::score_tiles; j += 2) {
        std::uint32_t a[T::row_tiles][4];
#pragma unroll
        for (int m = 0; m < T::row_tiles; ++m) {
            a[m][0] = ptx::pack<Element>(p[m][j][0], p[m][j][1]);
            a[m][1] = ptx::pack<Element>(p[m][j][2], p[m][j][3]);
            a[m][2] = ptx::pack<Element>(p[m][j + 1][0], p[m][j + 1][1]);
            a[m][3] = ptx::pack<Element>(p[m][j + 1][2], p[m][j + 1][3]);
        }
#pragma unroll
        for (int n = 0; n < T::output_tiles; n += 2) {
            std::uint32_t b[4];
            ptx::ldmatrix_x4_trans(b, (v_address ^ (n * 16)) + j * 8 * pitch);
#pragma unroll
            for (int m = 0; m < T::row_tiles; ++m) {
                ptx::mma_m16n8k16<Element>(o[m][n], a[m], b[0], b[1]);
                ptx::mma_m16n8k16<Element>(o[m][n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

/// Scores of keys that a row does not see become -inf: the first row of the block sees the first
/// `limit` keys of the tile, the others as many (full) or one more a row (causal).
template <class T>
__device__ __forceinline__ void mask_scores(float (&s)[T::row_tiles][T::score_tiles][4], int limit,
                                            int warp, int lane) {
    // Columns below are compile-time numbers; the lane's own first column is in the limit.
    limit -= 2 * (lane % 4);
    if constexpr (T::causal) limit += warp * 16 * T::row_tiles + lane / 4;
#pragma unroll
    for (int m = 0; m < T::row_tiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int seen = T::causal ? limit + m * 16 + half * 8 : limit;
#pragma unroll
            for (int j = 0; j < T::score_tiles; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    if (j * 8 + e >= seen) s[m][j][2 * half + e] = -INFINITY;
        }
}

/// Divides by the row sums, writes LSE, and O through the warp's own rows of `q_tile`.
template <class T>
__device__ __forceinline__ void finish(float (&o)[T::row_tiles][T::output_tiles][4],
                                       const OnlineSoftmax<T::row_tiles>& softmax,
                                       unsigned char* q_tile, int warp, int lane, const Params& p) {
    const Work work = work_of<T>(p);
    using Element = typename T::Element;
    using L = Layout<T::head_dim>;
    constexpr int warp_rows = 16 * T::row_tiles;
    const std::int64_t first_row = work.first_row + warp * warp_rows;
    const int rows = static_cast<int>(min(p.q_len - first_row, std::int64_t{warp_rows}));
    unsigned char* stage = q_tile + warp * warp_rows * L::pitch;
    __syncwarp();
#pragma unroll
    for (int m = 0; m < T::row_tiles; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = m * 16 + half * 8 + lane / 4;
            const float sum = ptx::quad_sum(softmax.sum[m][half]);
            const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
            if (lane % 4 == 0 && row < rows)
                p.lse[work.head * p.q_len + first_row + row] =
                    sum == 0.0f ? -INFINITY : softmax.maximum[m][half] * p.scale + logf(sum);
#pragma unroll
            for (int n = 0; n < T::output_tiles; ++n)
                *reinterpret_cast<std::uint32_t*>(stage + L::offset(row, n) + (lane % 4) * 4) =
                    ptx::pack<Element>(o[m][n][2 * half] * inverse,
                                       o[m][n][2 * half + 1] * inverse);
        }
    __syncwarp();
    Element* out = static_cast<Element*>(p.o) + (work.head * p.q_len + first_row) * p.head_dim;
#pragma unroll
    for (int i = lane; i < warp_rows * L::chunks; i += 32) {
        const int row = i / L::chunks, chunk = i % L::chunks;
        if (row < rows && chunk * 8 < p.head_dim)
            *reinterpret_cast<uint4*>(out + row * p.head_dim + chunk * 8) =
                *reinterpret_cast<const uint4*>(stage + L::offset(row, chunk));
    }
}

template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) fused_forward(const Params p) {
    using Element = typename T::Element;
    extern __shared__ __align__(1024) unsigned char shared[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Work work = work_of<T>(p);

    // Keys that any row of the block sees, and those that its first row, so every row, sees.
    std::int64_t keys = p.kv_len, first_row_keys = p.kv_len;
    if constexpr (T::causal) {
        first_row_keys += work.first_row + 1 - p.q_len;
        keys = max(min(keys, first_row_keys + T::rows - 1), std::int64_t{0});
    }
    const int tiles = static_cast<int>((keys + T::cols - 1) / T::cols);
    // Keys of the current tile that the first row sees; a tile is masked when they are not all.
    int limit = static_cast<int>(first_row_keys - static_cast<std::int64_t>(tiles - 1) * T::cols);

    const std::uint32_t q_tile = ptx::shared_address(shared);
    const std::uint32_t k_tiles = q_tile + T::q_bytes;
    const std::uint32_t v_tiles = k_tiles + T::stages * T::kv_bytes;
    const Element* q =
        static_cast<const Element*>(p.q) + (work.head * p.q_len + work.first_row) * p.head_dim;
    const TileCopy<T::rows, T::head_dim, T::threads> q_copy(threadIdx.x);
    const TileCopy<T::cols, T::head_dim, T::threads> kv_copy(threadIdx.x);
    const std::int64_t kv_first =
        work.head / p.group * p.kv_len * p.head_dim + kv_copy.source_offset(p.head_dim);
    auto load = [&](std::uint32_t to, const void* from, int tile, auto last) {
        const Element* source = static_cast<const Element*>(from) + kv_first +
                                static_cast<std::int64_t>(tile) * (T::cols * p.head_dim);
        const std::int64_t left = p.kv_len - static_cast<std::int64_t>(tile) * T::cols;
        kv_copy.template start<last.value>(to, source, p.head_dim,
                                           static_cast<int>(min(left, std::int64_t{T::cols})));
    };

    float o[T::row_tiles][T::output_tiles][4];
#pragma unroll
    for (int m = 0; m < T::row_tiles; ++m)
#pragma unroll
        for (int n = 0; n < T::output_tiles; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) o[m][n][e] = 0.0f;
    OnlineSoftmax<T::row_tiles> softmax;

    q_copy.template start<true>(
        q_tile, q + q_copy.source_offset(p.head_dim), p.head_dim,
        static_cast<int>(min(p.q_len - work.first_row, std::int64_t{T::rows})));
    if (tiles > 0) load(k_tiles, p.k, tiles - 1, std::true_type{});
    ptx::cp_async_commit();
    if (T::stages == 2) {
        if (tiles > 0) load(v_tiles, p.v, tiles - 1, std::true_type{});
        ptx::cp_async_commit();
    }

    const std::uint32_t k_address = k_tiles + halves_first_offset<T::head_dim>(lane);
    const std::uint32_t v_address = v_tiles + rows_first_offset<T::head_dim>(lane);
    std::uint32_t q_address = q_tile + rows_first_offset<T::head_dim>(lane) +
                              warp * T::row_tiles * 16 * Layout<T::head_dim>::pitch;
    std::uint32_t q_registers[T::q_in_registers ? T::k_steps : 1][T::row_tiles][4];
    if constexpr (T::q_in_registers) {
        ptx::cp_async_wait<T::stages - 1>();
        __syncthreads();
#pragma unroll
        for (int step = 0; step < T::k_steps; ++step)
#pragma unroll
            for (int m = 0; m < T::row_tiles; ++m)
                ptx::ldmatrix_x4(q_registers[step][m],
                                 (q_address ^ (step * 32)) + m * 16 * Layout<T::head_dim>::pitch);
    }

    std::uint32_t stage = 0;
#pragma unroll 1
    for (int tile = tiles - 1; tile >= 0; --tile) {
        float s[T::row_tiles][T::score_tiles][4];
        if constexpr (T::stages == 2) {
            ptx::cp_async_wait<0>();
            __syncthreads();
            const std::uint32_t next = stage ^ T::kv_bytes;
            if (tile > 0) {
                load(k_tiles + next, p.k, tile - 1, std::false_type{});
                load(v_tiles + next, p.v, tile - 1, std::false_type{});
            }
            ptx::cp_async_commit();
            scores<T>(s, q_registers, q_address, k_address + stage);
        } else {
            ptx::cp_async_wait<0>();
            __syncthreads();
            load(v_tiles, p.v, tile, std::true_type{});
            ptx::cp_async_commit();
            scores<T>(s, q_registers, q_address, k_address);
        }
        if (limit < T::cols) mask_scores<T>(s, limit, warp, lane);
        limit = min(limit + T::cols, T::cols);
        if constexpr (T::stages == 1) {
            ptx::cp_async_wait<0>();
            __syncthreads();
            if (tile > 0) load(k_tiles, p.k, tile - 1, std::false_type{});
            ptx::cp_async_commit();
        }
        softmax.step(s, o, p.scale_log2, p.slack);
        output<T>(o, s, v_address + stage);
        if constexpr (T::stages == 2) stage ^= T::kv_bytes;
    }
    ptx::cp_async_wait<0>();
    finish<T>(o, softmax, shared, warp, lane, p);
}

/// Launches over all heads and row tiles. Throws CudaError.
template <class T>
void launch(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    Params p{};
    p.q_len = problem.q_len;
    p.kv_len = problem.kv_len;
    p.head_dim = static_cast<int>(problem.head_dim);
    p.group = problem.heads / problem.kv_heads;
    p.row_tiles = static_cast<unsigned>((problem.q_len + T::rows - 1) / T::rows);
    p.scale = static_cast<float>(problem.scale());
    p.scale_log2 = static_cast<float>(problem.scale() * 1.4426950408889634);
    p.slack = OnlineSoftmax<T::row_tiles>::headroom / p.scale_log2;
    p.q = args.q;
    p.k = args.k;
    p.v = args.v;
    p.o = args.o;
    p.lse = args.lse;

    int device = 0, l2_bytes = 0;
    ATTNROOF_CUDA_CHECK(cudaGetDevice(&device));
    ATTNROOF_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    ATTNROOF_CUDA_CHECK(cudaFuncSetAttribute(
        fused_forward<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, T::shared_bytes));

    // grid.x alone holds all blocks; a grid too large for it becomes several launches.
    const std::int64_t heads = problem.batch * problem.heads;
    const std::int64_t most = std::min<std::int64_t>(heads, 0x7fffffff / p.row_tiles);
    const std::int64_t kv_head_bytes = 4 * problem.kv_len * problem.head_dim;
    const std::int64_t fitting = std::max<std::int64_t>(1, l2_bytes / 2 / kv_head_bytes);
    p.section = static_cast<unsigned>(std::min(most, p.group * fitting));
    for (p.first = 0; p.first < heads; p.first += most) {
        p.heads = static_cast<unsigned>(std::min(most, heads - p.first));
        fused_forward<T><<<p.heads * p.row_tiles, T::threads, T::shared_bytes,
                           static_cast<cudaStream_t>(args.stream)>>>(p);
        check_launch("fused_forward");
    }
}

template <typename Element, int... Shape>
void launch_mask(const LaunchArgs& args) {
    if (args.problem.mask == Mask::causal)
        launch<Tile<Element, true, Shape...>>(args);
    else
        launch<Tile<Element, false, Shape...>>(args);
}

/// `Shape` as in Tile, from HeadDim on.
template <int... Shape>
void launch_shape(const LaunchArgs& args) {
    if (args.problem.dtype == DType::bf16)
        launch_mask<__nv_bfloat16, Shape...>(args);
    else
        launch_mask<__half, Shape...>(args);
}

}  // namespace attnroof::cuda::sm80
