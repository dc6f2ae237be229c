// Shared-memory tiles and the 64x64 warp product that both GEMMs of the naive kernel are made of.
//
// A slab is [rows][64] 16-bit elements with a pitch of 128 bytes. The 16-byte chunk c of row r lies
// at chunk c ^ (r % 8): eight rows of one column of chunks then fall into all 32 banks, so neither
// ldmatrix nor cp.async meets a bank conflict. Slabs start at multiples of 1024 bytes.
#pragma once

#include <cstdint>

#include "kernels/cuda/ptx/cp_async.cuh"
#include "kernels/cuda/ptx/ldmatrix.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda {

inline constexpr int slab_columns = 64;
inline constexpr int slab_pitch = 2 * slab_columns;  // bytes
inline constexpr int warp_tile = 64;                 // rows and columns of one warp's product

/// Byte offset of 16-byte chunk `chunk` of row `row` in a slab.
__device__ __forceinline__ std::uint32_t chunk_offset(int row, int chunk) {
    return row * slab_pitch + ((chunk ^ (row & 7)) << 4);
}

/// Where a lane reads its ldmatrix row in a slab: rows 0-15 and two chunks (A, and B transposed).
__device__ __forceinline__ std::uint32_t lane_offset_16x2(int lane) {
    return chunk_offset(lane & 15, lane >> 4);
}

/// The same for B stored [n][k]: two 8-row groups, the chunks of one k step within each.
__device__ __forceinline__ std::uint32_t lane_offset_nk(int lane) {
    return chunk_offset((lane >> 4) * 8 + (lane & 7), (lane >> 3) & 1);
}

using Accumulator = float[4][8][4];  // [16-row tile][8-column tile][mma's four]

__device__ __forceinline__ void clear(Accumulator& c) {
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < 8; ++n)
#pragma unroll
            for (int i = 0; i < 4; ++i) c[m][n][i] = 0.0f;
}

/// Operands of one 64x64x16 step.
struct Fragments {
    std::uint32_t a[4][4];  // [16-row tile]
    std::uint32_t b[4][4];  // [pair of 8-column tiles]
};

/// Reads step `k` of A[64][64] and of B. `a` and `b` are the addresses of the lane's rows; B's slab
/// is [n][k] (k chooses the chunk) or, when `transposed`, [k][n] (k chooses the rows).
template <bool transposed>
__device__ __forceinline__ void load(Fragments& f, std::uint32_t a, std::uint32_t b, int k) {
#pragma unroll
    for (int m = 0; m < 4; ++m) ptx::ldmatrix_x4(f.a[m], (a + m * 16 * slab_pitch) ^ (k << 5));
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
        if constexpr (transposed)
            ptx::ldmatrix_x4_trans(f.b[pair], (b + k * 16 * slab_pitch) ^ (pair << 5));
        else
            ptx::ldmatrix_x4(f.b[pair], (b + pair * 16 * slab_pitch) ^ (k << 5));
    }
}

/// c += A B.
template <typename Element>
__device__ __forceinline__ void multiply(Accumulator& c, const Fragments& f) {
#pragma unroll
    for (int pair = 0; pair < 4; ++pair)
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            ptx::mma_m16n8k16<Element>(c[m][2 * pair], f.a[m], f.b[pair][0], f.b[pair][1]);
            ptx::mma_m16n8k16<Element>(c[m][2 * pair + 1], f.a[m], f.b[pair][2], f.b[pair][3]);
        }
}

}  // namespace attnroof::cuda
