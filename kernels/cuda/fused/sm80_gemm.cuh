// The two matrix products of a key tile, a warp at a time: S = Q K^T, the mask, O += P V.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/fused/sm80_shape.cuh"
#include "kernels/cuda/fused/sm80_tile.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda::sm80 {

template <int M, int N>
__device__ __forceinline__ void clear(float (&tiles)[M][N][4]) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) tiles[m][n][e] = 0.0f;
}

// Addresses are those of a lane: rows_first_offset() in Q and V, halves_first_offset() in K.

/// All A fragments of a warp's rows of Q.
template <class T>
__device__ __forceinline__ void load_q(typename T::QFragments& q, std::uint32_t q_address) {
#pragma unroll
    for (int step = 0; step < T::k_steps; ++step)
#pragma unroll
        for (int m = 0; m < T::row_tiles; ++m)
            ptx::ldmatrix_x4(q[step][m],
                             (q_address ^ (step * 32)) + m * 16 * Layout<T::head_dim>::pitch);
}

/// S = Q K^T for one tile of keys.
template <class T>
__device__ __forceinline__ void scores(typename T::Scores& s, const typename T::QFragments& q,
                                       std::uint32_t q_address, std::uint32_t k_address) {
    constexpr int pitch = Layout<T::head_dim>::pitch;
    clear(s);
#pragma unroll
    for (int step = 0; step < T::k_steps; ++step) {
        std::uint32_t a[T::row_tiles][4];
#pragma unroll
        for (int m = 0; m < T::row_tiles; ++m) {
            if constexpr (T::q_in_registers) {
#pragma unroll
                for (int i = 0; i < 4; ++i) a[m][i] = q[step][m][i];
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
__device__ __forceinline__ void output(typename T::Output& o, const typename T::Scores& p,
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
__device__ __forceinline__ void mask_scores(typename T::Scores& s, int limit, int warp, int lane) {
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

}  // namespace attnroof::cuda::sm80
