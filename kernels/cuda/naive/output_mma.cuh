// naive, step 3 on tensor cores: O = P V, P read once.
//
// A block owns 64 wm rows and all of head_dim (64 wn columns), streams P and V in steps of 64 keys
// (cp.async ring) and keeps O in registers; each of wm x wn warps makes a 64x64 product. P is
// marked evict-first so that V stays in L2, from where every row tile reads it again: with 256 rows
// at head_dim 128 that is half a byte of V for each byte of P.
#pragma once

#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/tile.cuh"

namespace attnroof::cuda {

template <typename Element>
struct OutputParams {
    const Element* p;  // [batch * heads][q_len][kv_len]
    const Element* v;  // [batch * kv_heads][kv_len][head_dim]
    Element* o;        // [batch * heads][q_len][head_dim]
    std::int64_t q_len, kv_len, q_tiles;
    std::int64_t group;  // query heads that share a key/value head
    int head_dim;
};

inline constexpr int output_keys = slab_columns;  // keys of one pipeline step

template <int wm, int wn>
struct OutputShape {
    static constexpr int threads = 32 * wm * wn;
    static constexpr int rows = warp_tile * wm;
    static constexpr int p_bytes = rows * slab_pitch;
    static constexpr int v_slab_bytes = output_keys * slab_pitch;
    static constexpr int stage_bytes = p_bytes + wn * v_slab_bytes;
};

/// P[row .. row + rows)[key .. key + 64) into a slab. `p` is the head's P. Rows of an odd length
/// are not aligned for cp.async and go through registers.
template <typename Shape, typename Element>
__device__ __forceinline__ void load_p(unsigned char* shared, const OutputParams<Element>& params,
                                       const Element* p, std::int64_t row, std::int64_t key) {
    constexpr int rows_a_pass = Shape::threads / 8;
    const int r = threadIdx.x / 8, chunk = threadIdx.x % 8;
    key += chunk * 8;
    const Element* source = p + (row + r) * params.kv_len + key;
    const std::int64_t stride = rows_a_pass * params.kv_len;
    const int keys_left =
        static_cast<int>(max(min(params.kv_len - key, std::int64_t{8}), std::int64_t{0}));
    const int rows_left =
        static_cast<int>(min(params.q_len - row, static_cast<std::int64_t>(Shape::rows)));
    if (params.kv_len % 8 == 0) {
        const std::uint32_t target = ptx::shared_address(shared) + chunk_offset(r, chunk);
#pragma unroll
        for (int i = 0; i < Shape::rows / rows_a_pass; ++i, source += stride) {
            const bool valid = keys_left > 0 && r + i * rows_a_pass < rows_left;
            ptx::cp_async_16_or_zero(target + i * rows_a_pass * slab_pitch, valid ? source : p,
                                     valid);
        }
    } else {
#pragma unroll 1
        for (int i = r; i < Shape::rows; i += rows_a_pass, source += stride)
            *reinterpret_cast<uint4*>(shared + chunk_offset(i, chunk)) =
                gather_chunk(source, i < rows_left ? keys_left : 0);
    }
}

/// V[key .. key + 64)[all columns] into wn slabs; rows and columns outside are 0, so that a
/// tail of P times them is 0 and not NaN.
template <typename Shape, int wn, typename Element>
__device__ __forceinline__ void load_v(unsigned char* shared, const OutputParams<Element>& params,
                                       const Element* v, std::int64_t key) {
    constexpr int rows_a_pass = Shape::threads / (8 * wn);  // one pass fills whole rows
    const int chunk = threadIdx.x % 8, slab = threadIdx.x / 8 % wn, r = threadIdx.x / (8 * wn);
    const int column = slab * slab_columns + chunk * 8;
    const int rows_left =
        column < params.head_dim
            ? static_cast<int>(min(params.kv_len - key, std::int64_t{output_keys}))
            : 0;
    const Element* source = v + (key + r) * params.head_dim + column;
    const std::uint32_t target = ptx::shared_address(shared) + slab * Shape::v_slab_bytes;
#pragma unroll
    for (int i = 0; i < output_keys / rows_a_pass; ++i) {
        const int row = r + i * rows_a_pass;
        const bool valid = row < rows_left;
        ptx::cp_async_16_or_zero(target + chunk_offset(row, chunk),
                                 valid ? source + i * rows_a_pass * params.head_dim : v, valid);
    }
}

/// Stores a warp's 64x64 part of O; (row, column) is the corner, `o` the head's O.
template <typename Element>
__device__ __forceinline__ void store_output(const Accumulator& c, const OutputParams<Element>& p,
                                             Element* o, std::int64_t row, int column) {
    const int lane = threadIdx.x % 32;
    row += lane / 4;
    column += 2 * (lane % 4);
#pragma unroll
    for (int half_tile = 0; half_tile < 8; ++half_tile) {
        const int m = half_tile / 2, h = half_tile % 2;
        const std::int64_t r = row + half_tile * 8;
        if (r >= p.q_len) return;
        Element* target = o + r * p.head_dim + column;
#pragma unroll
        for (int n = 0; n < 8; ++n)
            if (column + 8 * n < p.head_dim)
                *reinterpret_cast<std::uint32_t*>(target + 8 * n) =
                    ptx::pack<Element>(c[m][n][2 * h], c[m][n][2 * h + 1]);
    }
}

template <typename Element, int wm, int wn, int stages, int blocks_an_sm>
__global__ void __launch_bounds__(32 * wm * wn, blocks_an_sm)
    output_kernel(const OutputParams<Element> params) {
    using Shape = OutputShape<wm, wn>;
    extern __shared__ __align__(1024) unsigned char shared[];
    const std::uint32_t ring = ptx::shared_address(shared);

    const std::int64_t q_tile = blockIdx.x % params.q_tiles;
    const std::int64_t head = blockIdx.x / params.q_tiles;
    const std::int64_t first_row = q_tile * Shape::rows;
    const Element* p = params.p + head * params.q_len * params.kv_len;
    const Element* v = params.v + head / params.group * params.kv_len * params.head_dim;
    Element* o = params.o + head * params.q_len * params.head_dim;

    const std::int64_t steps = (params.kv_len + output_keys - 1) / output_keys;
    auto load = [&](std::int64_t step, int stage) {
        unsigned char* target = shared + stage * Shape::stage_bytes;
        load_p<Shape>(target, params, p, first_row, step * output_keys);
        load_v<Shape, wn>(target + Shape::p_bytes, params, v, step * output_keys);
    };
#pragma unroll
    for (int i = 0; i < stages - 1; ++i) {
        if (i < steps) load(i, i);
        ptx::cp_async_commit();
    }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / wn * warp_tile, warp_slab = warp % wn;
    const std::uint32_t a = ring + warp_row * slab_pitch + lane_offset_16x2(lane);
    const std::uint32_t b =
        ring + Shape::p_bytes + warp_slab * Shape::v_slab_bytes + lane_offset_16x2(lane);

    Accumulator c;
    clear(c);
    int stage = 0, fill = stages - 1;  // ring positions read and written next
    for (std::int64_t step = 0; step < steps; ++step) {
        ptx::cp_async_wait<stages - 2>();
        __syncthreads();
        if (step + stages - 1 < steps) load(step + stages - 1, fill);
        ptx::cp_async_commit();
        fill = fill + 1 == stages ? 0 : fill + 1;
#pragma unroll
        for (int k = 0; k < output_keys / 16; ++k)
            multiply_step<Element, true>(c, a + stage * Shape::stage_bytes,
                                         b + stage * Shape::stage_bytes, k);
        stage = stage + 1 == stages ? 0 : stage + 1;
    }
    store_output(c, params, o, first_row + warp_row, warp_slab * slab_columns);
}

template <typename Element, int wm, int wn, int stages, int blocks_an_sm = 1>
void launch_output_shape(const LaunchArgs& args) {
    using Shape = OutputShape<wm, wn>;
    const AttentionProblem& problem = args.problem;
    OutputParams<Element> p{};
    p.p = static_cast<const Element*>(args.workspace);
    p.v = static_cast<const Element*>(args.v);
    p.o = static_cast<Element*>(args.o);
    p.q_len = problem.q_len;
    p.kv_len = problem.kv_len;
    p.q_tiles = ceil_div(problem.q_len, Shape::rows);
    p.group = problem.heads / problem.kv_heads;
    p.head_dim = static_cast<int>(problem.head_dim);

    const int bytes = stages * Shape::stage_bytes;
    auto* kernel = output_kernel<Element, wm, wn, stages, blocks_an_sm>;
    allow_shared_memory(kernel, bytes);
    kernel<<<grid_x(problem.batch * problem.heads * p.q_tiles), Shape::threads, bytes,
             static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive output");
}

/// 256 rows a block (128 at head_dim 256) when that fills the device and the chip has the shared
/// memory, else half of that. The small shapes stay within 96 KiB: every chip from sm_80 has that.
template <typename Element>
void launch_output_mma(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    const std::int64_t tiles = problem.batch * problem.heads * ceil_div(problem.q_len, 256);
    const bool large = tiles >= current_device_attribute(cudaDevAttrMultiProcessorCount) &&
                       current_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >=
                           3 * OutputShape<4, 2>::stage_bytes;
    if (problem.head_dim <= 64) return launch_output_shape<Element, 4, 1, 2, 2>(args);
    if (problem.head_dim <= 128)
        return large ? launch_output_shape<Element, 4, 2, 3>(args)
                     : launch_output_shape<Element, 2, 2, 3>(args);
    return large ? launch_output_shape<Element, 2, 4, 3>(args)
                 : launch_output_shape<Element, 1, 4, 2>(args);
}

}  // namespace attnroof::cuda
