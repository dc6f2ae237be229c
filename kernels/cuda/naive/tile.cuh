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

/// Eight elements of a row of which the first `count` exist, with no alignment assumed.
template <typename Element>
__device__ uint4 gather_chunk(const Element* source, int count) {
    union {
        uint4 chunk;
        Element element[8];
    } gathered;
    gathered.chunk = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < 8; ++i)
        if (i < count) gathered.element[i] = source[i];
    return gathered.chunk;
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

/// c += A[64][16] B[16][64] at step `k` of a slab. `a` is the address of the lane's row in A's
/// slab. B is [n][k] (`b` = lane's row; k chooses the chunk) or, when `transposed`, [k][n] (k
/// chooses the rows).
template <typename Element, bool transposed>
__device__ __forceinline__ void multiply_step(Accumulator& c, std::uint32_t a, std::uint32_t b,
                                              int k) {
    std::uint32_t a_fragment[4][4];
#pragma unroll
    for (int m = 0; m < 4; ++m)
        ptx::ldmatrix_x4(a_fragment[m], (a + m * 16 * slab_pitch) ^ (k << 5));
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
        std::uint32_t b_fragment[4];
        if constexpr (transposed)
            ptx::ldmatrix_x4_trans(b_fragment, (b + k * 16 * slab_pitch) ^ (pair << 5));
        else
            ptx::ldmatrix_x4(b_fragment, (b + pair * 16 * slab_pitch) ^ (k << 5));
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            ptx::mma_m16n8k16<Element>(c[m][2 * pair], a_fragment[m], b_fragment[0], b_fragment[1]);
            ptx::mma_m16n8k16<Element>(c[m][2 * pair + 1], a_fragment[m], b_fragment[2],
                                       b_fragment[3]);
        }
    }
}

}  // namespace attnroof::cuda
