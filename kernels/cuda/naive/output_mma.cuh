// naive, step 3 on tensor cores: O = P V, P read once.
//
// A block owns 64 wm rows and all of head_dim (64 wn columns), streams P and V in steps of 64 keys
// (cp.async ring) and keeps O in registers; each of wm x wn warps makes a 64x64 product. V stays in
// L2, from where every row tile reads it again: 256 rows at head_dim 128 make that half a byte of V
// for each byte of P.
//
// Measured on an H200, bf16, 16k tokens, hidden size 2048, N = 8192 (TFLOP/s at head_dim 64 / 128;
// mma.sync from registers reaches 640, HBM reads 4.67 TB/s):
//   fragments read where they are used                     254 / 360
//   fragments of the next step read under the mma of this  251 / 411
//   rows padded to 16 bytes: no path for odd lengths       259 / 434   4.04 / 3.39 TB/s
#pragma once

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/tile.cuh"

namespace attnroof::cuda {

template <typename Element>
struct OutputParams {
    const Element* p;  // [batch * heads][q_len][pitch], 0 from kv_len on
    const Element* v;  // [batch * kv_heads][kv_len][head_dim]
    Element* o;        // [batch * heads][q_len][head_dim]
    std::int64_t q_len, kv_len, pitch, q_tiles;
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

/// P[row .. row + rows)[key .. key + 64) into a slab; `p` is the head's P. What lies outside is 0.
template <typename Shape, typename Element>
__device__ __forceinline__ void load_p(std::uint32_t shared, const OutputParams<Element>& params,
                                       const Element* p, std::int64_t row, std::int64_t key) {
    constexpr int rows_a_pass = Shape::threads / 8;
    const int r = threadIdx.x / 8, chunk = threadIdx.x % 8;
    key += chunk * 8;
    const Element* source = p + (row + r) * params.pitch + key;
    const std::int64_t stride = rows_a_pass * params.pitch;
    const int rows_left = key < params.pitch
                              ? static_cast<int>(min(params.q_len - row, std::int64_t{Shape::rows}))
                              : 0;
    shared += chunk_offset(r, chunk);
#pragma unroll
    for (int i = 0; i < Shape::rows / rows_a_pass; ++i, source += stride)
        ptx::cp_async_16_or_zero(shared + i * rows_a_pass * slab_pitch, source,
                                 r + i * rows_a_pass < rows_left);
}

/// V[key .. key + 64)[all columns] into wn slabs; rows and columns outside are 0, so that a
/// tail of P times them is 0 and not NaN.
template <typename Shape, int wn, typename Element>
__device__ __forceinline__ void load_v(std::uint32_t shared, const OutputParams<Element>& params,
                                       const Element* v, std::int64_t key) {
    constexpr int rows_a_pass = Shape::threads / (8 * wn);  // one pass fills whole rows
    const int chunk = threadIdx.x % 8, slab = threadIdx.x / 8 % wn, r = threadIdx.x / (8 * wn);
    const int column = slab * slab_columns + chunk * 8;
    const int rows_left =
        column < params.head_dim
            ? static_cast<int>(min(params.kv_len - key, std::int64_t{output_keys}))
            : 0;
    const Element* source = v + (key + r) * params.head_dim + column;
    shared += slab * Shape::v_slab_bytes;
#pragma unroll
    for (int i = 0; i < output_keys / rows_a_pass; ++i, source += rows_a_pass * params.head_dim) {
        const int row = r + i * rows_a_pass;
        ptx::cp_async_16_or_zero(shared + chunk_offset(row, chunk), source, row < rows_left);
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
    const Element* p = params.p + head * params.q_len * params.pitch;
    const Element* v = params.v + head / params.group * params.kv_len * params.head_dim;
    Element* o = params.o + head * params.q_len * params.head_dim;

    const std::int64_t steps = (params.kv_len + output_keys - 1) / output_keys;
    auto load_stage = [&](std::int64_t step, int stage) {
        const std::uint32_t target = ring + stage * Shape::stage_bytes;
        load_p<Shape>(target, params, p, first_row, step * output_keys);
        load_v<Shape, wn>(target + Shape::p_bytes, params, v, step * output_keys);
    };
#pragma unroll
    for (int i = 0; i < stages - 1; ++i) {
        if (i < steps) load_stage(i, i);
        ptx::cp_async_commit();
    }

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / wn * warp_tile, warp_slab = warp % wn;
    const std::uint32_t a = ring + warp_row * slab_pitch + lane_offset_16x2(lane);
    const std::uint32_t b =
        ring + Shape::p_bytes + warp_slab * Shape::v_slab_bytes + lane_offset_16x2(lane);

    // The fragments of a step are read while the step before is multiplied, across stages too: the
    // barrier that frees a stage stands one step before its end.
    Accumulator c;
    clear(c);
    Fragments f[2];
    ptx::cp_async_wait<stages - 2>();
    __syncthreads();
    load<true>(f[0], a, b, 0);
    int read = 0, fill = stages - 1;  // ring positions
    for (std::int64_t step = 0; step < steps; ++step) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k == 3) {
                ptx::cp_async_wait<stages - 2>();
                __syncthreads();
                read = read + 1 == stages ? 0 : read + 1;
            }
            const std::uint32_t offset = read * Shape::stage_bytes;
            load<true>(f[(k + 1) % 2], a + offset, b + offset, (k + 1) % 4);
            if (k == 0) {
                if (step + stages - 1 < steps) load_stage(step + stages - 1, fill);
                ptx::cp_async_commit();
                fill = fill + 1 == stages ? 0 : fill + 1;
            }
            multiply<Element>(c, f[k % 2]);
        }
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
    p.pitch = score_pitch(problem);
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
