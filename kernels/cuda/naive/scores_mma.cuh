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
#pragma once

#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/tile.cuh"

namespace attnroof::cuda {

template <typename Element>
struct ScoresParams {
    const Element* q;  // [batch * heads][q_len][head_dim]
    const Element* k;  // [batch * kv_heads][kv_len][head_dim]
    Element* s;        // [batch * heads][q_len][kv_len]
    std::int64_t q_len, kv_len, q_tiles, segments;
    std::int64_t group;  // query heads that share a key/value head
    int head_dim;
    int segment_tiles;  // K tiles that one block streams
    float scale;
};

inline constexpr int scores_tile = 128;  // rows of Q and keys of K
inline constexpr int scores_threads = 128;
inline constexpr int scores_slab_bytes = scores_tile * slab_pitch;

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
    const int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
    const int column = slab * slab_columns + chunk * 8;
    const Element* source = tensor + (first + row) * head_dim + column;
    const bool column_valid = column < head_dim;
    constexpr int rows_a_pass = scores_threads / 8;
#pragma unroll
    for (int i = 0; i < scores_tile / rows_a_pass; ++i) {
        const int r = row + i * rows_a_pass;
        const bool valid = column_valid && first + r < rows;
        ptx::cp_async_16_or_zero(shared + chunk_offset(interleaved ? interleaved_row(r) : r, chunk),
                                 valid ? source + i * rows_a_pass * head_dim : tensor, valid);
    }
}

/// Stores a warp's 64x64 scores; (row, key) is the corner, `s` the head's S.
template <typename Element>
__device__ __forceinline__ void store_scores(const Accumulator& c, const ScoresParams<Element>& p,
                                             Element* s, std::int64_t row, std::int64_t key) {
    const int lane = threadIdx.x % 32;
    key += (lane % 4) * 8;
    row += lane / 4;
    const bool aligned = p.kv_len % 8 == 0;
#pragma unroll
    for (int half_tile = 0; half_tile < 8; ++half_tile) {
        const int m = half_tile / 2, h = half_tile % 2;
        const std::int64_t r = row + half_tile * 8;
        if (r >= p.q_len) return;
#pragma unroll
        for (int quarter = 0; quarter < 2; ++quarter) {
            const std::int64_t first = key + quarter * 32;
            union {
                uint4 chunk;
                std::uint32_t pair[4];
                Element element[8];
            } packed;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float* pair = &c[m][quarter * 4 + j][2 * h];
                packed.pair[j] = ptx::pack<Element>(pair[0] * p.scale, pair[1] * p.scale);
            }
            Element* target = s + r * p.kv_len + first;
            if (aligned) {
                if (first < p.kv_len) __stcs(reinterpret_cast<uint4*>(target), packed.chunk);
            } else {
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    if (first + i < p.kv_len) target[i] = packed.element[i];
            }
        }
    }
}

template <typename Element, int slabs, int stages>
__global__ void __launch_bounds__(scores_threads, 2) scores_kernel(const ScoresParams<Element> p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const std::uint32_t q_shared = ptx::shared_address(shared);
    const std::uint32_t k_shared = q_shared + slabs * scores_slab_bytes;

    const std::int64_t q_tile = blockIdx.x % p.q_tiles;
    const std::int64_t segment = blockIdx.x / p.q_tiles % p.segments;
    const std::int64_t head = blockIdx.x / p.q_tiles / p.segments;
    const Element* k = p.k + head / p.group * p.kv_len * p.head_dim;
    Element* s = p.s + head * p.q_len * p.kv_len;

    const std::int64_t first_row = q_tile * scores_tile;
    const std::int64_t first_key = segment * p.segment_tiles * scores_tile;
    const std::int64_t keys_left = p.kv_len - first_key;
    const int tiles = static_cast<int>(min(static_cast<std::int64_t>(p.segment_tiles),
                                           (keys_left + scores_tile - 1) / scores_tile));
    const int loads = tiles * slabs;

    auto load = [&](int index, int stage) {
        load_slab<true>(k_shared + stage * scores_slab_bytes, k,
                        first_key + index / slabs * scores_tile, p.kv_len, p.head_dim,
                        index % slabs);
    };
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab)
        load_slab<false>(q_shared + slab * scores_slab_bytes, p.q + head * p.q_len * p.head_dim,
                         first_row, p.q_len, p.head_dim, slab);
#pragma unroll
    for (int i = 0; i < stages - 1; ++i) {
        if (i < loads) load(i, i);
        ptx::cp_async_commit();
    }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / 2 * warp_tile, warp_key = warp % 2 * warp_tile;
    const std::uint32_t a = q_shared + warp_row * slab_pitch + lane_offset_16x2(lane);
    const std::uint32_t b = k_shared + warp_key * slab_pitch + lane_offset_nk(lane);

    int stage = 0, fill = stages - 1;  // ring positions read and written next
    for (int tile = 0; tile < tiles; ++tile) {
        Accumulator c;
        clear(c);
#pragma unroll
        for (int slab = 0; slab < slabs; ++slab) {
            ptx::cp_async_wait<stages - 2>();
            __syncthreads();
            const int next = tile * slabs + slab + stages - 1;
            if (next < loads) load(next, fill);
            ptx::cp_async_commit();
            fill = fill + 1 == stages ? 0 : fill + 1;
#pragma unroll
            for (int step = 0; step < 4; ++step)
                multiply_step<Element, false>(c, a + slab * scores_slab_bytes,
                                              b + stage * scores_slab_bytes, step);
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
        store_scores(c, p, s, first_row + warp_row,
                     first_key + static_cast<std::int64_t>(tile) * scores_tile + warp_key);
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

    const int bytes = (slabs + stages) * scores_slab_bytes;
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
