// mbarrier (sm_90): a barrier in shared memory that also counts bytes of bulk copies.
//
// A phase ends when `arrivals` threads have arrived and all expected bytes have landed. Waiting on
// parity p returns once the phase of that parity has ended, so a fresh barrier lets parity 1 pass.
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

__device__ __forceinline__ void mbarrier_init(std::uint32_t barrier, std::uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

/// Makes initialised barriers visible to the copy engine. One thread, before a __syncthreads.
__device__ __forceinline__ void mbarrier_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(barrier) : "memory");
}

/// Arrives and announces `bytes` that copies will bring in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect(std::uint32_t barrier, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void mbarrier_wait(std::uint32_t barrier, std::uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra passed;\n"
        "bra again;\n"
        "passed:\n"
        "}\n" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

}  // namespace attnroof::cuda::ptx
