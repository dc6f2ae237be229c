// naive, step 1 on tensor cores: S = scale * Q K^T, written once, in the problem's dtype.
//
// A block keeps one Q tile of 128 rows in shared memory and streams K tiles of 128 keys past it in
// slabs of 64 columns (cp.async ring); four warps make 64x64 products. Two blocks share an SM, so
// that one stores while the other multiplies.
//
// S leaves in 16-byte stores with no staging: K row 8t + 2j + e of each 32 goes into shared row
// 8j + 2t + e, so the eight scores that mma.sync leaves in lane t (columns 2t, 2t + 1 of four
// 8-column tiles j) are eight neighbouring keys. The stores are evict-first: S is larger than L2
// whenever it matters, and K should stay there.
//
// Measured on an H200, bf16, 16k tokens, hidden size 2048, N = 8192 (TFLOP/s at head_dim 64 / 128;
// mma.sync from registers reaches 640, HBM writes 4.66 TB/s):
//   one slab ahead, fragments read where they are used        238 / 315
//   fragments of the next step read under the mma of this     229 / 340
//   rows padded to 16 bytes: one branch-free path for stores  230 / 361   3.59 / 2.82 TB/s
#pragma once

#include <algorithm>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/tile.cuh"

namespace attnroof::cuda {

template <typename Element>
struct ScoresParams {
    const Element* q;  // [batch * heads][q_len][head_dim]
    const Element* k;  // [batch * kv_heads][kv_len][head_dim]
    Element* s;        // [batch * heads][q_len][pitch]
    std::int64_t q_len, kv_len, pitch, q_tiles, segments;
    std::int64_t group;  // query heads that share a key/value head
    int head_dim;
    int segment_tiles;  // K tiles that one block streams
    float scale;
};

inline constexpr int scores_tile = 128;  // rows of Q and keys of K
inline constexpr int scores_threads = 128;
inline constexpr int slab_bytes = scores_tile * slab_pitch;

/// Shared row of K row `row` of a tile; see the head of this file.
__device__ __forceinline__ int interleaved_row(int row) {
    return (row & ~31) | ((row & 6) << 2) | ((row >> 2) & 6) | (row & 1);
}

/// Copies rows [first, first + 128) and columns [64 slab, 64 slab + 64) into a slab; what lies
/// outside the tensor becomes 0.
template <bool interleaved, typename Element>
__device__ __forceinline__ void load_slab(std::uint32_t shared, const Element* tensor,
                                          std::int64_t first, std::int64_t rows, int head_dim,
                                          int slab) {
    constexpr int rows_a_pass = scores_threads / 8;
    const int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
    const int column = slab * slab_columns + chunk * 8;
    const Element* source = tensor + (first + row) * head_dim + column;
    const int rows_left =
        column < head_dim ? static_cast<int>(min(rows - first, std::int64_t{scores_tile})) : 0;
    // Rows 32 apart have the same place in their group of 32.
    const std::uint32_t target[2] = {
        shared + chunk_offset(interleaved ? interleaved_row(row) : row, chunk),
        shared + chunk_offset(interleaved ? interleaved_row(row + 16) : row + 16, chunk)};
#pragma unroll
    for (int i = 0; i < scores_tile / rows_a_pass; ++i, source += rows_a_pass * head_dim)
        ptx::cp_async_16_or_zero(target[i % 2] + i / 2 * 32 * slab_pitch, source,
                                 row + i * rows_a_pass < rows_left);
}

/// Stores a warp's 64x64 scores; (row, key) is the corner, `s` the head's S. Scores of keys past
/// the last are 0, K being 0 there, and fill the row up to its pitch.
template <bool whole, typename Element>
__device__ __forceinline__ void store_scores(const Accumulator& c, const ScoresParams<Element>& p,
                                             Element* s, std::int64_t row, std::int64_t key) {
    const int lane = threadIdx.x % 32;
    row += lane / 4;
    key += lane % 4 * 8;
    Element* target = s + row * p.pitch + key;
    const std::int64_t stride = 8 * p.pitch;
    const int rows_left = static_cast<int>(min(p.q_len - row, std::int64_t{warp_tile}));
    const int keys_left = static_cast<int>(min(p.pitch - key, std::int64_t{warp_tile}));
#pragma unroll
    for (int half = 0; half < 8; ++half, target += stride)
#pragma unroll
        for (int quarter = 0; quarter < 2; ++quarter) {
            std::uint32_t pair[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float* x = &c[half / 2][quarter * 4 + j][half % 2 * 2];
                pair[j] = ptx::pack<Element>(x[0] * p.scale, x[1] * p.scale);
            }
            if (whole || (8 * half < rows_left && 32 * quarter < keys_left))
                __stcs(reinterpret_cast<uint4*>(target + 32 * quarter),
                       make_uint4(pair[0], pair[1], pair[2], pair[3]));
        }
}

template <typename Element, int slabs, int stages>
__global__ void __launch_bounds__(scores_threads, 2) scores_kernel(const ScoresParams<Element> p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const std::uint32_t q_shared = ptx::shared_address(shared);
    const std::uint32_t k_shared = q_shared + slabs * slab_bytes;

    const std::int64_t q_tile = blockIdx.x % p.q_tiles;
    const std::int64_t segment = blockIdx.x / p.q_tiles % p.segments;
    const std::int64_t head = blockIdx.x / p.q_tiles / p.segments;
    const Element* k = p.k + head / p.group * p.kv_len * p.head_dim;
    Element* s = p.s + head * p.q_len * p.pitch;

    const std::int64_t first_row = q_tile * scores_tile;
    const std::int64_t first_key = segment * p.segment_tiles * scores_tile;
    const std::int64_t keys_left = p.kv_len - first_key;
    const int tiles = static_cast<int>(min(static_cast<std::int64_t>(p.segment_tiles),
                                           (keys_left + scores_tile - 1) / scores_tile));
    const int loads = tiles * slabs;

    auto load_stage = [&](int index, int stage) {
        load_slab<true>(k_shared + stage * slab_bytes, k, first_key + index / slabs * scores_tile,
                        p.kv_len, p.head_dim, index % slabs);
    };
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab)
        load_slab<false>(q_shared + slab * slab_bytes, p.q + head * p.q_len * p.head_dim, first_row,
                         p.q_len, p.head_dim, slab);
#pragma unroll
    for (int i = 0; i < stages - 1; ++i) {
        if (i < loads) load_stage(i, i);
        ptx::cp_async_commit();
    }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / 2 * warp_tile, warp_key = warp % 2 * warp_tile;
    const std::uint32_t a = q_shared + warp_row * slab_pitch + lane_offset_16x2(lane);
    const std::uint32_t b = k_shared + warp_key * slab_pitch + lane_offset_nk(lane);

    // The fragments of a step are read while the step before is multiplied, across stages too: the
    // barrier that frees a stage stands one step before its end.
    Fragments f[2];
    ptx::cp_async_wait<stages - 2>();
    __syncthreads();
    load<false>(f[0], a, b, 0);
    int read = 0, fill = stages - 1;  // ring positions
    for (int tile = 0; tile < tiles; ++tile) {
        Accumulator c;
        clear(c);
#pragma unroll 1
        for (int slab = 0; slab < slabs; ++slab) {
            const int next_slab = slab + 1 == slabs ? 0 : slab + 1;
#pragma unroll
            for (int step = 0; step < 4; ++step) {
                if (step == 3) {
                    ptx::cp_async_wait<stages - 2>();
                    __syncthreads();
                    read = read + 1 == stages ? 0 : read + 1;
                }
                load<false>(f[(step + 1) % 2], a + (step == 3 ? next_slab : slab) * slab_bytes,
                            b + read * slab_bytes, (step + 1) % 4);
                if (step == 0) {
                    const int index = tile * slabs + slab + stages - 1;
                    if (index < loads) load_stage(index, fill);
                    ptx::cp_async_commit();
                    fill = fill + 1 == stages ? 0 : fill + 1;
                }
                multiply<Element>(c, f[step % 2]);
            }
        }
        const std::int64_t row = first_row + warp_row;
        const std::int64_t key =
            first_key + static_cast<std::int64_t>(tile) * scores_tile + warp_key;
        if (row + warp_tile <= p.q_len && key + warp_tile <= p.pitch)
            store_scores<true>(c, p, s, row, key);
        else
            store_scores<false>(c, p, s, row, key);
    }
}

template <typename Element, int slabs, int stages>
void launch_scores_slabs(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    const std::int64_t k_tiles = ceil_div(problem.kv_len, scores_tile);
    ScoresParams<Element> p{};
    p.q = static_cast<const Element*>(args.q);
    p.k = static_cast<const Element*>(args.k);
    p.s = static_cast<Element*>(args.workspace);
    p.q_len = problem.q_len;
    p.kv_len = problem.kv_len;
    p.pitch = score_pitch(problem);
    p.q_tiles = ceil_div(problem.q_len, scores_tile);
    p.group = problem.heads / problem.kv_heads;
    p.head_dim = static_cast<int>(problem.head_dim);
    p.scale = static_cast<float>(problem.scale());

    // Long segments load Q less often; short ones fill the device and even out its last wave.
    const std::int64_t wanted = 16 * current_device_attribute(cudaDevAttrMultiProcessorCount);
    const std::int64_t rows_of_tiles = problem.batch * problem.heads * p.q_tiles;
    p.segments = std::min(k_tiles, ceil_div(wanted, rows_of_tiles));
    p.segment_tiles = static_cast<int>(ceil_div(k_tiles, p.segments));
    p.segments = ceil_div(k_tiles, p.segment_tiles);

    const int bytes = (slabs + stages) * slab_bytes;
    auto* kernel = scores_kernel<Element, slabs, stages>;
    allow_shared_memory(kernel, bytes);
    kernel<<<grid_x(rows_of_tiles * p.segments), scores_threads, bytes,
             static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive scores");
}

/// At most 96 KiB of shared memory: every chip from sm_80 on has it.
template <typename Element>
void launch_scores_mma(const LaunchArgs& args) {
    if (args.problem.head_dim <= 64) return launch_scores_slabs<Element, 1, 4>(args);
    if (args.problem.head_dim <= 128) return launch_scores_slabs<Element, 2, 4>(args);
    launch_scores_slabs<Element, 4, 2>(args);
}

}  // namespace attnroof::cuda
