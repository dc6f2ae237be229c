// Online softmax over the accumulator of one warpgroup: 64 query rows, two of them in each thread.
//
// Milakov, Gimelshein: Online normalizer calculation for softmax (2018); the exponential is
// 2^(s * scale_log2 - m * scale_log2), one FFMA and one ex2 a score.
#pragma once

#include <cstdint>

#include "kernels/cuda/ptx/math.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda::sm90 {

struct OnlineSoftmax {
    float row_max[2] = {-INFINITY, -INFINITY};  // of raw scores, over the keys seen so far
    float row_sum[2] = {0, 0};                  // of this thread's columns only, until the end

    /// Turns scores into unnormalised probabilities, in place. Returns in `rescale` what O's rows
    /// must be multiplied by. Only a masked block can leave a row without any key.
    template <bool masked, int count>
    __device__ __forceinline__ void step(float (&s)[count], float scale_log2, float (&rescale)[2]) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            float largest = row_max[row];
#pragma unroll
            for (int i = 0; i < count; i += 4)
                largest = fmaxf(largest, fmaxf(s[i + 2 * row], s[i + 2 * row + 1]));
            largest = ptx::quad_max(largest);
            const float finite = masked && largest == -INFINITY ? 0.0f : largest;
            const float base = finite * scale_log2;
            // Exactly 1 while the maximum stands: an FFMA less the rounded base would be off by the
            // base's rounding, once for each block of keys.
            rescale[row] = ptx::ex2((row_max[row] - finite) * scale_log2);
            row_max[row] = largest;
            float sum = row_sum[row] * rescale[row];
#pragma unroll
            for (int i = 0; i < count; i += 4) {
                s[i + 2 * row] = ptx::ex2(fmaf(s[i + 2 * row], scale_log2, -base));
                s[i + 2 * row + 1] = ptx::ex2(fmaf(s[i + 2 * row + 1], scale_log2, -base));
                sum += s[i + 2 * row] + s[i + 2 * row + 1];
            }
            row_sum[row] = sum;
        }
    }
};

/// Columns at or past each row's limit become -inf. `first_column` is this thread's first.
template <int count>
__device__ __forceinline__ void mask_columns(float (&s)[count], int first_column,
                                             const int (&limit)[2]) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
        const int column = first_column + 2 * i;  // 8 columns for every 4 accumulators
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            if (column >= limit[row]) s[i + 2 * row] = -INFINITY;
            if (column + 1 >= limit[row]) s[i + 2 * row + 1] = -INFINITY;
        }
    }
}

/// P as A fragments: two groups of eight columns fill one 64x16 operand.
template <typename Element, int count>
__device__ __forceinline__ void pack_probabilities(const float (&s)[count],
                                                   std::uint32_t (&p)[count / 8][4]) {
#pragma unroll
    for (int i = 0; i < count / 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            p[i][j] = ptx::pack<Element>(s[8 * i + 2 * j], s[8 * i + 2 * j + 1]);
}

template <int count>
__device__ __forceinline__ void scale_rows(float (&o)[count], const float (&factor)[2]) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
        o[i] *= factor[0];
        o[i + 1] *= factor[0];
        o[i + 2] *= factor[1];
        o[i + 3] *= factor[1];
    }
}

}  // namespace attnroof::cuda::sm90
