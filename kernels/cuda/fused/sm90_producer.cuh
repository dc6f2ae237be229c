// The producer of the sm90 fused kernel: one thread that takes tiles and keeps the rings full.
#pragma once

#include "kernels/cuda/fused/sm90_pipeline.cuh"
#include "kernels/cuda/fused/sm90_tile.cuh"
#include "kernels/cuda/ptx/tma.cuh"

namespace attnroof::cuda::sm90 {

/// One thread keeps the rings full: K_last, Q, then K_j before V_{j+1}, since a consumer computes
/// S_j before it needs P_{j+1} V_{j+1}.
template <typename T>
__device__ __forceinline__ void produce(const Params& p, const Shared<T>& shared) {
    Ring<T::q_stages> q_ring;
    Ring<T::stages> k_ring, v_ring;
    const std::uint64_t once = ptx::l2_evict_first(), usual = ptx::l2_evict_normal();
    const auto load_kv = [&](const CUtensorMap* map, std::uint32_t to, std::uint32_t barrier,
                             int block, int kv_head) {
        ptx::mbarrier_arrive_expect(barrier, T::kv_bytes);
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_load_3d(to + slab * T::block_n * 128, map, barrier, 64 * slab,
                             block * T::block_n, kv_head, usual);
    };
    const auto load_k = [&](int block, int kv_head) {
        ptx::mbarrier_wait(shared.k_empty(k_ring.stage), k_ring.parity ^ 1);
        load_kv(&p.k, shared.k(k_ring.stage), shared.k_full(k_ring.stage), block, kv_head);
        k_ring.advance();
    };
    const auto load_v = [&](int block, int kv_head) {
        ptx::mbarrier_wait(shared.v_empty(v_ring.stage), v_ring.parity ^ 1);
        load_kv(&p.v, shared.v(v_ring.stage), shared.v_full(v_ring.stage), block, kv_head);
        v_ring.advance();
    };
    for (int t = blockIdx.x; t < p.tiles;) {
        const TileIndex tile = tile_at<T::causal>(p, t);
        const int kv_head = tile.head / p.group;
        const int blocks = key_blocks<T>(p, tile.m);

        if (blocks > 0) load_k(blocks - 1, kv_head);
        ptx::mbarrier_wait(shared.q_empty(q_ring.stage), q_ring.parity ^ 1);
        shared.set_tile(q_ring.stage, t);
        ptx::mbarrier_arrive_expect(shared.q_full(q_ring.stage), T::q_bytes);
#pragma unroll
        for (int slab = 0; slab < T::slabs; ++slab)
            ptx::tma_load_3d(shared.q(q_ring.stage) + slab * T::block_m * 128, &p.q,
                             shared.q_full(q_ring.stage), 64 * slab, first_row<T>(p, tile.m),
                             tile.head, once);
        q_ring.advance();
        t = take_tile(p.counter);
        for (int block = blocks - 2; block >= 0; --block) {
            load_k(block, kv_head);
            load_v(block + 1, kv_head);
        }
        if (blocks > 0) load_v(0, kv_head);
        if (!T::causal && p.in_waves) join_wave(p.counter, t, p.tiles);
    }
    ptx::mbarrier_wait(shared.q_empty(q_ring.stage), q_ring.parity ^ 1);
    shared.set_tile(q_ring.stage, Shared<T>::no_tile);
    ptx::mbarrier_arrive(shared.q_full(q_ring.stage));
    leave(p.counter);
}

}  // namespace attnroof::cuda::sm90
