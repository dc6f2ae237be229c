// Online softmax on mma accumulators: row maxima and sums that follow the key tiles.
#pragma once

#include "kernels/cuda/ptx/math.cuh"

namespace attnroof::cuda::sm80 {

/// Running maximum and sum of the rows that one thread holds: two for each 16-row tile (accumulator
/// rows lane / 4 and lane / 4 + 8).
///
/// The maximum is lazy: as long as no score of the warp exceeds it by more than a factor of 2^8
/// after exp, it stays, and nothing is rescaled. P then reaches 256 instead of 1, which neither
/// bf16, fp16 nor the fp32 sums mind, and the final division by the sum cancels it exactly.
template <int RowTiles>
struct OnlineSoftmax {
    static constexpr float headroom = 8.0f;  // log2 of how far P may exceed 1

    float maximum[RowTiles][2];  // of the raw scores, over the four lanes of the row
    float sum[RowTiles][2];      // of this lane's columns

    __device__ __forceinline__ OnlineSoftmax() {
#pragma unroll
        for (int m = 0; m < RowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                maximum[m][half] = -INFINITY;
                sum[m][half] = 0.0f;
            }
    }

    /// Raises the maxima and rescales `o` when a row of the warp has outgrown the headroom. `slack`
    /// is headroom / scale_log2. Masked scores are -inf, which may be all of a row.
    template <int ScoreTiles, int OutputTiles>
    __device__ __forceinline__ void follow(const float (&s)[RowTiles][ScoreTiles][4],
                                           float (&o)[RowTiles][OutputTiles][4], float scale_log2,
                                           float slack) {
        float tile_maximum[RowTiles][2];
        bool grew = false;
#pragma unroll
        for (int m = 0; m < RowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float x = s[m][0][2 * half];
#pragma unroll
                for (int j = 0; j < ScoreTiles; ++j)
                    x = fmaxf(x, fmaxf(s[m][j][2 * half], s[m][j][2 * half + 1]));
                tile_maximum[m][half] = x;
                grew |= x > maximum[m][half] + slack;
            }
        if (__any_sync(0xffffffffu, grew)) raise(tile_maximum, o, scale_log2);
    }

    /// Turns scores into P = 2^(scale_log2 * (s - maximum)) and adds them to the sums.
    template <int ScoreTiles>
    __device__ __forceinline__ void weights(float (&s)[RowTiles][ScoreTiles][4], float scale_log2) {
#pragma unroll
        for (int m = 0; m < RowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                // A row that has seen no key yet: -inf - -inf is NaN.
                const float shift =
                    maximum[m][half] == -INFINITY ? 0.0f : maximum[m][half] * scale_log2;
#pragma unroll
                for (int j = 0; j < ScoreTiles; ++j)
#pragma unroll
                    for (int e = 2 * half; e < 2 * half + 2; ++e) {
                        s[m][j][e] = ptx::ex2(fmaf(s[m][j][e], scale_log2, -shift));
                        sum[m][half] += s[m][j][e];
                    }
            }
    }

  private:
    template <int OutputTiles>
    __device__ __forceinline__ void raise(const float (&tile_maximum)[RowTiles][2],
                                          float (&o)[RowTiles][OutputTiles][4], float scale_log2) {
#pragma unroll
        for (int m = 0; m < RowTiles; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float old = maximum[m][half];
                const float now = fmaxf(old, ptx::quad_max(tile_maximum[m][half]));
                // -inf - -inf is NaN: a row that has seen no key yet has nothing to rescale.
                const float factor = old == -INFINITY ? 0.0f : ptx::ex2((old - now) * scale_log2);
                maximum[m][half] = now;
                sum[m][half] *= factor;
#pragma unroll
                for (int j = 0; j < OutputTiles; ++j) {
                    o[m][j][2 * half] *= factor;
                    o[m][j][2 * half + 1] *= factor;
                }
            }
    }
};

}  // namespace attnroof::cuda::sm80
