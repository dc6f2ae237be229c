// Shared-memory addresses and barriers of the sm90 fused kernel: what producer and consumers share.
#pragma once

#include <cstdint>

#include "kernels/cuda/fused/sm90_tile.cuh"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ring.cuh"

namespace attnroof::cuda::sm90 {

/// Addresses in the shared window. A buffer is filled by TMA (full) and given back by every
/// consumer warpgroup (empty). K and V have barriers of their own: S needs only K.
template <typename T>
struct Shared {
    std::uint32_t base;

    __device__ __forceinline__ std::uint32_t q(int stage) const {
        return base + stage * T::q_bytes;
    }
    __device__ __forceinline__ std::uint32_t k(int stage) const {
        return base + T::k_offset + stage * T::kv_bytes;
    }
    __device__ __forceinline__ std::uint32_t v(int stage) const {
        return base + T::v_offset + stage * T::kv_bytes;
    }
    __device__ __forceinline__ std::uint32_t q_full(int stage) const { return barrier(stage); }
    __device__ __forceinline__ std::uint32_t q_empty(int stage) const {
        return barrier(T::q_stages + stage);
    }
    __device__ __forceinline__ std::uint32_t k_full(int stage) const {
        return barrier(2 * T::q_stages + stage);
    }
    __device__ __forceinline__ std::uint32_t k_empty(int stage) const {
        return barrier(2 * T::q_stages + T::stages + stage);
    }
    __device__ __forceinline__ std::uint32_t v_full(int stage) const {
        return barrier(2 * T::q_stages + 2 * T::stages + stage);
    }
    __device__ __forceinline__ std::uint32_t v_empty(int stage) const {
        return barrier(2 * T::q_stages + 3 * T::stages + stage);
    }

    /// The tile whose Q is in buffer `stage`, or no_tile; written before q_full's arrival.
    static constexpr int no_tile = -1;
    __device__ __forceinline__ void set_tile(int stage, int tile) const {
        asm volatile("st.shared.s32 [%0], %1;\n" ::"r"(base + T::tile_offset + 4 * stage), "r"(tile)
                     : "memory");
    }
    __device__ __forceinline__ int tile(int stage) const {
        int tile;
        asm volatile("ld.shared.s32 %0, [%1];\n"
                     : "=r"(tile)
                     : "r"(base + T::tile_offset + 4 * stage)
                     : "memory");
        return tile;
    }

    __device__ __forceinline__ void init_barriers() const {
        for (int i = 0; i < T::q_stages; ++i) {
            ptx::mbarrier_init(q_full(i), 1);
            ptx::mbarrier_init(q_empty(i), T::consumers);
        }
        for (int i = 0; i < T::stages; ++i) {
            ptx::mbarrier_init(k_full(i), 1);
            ptx::mbarrier_init(k_empty(i), T::consumers);
            ptx::mbarrier_init(v_full(i), 1);
            ptx::mbarrier_init(v_empty(i), T::consumers);
        }
        ptx::mbarrier_init_fence();
    }

  private:
    __device__ __forceinline__ std::uint32_t barrier(int i) const {
        return base + T::barrier_offset + 8 * i;
    }
};

}  // namespace attnroof::cuda::sm90
