// Tile shapes, shared-memory layout and tile order of the sm90 fused kernel.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "kernels/cuda/last_block.cuh"

namespace attnroof::cuda::sm90 {

/// One compile-time choice of the kernel. BlockM query rows (64 a consumer warpgroup) meet BlockN
/// keys at a time; HeadDim is the padded head_dim.
template <typename Element_, int HeadDim, int BlockM, int BlockN, bool Causal>
struct Tile {
    using Element = Element_;
    static constexpr int head_dim = HeadDim, block_m = BlockM, block_n = BlockN;
    static constexpr bool causal = Causal;
    static constexpr int stages = 2;
    static constexpr int slabs = HeadDim / 64;  // 64 elements = 128 bytes, one swizzle span
    static constexpr int consumers = BlockM / 64;
    static constexpr int threads = 128 * (consumers + 1);
    // The register file holds 504 a lane of a warp quartet for 3 warpgroups, 512 for 4.
    static constexpr int consumer_registers = consumers == 3 ? 160 : 232;
    static constexpr int producer_registers = consumers == 3 ? 32 : 40;
    static constexpr bool ping_pong = consumers == 2;
    // Key blocks that need a mask have a loop of their own where registers suffice for two.
    static constexpr bool loops_apart = !Causal || HeadDim <= 128;
    // Whose tile is short of rows where q_len is no multiple of one: the first, which sees the
    // fewest keys, not the last, which sees all. 128 rows divide most lengths.
    static constexpr bool short_first = Causal && BlockM > 128;

    static constexpr int q_bytes = BlockM * HeadDim * 2;
    static constexpr int kv_bytes = BlockN * HeadDim * 2;
    // A second Q buffer hides the next tile's Q behind this one's end, where there is room.
    static constexpr int q_stages = 2 * q_bytes + 2 * stages * kv_bytes <= 226 * 1024 ? 2 : 1;
    static constexpr int k_offset = q_stages * q_bytes;
    static constexpr int v_offset = k_offset + stages * kv_bytes;
    static constexpr int barrier_offset = v_offset + stages * kv_bytes;
    static constexpr int barriers = 2 * q_stages + 4 * stages;
    static constexpr int tile_offset =
        barrier_offset + barriers * 8;  // which tile a Q buffer holds
    static constexpr int shared_bytes = tile_offset + q_stages * 4 + 1024;  // slack to align
    static_assert(shared_bytes <= 227 * 1024);
};

struct TileCounter;

struct Params {
    CUtensorMap q, k, v, o;  // 3-D {head_dim, length, batch * heads}, boxes of one slab
    float* lse;
    float scale;       // softmax scale, natural
    float scale_log2;  // scale * log2(e)
    int q_len, kv_len;
    int causal_offset;   // row i sees keys below i + causal_offset + 1
    int m_tiles;         // query tiles of one head
    int heads;           // query heads over the whole batch
    int group;           // query heads that share one kv head
    int heads_together;  // heads of a section whose K and V stay in L2 together
    int tiles;
    bool in_waves;  // K and V of a head do not stay in L2: blocks walk past them together
    TileCounter* counter;
    int rows_before;  // of a head's first tile (short_first), before row 0: idle warpgroups
};

struct TileIndex {
    int m;     // query tile
    int head;  // query head over the whole batch
};

/// Tile `t` of the launch. Full mask: the query tiles of one head follow each other, so that its K
/// and V are read from L2. Causal: within a section of heads the longest tiles come first.
template <bool causal>
__device__ __forceinline__ TileIndex tile_at(const Params& p, int t) {
    if constexpr (!causal) {
        return {t % p.m_tiles, t / p.m_tiles};
    } else {
        const int section_tiles = p.heads_together * p.m_tiles;
        const int section = t / section_tiles;
        const int first = section * p.heads_together;
        const int together = min(p.heads_together, p.heads - first);
        const int within = t - section * section_tiles;
        return {p.m_tiles - 1 - within / together, first + within % together};
    }
}

/// Hands out tiles in order: block b starts with tile b, then whoever is free takes the next. The
/// last block to leave puts the counter back, so one launch at a time may use it.
struct TileCounter {
    unsigned taken, finished;
    unsigned loaded;  // tiles whose K and V have all been asked for
};

__device__ __forceinline__ int take_tile(TileCounter* counter) {
    return static_cast<int>(gridDim.x + atomicAdd(&counter->taken, 1u));
}

__device__ __forceinline__ void leave(TileCounter* counter) {
    if (last_block_out(&counter->finished)) *counter = {};
}

/// Tells that a tile's K and V have all been asked for, and holds the block's next tile, `t` of
/// `tiles`, back until those of the wave before have come as far. The blocks drift apart else, tile
/// after tile, and each reads K and V from HBM for itself; under a causal mask the short tiles at a
/// head's end bring them together. The wave before has been handed out already, and to blocks at
/// work, since none waits for a multiprocessor: the wait ends.
__device__ __forceinline__ void join_wave(TileCounter* counter, int t, int tiles) {
    atomicAdd(&counter->loaded, 1u);
    if (t >= tiles) return;
    const unsigned before = t / gridDim.x * gridDim.x;
    volatile const unsigned* loaded = &counter->loaded;
    while (*loaded < before) __nanosleep(100);
}

/// The first row of query tile `m`, below 0 where rows_before are.
template <typename T>
__device__ __forceinline__ int first_row(const Params& p, int m) {
    return m * T::block_m - (T::short_first ? p.rows_before : 0);
}

/// Key blocks that the rows of query tile `m` need.
template <typename T>
__device__ __forceinline__ int key_blocks(const Params& p, int m) {
    int keys = p.kv_len;
    if constexpr (T::causal) keys = max(0, min(keys, first_row<T>(p, m + 1) + p.causal_offset));
    return (keys + T::block_n - 1) / T::block_n;
}

}  // namespace attnroof::cuda::sm90
