// The bulk tensor copy engine (TMA, sm_90): boxes of a 3-D tensor to and from shared memory.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "kernels/cuda/ptx/l2.cuh"

namespace attnroof::cuda::ptx {

__device__ __forceinline__ void tma_prefetch_map(const CUtensorMap* map) {
    asm volatile("prefetch.tensormap [%0];\n" ::"l"(map) : "memory");
}

/// Copies the map's box at (x, y, z) into shared memory and counts its bytes on `barrier`.
/// Elements past the tensor's end arrive as zeros and count too.
__device__ __forceinline__ void tma_load_3d(std::uint32_t shared, const CUtensorMap* map,
                                            std::uint32_t barrier, int x, int y, int z,
                                            std::uint64_t l2_policy) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_"
        "hint "
        "[%0], [%1, {%3, %4, %5}], [%2], %6;\n" ::"r"(shared),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "l"(l2_policy)
        : "memory");
}

/// Brings a box into L2.
__device__ __forceinline__ void tma_prefetch_3d(const CUtensorMap* map, int x, int y, int z,
                                                std::uint64_t l2_policy) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.3d.L2.global.L2::cache_hint [%0, {%1, %2, %3}], %4;\n" ::"l"(
            map),
        "r"(x), "r"(y), "r"(z), "l"(l2_policy)
        : "memory");
}

/// Copies a box from shared memory to (x, y, z); elements past the tensor's end are dropped. A box
/// wholly before its beginning is an illegal instruction on an H200.
__device__ __forceinline__ void tma_store_3d(const CUtensorMap* map, std::uint32_t shared, int x,
                                             int y, int z, std::uint64_t l2_policy) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.L2::cache_hint "
        "[%0, {%2, %3, %4}], [%1], %5;\n" ::"l"(map),
        "r"(shared), "r"(x), "r"(y), "r"(z), "l"(l2_policy)
        : "memory");
}

/// Closes this thread's group of stores.
__device__ __forceinline__ void tma_store_commit() {
    asm volatile("cp.async.bulk.commit_group;\n" ::: "memory");
}

/// Waits until this thread's stores have read their shared memory, which may then be reused.
__device__ __forceinline__ void tma_store_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;\n" ::: "memory");
}

/// Makes this thread's shared-memory stores visible to wgmma and TMA.
__device__ __forceinline__ void fence_async_proxy() {
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

}  // namespace attnroof::cuda::ptx
