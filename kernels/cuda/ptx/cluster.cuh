// Thread block clusters (sm_90): blocks that run together, reach one another's barriers and have
// one bulk copy land in all of their shared memories.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace attnroof::cuda::ptx {

/// This block's place in its cluster.
__device__ __forceinline__ std::uint32_t cluster_rank() {
    std::uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
    return rank;
}

/// All threads of all the cluster's blocks.
__device__ __forceinline__ void cluster_sync() {
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;\n" ::
            : "memory");
}

/// Arrives on the barrier at `barrier` in the shared memory of block `rank`.
__device__ __forceinline__ void mbarrier_arrive_at(std::uint32_t barrier, std::uint32_t rank) {
    asm volatile(
        "{\n"
        ".reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
        "}\n" ::"r"(barrier),
        "r"(rank)
        : "memory");
}

/// tma_load_3d into the shared memory of every block in `ranks`, counted on each one's barrier.
__device__ __forceinline__ void tma_multicast_3d(std::uint32_t shared, const CUtensorMap* map,
                                                 std::uint32_t barrier, int x, int y, int z,
                                                 std::uint16_t ranks, std::uint64_t l2_policy) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
        "cluster.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6, %7;\n" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(ranks), "l"(l2_policy)
        : "memory");
}

}  // namespace attnroof::cuda::ptx
