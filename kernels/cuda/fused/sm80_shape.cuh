// Compile-time shape and run-time parameters of the sm80 fused kernel, and the order of its blocks.
#pragma once

#include <cstdint>

namespace attnroof::cuda::sm80 {

/// One launch: sizes, then pointers. Shapes as in AttentionProblem.
struct Params {
    std::int64_t q_len, kv_len;
    int head_dim;             // true one, <= Tile::head_dim
    std::int64_t group;       // query heads that share a key/value head
    unsigned heads;           // batch * heads of this launch
    unsigned row_tiles;       // ceil(q_len / Tile::rows)
    unsigned section;         // heads that are worked on together
    std::int64_t first;       // first of this launch's batch * heads
    float scale, scale_log2;  // softmax scale, and the same times log2(e)
    float slack;              // OnlineSoftmax::headroom in raw scores
    const void *q, *k, *v;
    void* o;
    float* lse;
};

/// Compile-time shape: `Rows` query rows and `Cols` keys a tile, `Stages` buffers for each of K and
/// V, `Blocks` thread blocks an SM. `QInRegisters`: 0 or 1.
template <typename ElementT, bool CausalMask, int HeadDim, int Rows, int Cols, int Warps,
          int Stages, int Blocks, int QInRegisters>
struct Tile {
    using Element = ElementT;
    static constexpr bool causal = CausalMask;
    static constexpr int head_dim = HeadDim, rows = Rows, cols = Cols, warps = Warps;
    static constexpr int stages = Stages, blocks = Blocks;
    static constexpr bool q_in_registers = QInRegisters;
    static constexpr int threads = 32 * warps;
    static constexpr int row_tiles = rows / (16 * warps);  // 16-row mma tiles a warp
    static constexpr int score_tiles = cols / 8;           // 8-column mma tiles of S
    static constexpr int output_tiles = head_dim / 8;      // 8-column mma tiles of O
    static constexpr int k_steps = head_dim / 16;          // mma steps along head_dim
    static constexpr int q_bytes = rows * head_dim * 2, kv_bytes = cols * head_dim * 2;
    static constexpr int shared_bytes = q_bytes + 2 * stages * kv_bytes;
    /// Q as A fragments of one warp; a placeholder when they are read from shared memory instead.
    using QFragments = std::uint32_t[q_in_registers ? k_steps : 1][row_tiles][4];
    using Scores = float[row_tiles][score_tiles][4];
    using Output = float[row_tiles][output_tiles][4];
    static_assert(stages == 1 || stages == 2);
    static_assert(rows % (16 * warps) == 0 && cols % 16 == 0);
};

/// Which rows of which head a block works on.
struct Work {
    std::int64_t head;  // over batch * heads
    std::int64_t first_row;
};

/// blockIdx.x, read anew at each call: what is derived from it need not stay in registers.
__device__ __forceinline__ unsigned block_index() {
    unsigned index;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    return index;
}

/// Full mask: one head after the other, so that its K and V are read from HBM once. Causal:
/// sections of heads whose K and V stay in L2, and within a section heavy tiles (the last rows)
/// first.
template <class T>
__device__ __forceinline__ Work work_of(const Params& p) {
    const unsigned block = block_index();
    const unsigned section = block / (p.section * p.row_tiles);
    const unsigned heads = min(p.section, p.heads - section * p.section);
    const unsigned rest = block - section * p.section * p.row_tiles;
    const unsigned tile = p.row_tiles - 1 - rest / heads;
    return {p.first + section * p.section + rest % heads,
            static_cast<std::int64_t>(tile) * T::rows};
}

}  // namespace attnroof::cuda::sm80
