// Tiles of 16-bit elements in shared memory: how they are laid out, filled and read as fragments.
//
// A tile is [rows][HeadDim], row pitch HeadDim elements, in chunks of 16 bytes. Chunk c of row r is
// stored at chunk c ^ (r % 8): the eight rows that one ldmatrix phase reads, and the eight chunks
// that neighbouring threads write, then fall into different banks, with no padding.
#pragma once

#include <cstdint>

#include "kernels/cuda/ptx/cp_async.cuh"
#include "kernels/cuda/ptx/ldmatrix.cuh"

namespace attnroof::cuda::sm80 {

template <int HeadDim>
struct Layout {
    static_assert(HeadDim % 64 == 0, "the swizzle permutes eight chunks of 16 bytes");
    static constexpr int pitch = HeadDim * 2;  // bytes
    static constexpr int chunks = HeadDim / 8;

    __device__ static constexpr int offset(int row, int chunk) {
        return row * pitch + ((chunk ^ (row & 7)) << 4);
    }
};

/// One thread's share of copying tiles of `Rows` rows from global memory.
template <int Rows, int HeadDim, int Threads>
class TileCopy {
    using L = Layout<HeadDim>;
    static constexpr int rows_a_pass = Threads / L::chunks;
    static constexpr int passes = Rows / rows_a_pass;
    static_assert(Threads % L::chunks == 0 && Rows % rows_a_pass == 0);

  public:
    __device__ __forceinline__ explicit TileCopy(int thread)
        : row_(thread / L::chunks), chunk_(thread % L::chunks) {}

    /// Offset in elements of this thread's first chunk in a tile of rows of `head_dim` elements.
    __device__ __forceinline__ int source_offset(int head_dim) const {
        return row_ * head_dim + chunk_ * 8;
    }

    /// Starts the copy of a tile; `source` already includes source_offset(). Columns from
    /// `head_dim` on and, in the last tile, rows from `valid_rows` on become zero and are not read.
    template <bool LastTile, typename Element>
    __device__ __forceinline__ void start(std::uint32_t shared, const Element* source, int head_dim,
                                          int valid_rows = Rows) const {
        const bool valid = chunk_ * 8 < head_dim;
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            const int row = row_ + pass * rows_a_pass;
            ptx::cp_async_16_or_zero(shared + L::offset(row, chunk_), source,
                                     valid && (!LastTile || row < valid_rows));
            source += rows_a_pass * head_dim;
        }
    }

  private:
    int row_, chunk_;
};

// Where a lane points ldmatrix_x4 for the 16x16 block in rows 0-15, columns 0-15 of a tile. Blocks
// further down are at + rows * pitch. The block s to the right is at ^ (s * 32): a step of 16
// columns flips bits of the chunk above the lowest, and tiles are aligned to more than a row.

/// Rows 0-7 and 8-15 of the left half go to r[0] and r[1], those of the right half to r[2] and
/// r[3]: an A fragment, and with ldmatrix_x4_trans on a [k][n] tile B fragments r[0..1] and
/// r[2..3].
template <int HeadDim>
__device__ __forceinline__ int rows_first_offset(int lane) {
    return Layout<HeadDim>::offset(lane & 15, lane >> 4);
}

/// Left and right half of rows 0-7 go to r[0] and r[1], those of rows 8-15 to r[2] and r[3]: on a
/// [n][k] tile B fragments r[0..1] and r[2..3], in the register pairs that mma wants.
template <int HeadDim>
__device__ __forceinline__ int halves_first_offset(int lane) {
    return Layout<HeadDim>::offset((lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1);
}

}  // namespace attnroof::cuda::sm80
