// A consumer warpgroup of the sm90 fused kernel: S, online softmax and O of 64 query rows.
#pragma once

#include "kernels/cuda/fused/sm90_pipeline.cuh"
#include "kernels/cuda/fused/sm90_softmax.cuh"
#include "kernels/cuda/fused/sm90_tile.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/warpgroup.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"

namespace attnroof::cuda::sm90 {

/// The state of one consumer warpgroup: 64 query rows of the tile.
template <typename T>
struct Consumer {
    static constexpr int score_count = T::block_n / 2, output_count = T::head_dim / 2;

    const Params& p;
    const Shared<T>& shared;
    const int group, lane, thread_row;  // thread_row: this thread's first row within the tile
    Ring<T::q_stages> q_ring;
    Ring<T::stages> k_ring, v_ring;

    __device__ __forceinline__ Consumer(const Params& params, const Shared<T>& s, int warpgroup)
        : p(params),
          shared(s),
          group(warpgroup),
          lane(threadIdx.x % 32),
          thread_row(64 * warpgroup + 16 * (threadIdx.x % 128 / 32) + lane / 4) {}

    /// S = Q K^T, left under way.
    __device__ __forceinline__ void start_scores(float (&s)[score_count]) {
        const std::uint64_t q =
            ptx::wgmma_descriptor(shared.q(q_ring.stage) + 64 * group * 128, 16);
        const std::uint64_t k = ptx::wgmma_descriptor(shared.k(k_ring.stage), 16);
        constexpr std::uint64_t q_slab = T::block_m * 128 >> 4, k_slab = T::block_n * 128 >> 4;
#pragma unroll
        for (int step = 0; step < T::head_dim / 16; ++step) {
            const int slab = step / 4, within = step % 4;
            ptx::Wgmma<typename T::Element, T::block_n>::ss(
                s, q + slab * q_slab + within * ptx::k_step_along_row,
                k + slab * k_slab + within * ptx::k_step_along_row, step > 0);
        }
        ptx::wgmma_commit();
    }

    /// O += P V, left under way.
    __device__ __forceinline__ void start_output(
        float (&o)[output_count], const std::uint32_t (&probabilities)[T::block_n / 16][4]) {
        const std::uint64_t v = ptx::wgmma_descriptor(shared.v(v_ring.stage), T::block_n * 128);
#pragma unroll
        for (int step = 0; step < T::block_n / 16; ++step)
            ptx::Wgmma<typename T::Element, T::head_dim>::rs(o, probabilities[step],
                                                             v + step * ptx::k_step_down_rows, 1);
        ptx::wgmma_commit();
    }

    __device__ __forceinline__ void release_k() {
        if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(shared.k_empty(k_ring.stage));
        k_ring.advance();
    }
    __device__ __forceinline__ void release_v() {
        if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(shared.v_empty(v_ring.stage));
        v_ring.advance();
    }

    /// The warpgroups take turns at issuing products: one computes its softmax under the other's.
    __device__ __forceinline__ void wait_for_turn() {
        if constexpr (T::ping_pong) ptx::named_barrier_sync(1 + group, 256);
    }
    __device__ __forceinline__ void pass_turn() {
        if constexpr (T::ping_pong) ptx::named_barrier_arrive(1 + (group ^ 1), 256);
    }

    /// What this thread's two rows see. Blocks that end at or before `all_visible` need no mask in
    /// any row of the warpgroup.
    struct Mask {
        int limit[2], all_visible;

        __device__ __forceinline__ Mask(const Params& p, int group_row, int thread_row) {
            const auto limit_of = [&](int row) {
                return T::causal ? min(p.kv_len, row + p.causal_offset + 1) : p.kv_len;
            };
            for (int r = 0; r < 2; ++r) limit[r] = limit_of(group_row + thread_row + 8 * r);
            all_visible = limit_of(group_row);
        }
        __device__ __forceinline__ bool hides_in(int block) const {
            return (block + 1) * T::block_n > all_visible;
        }
        __device__ __forceinline__ void apply(float (&s)[score_count], int block, int lane) const {
            mask_columns(s, block * T::block_n + 2 * (lane % 4), limit);
        }
    };

    /// One block after the first: S_j and O += P_{j+1} V_{j+1} run together, softmax_j under the
    /// latter.
    template <bool masked>
    __device__ __forceinline__ void step(int block, const Mask& mask, OnlineSoftmax& softmax,
                                         float (&s)[score_count], float (&o)[output_count],
                                         std::uint32_t (&probabilities)[T::block_n / 16][4]) {
        ptx::mbarrier_wait(shared.k_full(k_ring.stage), k_ring.parity);
        wait_for_turn();
        ptx::wgmma_pin(s);
        ptx::wgmma_fence();
        start_scores(s);
        ptx::mbarrier_wait(shared.v_full(v_ring.stage), v_ring.parity);
        ptx::wgmma_pin(o);
        ptx::wgmma_fence();
        start_output(o, probabilities);
        pass_turn();
        ptx::wgmma_wait<1>();
        ptx::wgmma_pin(s);
        release_k();
        if (masked && (T::loops_apart || mask.hides_in(block))) mask.apply(s, block, lane);
        float rescale[2];
        softmax.template step<masked>(s, p.scale_log2, rescale);
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(o);
        release_v();
        pack_probabilities<typename T::Element>(s, probabilities);
        scale_rows(o, rescale);
    }

    /// The first of this warpgroup's rows of tile `m`.
    __device__ __forceinline__ int group_row(int m) const {
        return first_row<T>(p, m) + 64 * group;
    }

    /// Key blocks that this warpgroup's own rows need: fewer than the tile's under the diagonal,
    /// none when its rows lie before the first or past the last.
    __device__ __forceinline__ int own_blocks(int m, int blocks) const {
        const int row = group_row(m);
        if (T::short_first && row < 0) return 0;
        if (row >= p.q_len) return 0;
        if constexpr (!T::causal) return blocks;
        return min(blocks, (max(0, row + 64 + p.causal_offset) + T::block_n - 1) / T::block_n);
    }

    /// Lets blocks pass that only other warpgroups need, keeping the rings and the turns in step.
    /// No warp may lag by a round of a ring, whose parity it would take for an older one: where
    /// there is no product to hold the warps together, a barrier is.
    __device__ __forceinline__ void skip(int blocks, int turns) {
        for (; blocks > 0; --blocks) {
            ptx::mbarrier_wait(shared.k_full(k_ring.stage), k_ring.parity);
            ptx::mbarrier_wait(shared.v_full(v_ring.stage), v_ring.parity);
            ptx::named_barrier_sync(3 + group, 128);
            release_k();
            release_v();
            if (turns-- > 0) {
                wait_for_turn();
                pass_turn();
            }
        }
    }

    /// The first `blocks` key blocks, from the last to the first: masked blocks come first.
    __device__ __forceinline__ void accumulate(int m, int blocks, OnlineSoftmax& softmax,
                                               float (&o)[output_count]) {
        const Mask mask(p, group_row(m), thread_row % 64);
        float s[score_count];
        std::uint32_t probabilities[T::block_n / 16][4];
        float rescale[2];
        int block = blocks - 1;
        ptx::mbarrier_wait(shared.k_full(k_ring.stage), k_ring.parity);
        ptx::wgmma_pin(s);
        ptx::wgmma_fence();
        start_scores(s);
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(s);
        release_k();
        if (mask.hides_in(block)) mask.apply(s, block, lane);
        softmax.template step<true>(s, p.scale_log2, rescale);
        pack_probabilities<typename T::Element>(s, probabilities);

        for (--block; block >= 0 && (!T::loops_apart || mask.hides_in(block)); --block)
            step<true>(block, mask, softmax, s, o, probabilities);
        if constexpr (T::loops_apart)
            for (; block >= 0; --block) step<false>(block, mask, softmax, s, o, probabilities);

        ptx::mbarrier_wait(shared.v_full(v_ring.stage), v_ring.parity);
        ptx::wgmma_pin(o);
        ptx::wgmma_fence();
        start_output(o, probabilities);
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(o);
        release_v();
    }

    /// O / row sum goes through the tile's Q buffer, which this warpgroup alone still holds, and by
    /// TMA to memory; LSE goes there directly.
    __device__ __forceinline__ void finish(const TileIndex& tile, OnlineSoftmax& softmax,
                                           float (&o)[output_count]) {
        float inverse[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const float sum = ptx::quad_sum(softmax.row_sum[r]);
            inverse[r] = sum > 0 ? 1 / sum : 0;
            const int row = first_row<T>(p, tile.m) + thread_row + 8 * r;
            if (lane % 4 == 0 && (!T::short_first || row >= 0) && row < p.q_len)
                p.lse[static_cast<std::int64_t>(tile.head) * p.q_len + row] =
                    sum > 0 ? fmaf(softmax.row_max[r], p.scale, logf(sum)) : -INFINITY;
        }
        const std::uint32_t staging = shared.q(q_ring.stage);
#pragma unroll
        for (int i = 0; i < output_count; i += 4) {
            const int slab = i / 32, chunk = i / 4 % 8;
            const std::uint32_t slab_base = staging + slab * T::block_m * 128;
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int row = thread_row + 8 * r;
                const std::uint32_t packed = ptx::pack<typename T::Element>(
                    o[i + 2 * r] * inverse[r], o[i + 2 * r + 1] * inverse[r]);
                asm volatile(
                    "st.shared.b32 [%0], %1;\n" ::"r"(slab_base + row * 128 +
                                                      ((chunk ^ (row & 7)) << 4) + 4 * (lane % 4)),
                    "r"(packed)
                    : "memory");
            }
        }
        ptx::fence_async_proxy();
        ptx::named_barrier_sync(3 + group, 128);
        if (threadIdx.x % 128 == 0) {
            const int row = group_row(tile.m);
            if (!T::short_first || row >= 0) {
#pragma unroll
                for (int slab = 0; slab < T::slabs; ++slab)
                    ptx::tma_store_3d(&p.o, staging + (slab * T::block_m + 64 * group) * 128,
                                      64 * slab, row, tile.head, ptx::l2_evict_first());
                ptx::tma_store_commit();
                ptx::tma_store_wait_read();
            }
            ptx::mbarrier_arrive(shared.q_empty(q_ring.stage));
        }
        q_ring.advance();
    }

    __device__ __forceinline__ void run() {
        if (T::ping_pong && group == 1) pass_turn();  // the first turn is warpgroup 0's
        for (;;) {
            ptx::mbarrier_wait(shared.q_full(q_ring.stage), q_ring.parity);
            const int t = shared.tile(q_ring.stage);
            if (t == Shared<T>::no_tile) break;
            const TileIndex tile = tile_at<T::causal>(p, t);
            const int blocks = key_blocks<T>(p, tile.m);
            OnlineSoftmax softmax;
            float o[output_count];
#pragma unroll
            for (int i = 0; i < output_count; ++i) o[i] = 0;
            const int own = own_blocks(tile.m, blocks);
            skip(blocks - own, blocks - max(own, 1));
            if (own > 0) accumulate(tile.m, own, softmax, o);
            finish(tile, softmax, o);
        }
    }
};

}  // namespace attnroof::cuda::sm90
