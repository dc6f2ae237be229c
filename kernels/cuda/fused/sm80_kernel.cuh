// Fused attention forward (Dao, FlashAttention-2, 2023) with mma.sync, cp.async and ldmatrix: any
// GPU from sm_80 on.
//
// A block owns `rows` query rows of one head and walks over the keys in tiles of `cols`, from the
// last to the first, so that masked tiles come first and the zero-filled tail is loaded first. A
// warp owns 16 or 32 whole rows: S, P and O stay in its registers, and the row sums need no other
// warp. Two blocks share an SM: one computes exp while the other keeps the tensor cores busy.
// Shared memory stays under 99 KB, which every GPU from sm_80 on can give a block.
//
//   padded head_dim   rows x keys             warps   buffers of K, of V   Q
//    64               128 x 96, causal 64     4       2                    registers
//   128               128 x 48                4       2                    shared memory
//   256               64 x 64                 4       1                    shared memory
//
// What each step gave, in TFLOP/s on an H200: bf16, full mask, 16k tokens, hidden 2048, N = 4096,
// cold L2 (runs differ by 3 %; PyTorch's FlashAttention-2 there: 289, 347, 321 for 64, 128, 256).
//   d = 128: 128 x 64, one K and one V buffer, two barriers a tile           367
//            two buffers each, one barrier a tile                            383
//            B fragments in the register pairs that mma wants (otherwise a
//            move for each: 364)                                             389
//            48 keys a tile: no register spilled                             402
//   d = 64:  128 x 64, Q read from shared memory for each tile               327
//            Q in registers                                                  346
//            96 keys a tile                                                  353
//   d = 256: 64 x 32, two buffers each                                       302
//            128 x 64, eight warps, one block an SM                          326
//            64 x 64, one buffer each, two blocks an SM                      336
// Without gain: S of the next tile computed under this tile's exp (d = 128: 345; d = 64: 335),
// three blocks an SM at d = 64 (344), rescaling O at every new maximum (d = 128: 395).
// HBM reads of the whole launch, where Q, K and V are 201 MB: with many heads side by side over 1
// GB (d = 64, N = 4096); one head after the other 201 MB. At N = 16k, full mask, a head's K and V
// no longer stay in L2 for the blocks that run late: 202, 226 and 307 MB for d = 64, 128 and 256,
// the last being 53 % over, and no less with 128 rows a block. Causal stays within 2 %.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/fused/sm80_gemm.cuh"
#include "kernels/cuda/fused/sm80_shape.cuh"
#include "kernels/cuda/fused/sm80_softmax.cuh"
#include "kernels/cuda/fused/sm80_tile.cuh"

namespace attnroof::cuda::sm80 {

/// Divides by the row sums, writes LSE, and O through the warp's own rows of `q_tile`.
template <class T>
__device__ __forceinline__ void finish(const typename T::Output& o,
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

/// One block a tile of query rows; see work_of() for the order.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) fused_forward(const Params p) {
    using Element = typename T::Element;
    extern __shared__ __align__(1024) unsigned char shared[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Work work = work_of<T>(p);

    // Keys that any row of the block sees, and those that its first row, so every row, sees. A
    // block without keys works through one tile that is masked as a whole.
    std::int64_t keys = p.kv_len, first_row_keys = p.kv_len;
    if constexpr (T::causal) {
        first_row_keys = max(p.kv_len - p.q_len + work.first_row + 1, std::int64_t{-T::rows});
        keys = max(min(keys, first_row_keys + T::rows - 1), std::int64_t{1});
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
    // Starts the copy of a tile of K or V as a group of its own.
    auto load = [&](std::uint32_t to, const void* from, int tile, auto last) {
        const Element* source = static_cast<const Element*>(from) + kv_first +
                                static_cast<std::int64_t>(tile) * (T::cols * p.head_dim);
        const std::int64_t left = p.kv_len - static_cast<std::int64_t>(tile) * T::cols;
        kv_copy.template start<last.value>(to, source, p.head_dim,
                                           static_cast<int>(min(left, std::int64_t{T::cols})));
        ptx::cp_async_commit();
    };

    typename T::Output o;
    clear(o);
    OnlineSoftmax<T::row_tiles> softmax;

    const std::uint32_t k_address = k_tiles + halves_first_offset<T::head_dim>(lane);
    const std::uint32_t v_address = v_tiles + rows_first_offset<T::head_dim>(lane);
    const std::uint32_t q_address = q_tile + rows_first_offset<T::head_dim>(lane) +
                                    warp * T::row_tiles * 16 * Layout<T::head_dim>::pitch;
    typename T::QFragments q_fragments;
    q_copy.template start<true>(
        q_tile, q + q_copy.source_offset(p.head_dim), p.head_dim,
        static_cast<int>(min(p.q_len - work.first_row, std::int64_t{T::rows})));
    load(k_tiles, p.k, tiles - 1, std::true_type{});  // in one group with Q
    if (T::stages == 2) load(v_tiles, p.v, tiles - 1, std::true_type{});
    if constexpr (T::q_in_registers) {
        ptx::cp_async_wait<T::stages - 1>();
        __syncthreads();
        load_q<T>(q_fragments, q_address);
    }

    std::uint32_t stage = 0;  // byte offset of the tile's buffer: with two, they take turns
#pragma unroll 1
    for (int tile = tiles - 1; tile >= 0; --tile) {
        ptx::cp_async_wait<0>();
        __syncthreads();  // the tile has arrived, and the buffer of the one before is free
        const std::uint32_t next = T::stages == 2 ? stage ^ T::kv_bytes : 0;
        if constexpr (T::stages == 1) load(v_tiles, p.v, tile, std::true_type{});
        if constexpr (T::stages == 2)
            if (tile > 0) {
                load(k_tiles + next, p.k, tile - 1, std::false_type{});
                load(v_tiles + next, p.v, tile - 1, std::false_type{});
            }
        typename T::Scores s;
        scores<T>(s, q_fragments, q_address, k_address + stage);
        if constexpr (T::stages == 1) {
            ptx::cp_async_wait<0>();
            __syncthreads();  // V has arrived, and the buffer of K is free
        }
        if constexpr (T::stages == 1)
            if (tile > 0) load(k_tiles, p.k, tile - 1, std::false_type{});
        if (limit < T::cols) mask_scores<T>(s, limit, warp, lane);
        limit = min(limit + T::cols, T::cols);
        softmax.follow(s, o, p.scale_log2, p.slack);
        softmax.weights(s, p.scale_log2);
        output<T>(o, s, v_address + stage);
        stage = next;
    }
    finish<T>(o, softmax, shared, warp, lane, p);
}

}  // namespace attnroof::cuda::sm80
