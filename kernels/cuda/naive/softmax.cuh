// naive, step 2: S becomes P = softmax(mask(S)) in place, and LSE. Every score is read once and
// every probability written once, masked keys included: the kernel is as dense as its traffic
// model.
//
// A row waits for its maximum and its sum where it was loaded:
//   up to  2 KB    in the registers of one warp (1,024 16-bit keys)
//   up to 64 KB    in the registers of one block of up to 1024 threads (32,768 16-bit keys)
//   what fits      in shared memory (about 116,000 16-bit keys on Hopper, 83,000 on A100)
//   beyond         nowhere: a second pass reads S again
// Every access is 16 bytes wide; what fills a row up to its pitch is masked like any other key that
// is not seen, and becomes 0. S in fp32 with P in 16 bits also works in place: P takes the first
// half of its row's place, once all of the row has been read.
//
// Measured on an H200, bf16, 8192 keys: 2.33 TB/s with each load waited for in turn, 3.59 with all
// loads of a row in flight together, 4.0 with blocks of exactly the row's width (an in-place copy
// of the same shape: 4.05).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/ptx/math.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda {

template <typename Score>
struct SoftmaxParams {
    Score* s;    // [rows][pitch], S on entry and P on exit
    float* lse;  // [rows]
    std::int64_t rows, q_len, kv_len, pitch;
    bool causal;
    int row_block;  // 0: dense; else rows are read as far as they see and written as far as the
                    // step after reads, which works on this many rows at a time
};

inline constexpr int skip_keys = 64;  // granule of the keys that the step after reads

/// Keys that row `row` of all heads sees; AttentionProblem::visible_keys.
template <typename Score>
__device__ __forceinline__ std::int64_t visible_keys(const SoftmaxParams<Score>& p,
                                                     std::int64_t row) {
    if (!p.causal) return p.kv_len;
    const std::int64_t keys = row % p.q_len + 1 + p.kv_len - p.q_len;
    return max(keys, std::int64_t{0});
}

/// Keys of row `row` to be written.
template <typename Score>
__device__ __forceinline__ std::int64_t written_keys(const SoftmaxParams<Score>& p,
                                                     std::int64_t row) {
    if (p.row_block == 0) return p.pitch;
    const std::int64_t last = (row % p.q_len / p.row_block + 1) * p.row_block;
    const std::int64_t keys = max(min(last + p.kv_len - p.q_len, p.kv_len), std::int64_t{0});
    return min((keys + skip_keys - 1) / skip_keys * skip_keys, p.pitch);
}

/// The neighbouring scores whose probabilities fill 16 bytes: 16 or (fp32 to 16 bits) 32 bytes.
template <typename Score, typename Element>
struct Chunk {
    static constexpr int size = 16 / sizeof(Element);
    static constexpr int loads = sizeof(Score) / sizeof(Element);
    union {
        uint4 raw[loads];
        Score score[size];
    };
    __device__ __forceinline__ void load(const uint4* row, std::int64_t index) {
#pragma unroll
        for (int i = 0; i < loads; ++i) raw[i] = __ldcs(row + index * loads + i);
    }
    __device__ __forceinline__ void unpack(float* x) const {
#pragma unroll
        for (int i = 0; i < size; ++i) x[i] = static_cast<float>(score[i]);
    }
};

/// Stores `Chunk::size` probabilities as 16 bytes.
template <typename Element>
__device__ __forceinline__ void store_chunk(uint4* target, const float* x) {
    uint4 packed;
    if constexpr (sizeof(Element) == 4)
        packed = make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                            __float_as_uint(x[3]));
    else
        packed = make_uint4(ptx::pack<Element>(x[0], x[1]), ptx::pack<Element>(x[2], x[3]),
                            ptx::pack<Element>(x[4], x[5]), ptx::pack<Element>(x[6], x[7]));
    __stcs(target, packed);
}

/// -inf for keys that are not among the first `visible` of the row; `first` is the key of x[0].
template <int size, typename Index>
__device__ __forceinline__ void mask_chunk(float* x, Index first, Index visible) {
    if (first + size <= visible) return;
#pragma unroll
    for (int i = 0; i < size; ++i)
        if (first + i >= visible) x[i] = -INFINITY;
}

inline constexpr float log2_e = 1.44269504088896340736f;
inline constexpr float ln_2 = 0.69314718055994530942f;

struct Max {
    __device__ static float identity() { return -INFINITY; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ static float identity() { return 0.0f; }
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
__device__ __forceinline__ float reduce_warp(float x, Op op) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        x = op(x, __shfl_xor_sync(0xffffffffu, x, distance));
    return x;
}

/// Over all threads of the block; `partial` is shared, 32 floats, not in use by anyone.
template <typename Op>
__device__ __forceinline__ float reduce_block(float x, Op op, float* partial) {
    x = reduce_warp(x, op);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : Op::identity();
    return reduce_warp(x, op);
}

/// Maximum to subtract: 0 for a row that sees nothing, where -inf - -inf would be NaN.
__device__ __forceinline__ float finite_maximum(float maximum) {
    return maximum == -INFINITY ? 0.0f : maximum;
}

__device__ __forceinline__ void store_lse(float* lse, float maximum, float sum) {
    *lse = sum > 0.0f ? maximum + ln_2 * log2f(sum) : (sum == 0.0f ? -INFINITY : sum);
}

/// A row in registers: `chunks` of 16 bytes a thread, rows of one warp or of the whole block.
template <typename Score, typename Element, int chunks, bool warp_a_row>
__global__ void __launch_bounds__(warp_a_row ? 256 : 1024)
    softmax_kernel(const SoftmaxParams<Score> p) {
    constexpr int size = Chunk<Score, Element>::size;
    __shared__ float partial[2][32];
    const std::int64_t row =
        warp_a_row ? blockIdx.x * (blockDim.x / 32LL) + threadIdx.x / 32 : blockIdx.x;
    if (warp_a_row && row >= p.rows) return;
    const int lane = warp_a_row ? threadIdx.x % 32 : threadIdx.x;
    const int lanes = warp_a_row ? 32 : blockDim.x;
    uint4* cells = reinterpret_cast<uint4*>(p.s + row * p.pitch);
    const int visible = static_cast<int>(min(visible_keys(p, row), p.kv_len));
    const int read = p.row_block == 0 ? static_cast<int>(p.pitch) : visible;

    Chunk<Score, Element> loaded[chunks];  // all loads first, to be in flight together
#pragma unroll
    for (int i = 0; i < chunks; ++i)
        if ((lane + i * lanes) * size < read) loaded[i].load(cells, lane + i * lanes);
    float x[chunks][size];
    float maximum = -INFINITY;
#pragma unroll
    for (int i = 0; i < chunks; ++i) {
        loaded[i].unpack(x[i]);
        mask_chunk<size>(x[i], (lane + i * lanes) * size, visible);
#pragma unroll
        for (int j = 0; j < size; ++j) maximum = fmaxf(maximum, x[i][j]);
    }
    maximum = warp_a_row ? reduce_warp(maximum, Max{}) : reduce_block(maximum, Max{}, partial[0]);

    const float shift = finite_maximum(maximum) * log2_e;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < chunks; ++i)
#pragma unroll
        for (int j = 0; j < size; ++j) {
            x[i][j] = ptx::ex2(fmaf(x[i][j], log2_e, -shift));
            sum += x[i][j];
        }
    sum = warp_a_row ? reduce_warp(sum, Sum{}) : reduce_block(sum, Sum{}, partial[1]);

    const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
    const int written = static_cast<int>(written_keys(p, row));
#pragma unroll
    for (int i = 0; i < chunks; ++i) {
#pragma unroll
        for (int j = 0; j < size; ++j) x[i][j] *= inverse;
        if ((lane + i * lanes) * size < written)
            store_chunk<Element>(cells + lane + i * lanes, x[i]);
    }
    if (lane == 0) store_lse(p.lse + row, maximum, sum);
}

/// A row in shared memory, or (`cached` false) read twice. Maximum and sum are found together, each
/// thread rescaling its sum when its maximum grows (Milakov and Gimelshein, Online normalizer
/// calculation for softmax, 2018).
template <typename Score, typename Element, bool cached>
__global__ void __launch_bounds__(1024) softmax_long_kernel(const SoftmaxParams<Score> p) {
    using Scores = Chunk<Score, Element>;
    constexpr int size = Scores::size;
    static_assert(cached || Scores::loads == 1, "P would overwrite scores still to be read");
    extern __shared__ uint4 cache[];
    __shared__ float partial[2][32];
    const std::int64_t row = blockIdx.x;
    uint4* cells = reinterpret_cast<uint4*>(p.s + row * p.pitch);
    const std::int64_t visible = min(visible_keys(p, row), p.kv_len);
    const std::int64_t read = p.row_block == 0 ? p.pitch : visible;
    const std::int64_t written = written_keys(p, row);

    float maximum = -INFINITY, sum = 0.0f;
#pragma unroll 4
    for (std::int64_t i = threadIdx.x; i * size < read; i += blockDim.x) {
        Scores c;
        c.load(cells, i);
        if constexpr (cached)
            for (int j = 0; j < Scores::loads; ++j) cache[i * Scores::loads + j] = c.raw[j];
        float x[size], top = maximum;
        c.unpack(x);
        mask_chunk<size>(x, i * size, visible);
#pragma unroll
        for (int j = 0; j < size; ++j) top = fmaxf(top, x[j]);
        const float shift = finite_maximum(top) * log2_e;
        sum *= ptx::ex2(fmaf(maximum, log2_e, -shift));
        maximum = top;
#pragma unroll
        for (int j = 0; j < size; ++j) sum += ptx::ex2(fmaf(x[j], log2_e, -shift));
    }
    const float row_maximum = reduce_block(maximum, Max{}, partial[0]);
    const float shift = finite_maximum(row_maximum) * log2_e;
    sum = reduce_block(sum * ptx::ex2(fmaf(maximum, log2_e, -shift)), Sum{}, partial[1]);

    const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
#pragma unroll 4
    for (std::int64_t i = threadIdx.x; i * size < written; i += blockDim.x) {
        Scores c;
        if constexpr (cached)
            for (int j = 0; j < Scores::loads; ++j) c.raw[j] = cache[i * Scores::loads + j];
        else
            c.load(cells, i);
        float x[size];
        c.unpack(x);
        mask_chunk<size>(x, i * size, visible);
#pragma unroll
        for (int j = 0; j < size; ++j) x[j] = ptx::ex2(fmaf(x[j], log2_e, -shift)) * inverse;
        store_chunk<Element>(cells + i, x);
    }
    if (threadIdx.x == 0) store_lse(p.lse + row, row_maximum, sum);
}

template <typename Score, typename Element>
void launch_softmax(const LaunchArgs& args, int row_block = 0) {
    const AttentionProblem& problem = args.problem;
    SoftmaxParams<Score> p{};
    p.s = static_cast<Score*>(args.workspace);
    p.lse = args.lse;
    p.rows = problem.lse_elements();
    p.q_len = problem.q_len;
    p.kv_len = problem.kv_len;
    p.pitch = score_pitch(problem);
    p.causal = problem.mask == Mask::causal;
    p.row_block = row_block;
    const auto stream = static_cast<cudaStream_t>(args.stream);
    using Scores = Chunk<Score, Element>;
    const std::int64_t chunks = p.pitch / Scores::size;
    constexpr int few = 2, many = 4;  // chunks a thread
    const std::int64_t row_bytes = p.pitch * static_cast<std::int64_t>(sizeof(Score));
    const int shared_bytes = current_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                             512;  // less what the reductions use
    const auto warp_rows = grid_x(ceil_div(p.rows, 8));
    if (chunks <= 32 * few) {
        softmax_kernel<Score, Element, few, true><<<warp_rows, 256, 0, stream>>>(p);
    } else if (chunks <= 32 * many) {
        softmax_kernel<Score, Element, many, true><<<warp_rows, 256, 0, stream>>>(p);
    } else if (chunks <= 1024 * many) {
        const auto threads = static_cast<int>(ceil_div(ceil_div(chunks, many), 32) * 32);
        softmax_kernel<Score, Element, many, false><<<grid_x(p.rows), threads, 0, stream>>>(p);
    } else if (row_bytes <= shared_bytes) {
        auto* kernel = softmax_long_kernel<Score, Element, true>;
        allow_shared_memory(kernel, static_cast<int>(row_bytes));
        kernel<<<grid_x(p.rows), 1024, row_bytes, stream>>>(p);
    } else if constexpr (Scores::loads == 1) {
        softmax_long_kernel<Score, Element, false><<<grid_x(p.rows), 1024, 0, stream>>>(p);
    } else {
        check(cudaErrorInvalidValue, "a row of fp32 scores that fits in shared memory");
    }
    check_launch("naive softmax");
}

}  // namespace attnroof::cuda
