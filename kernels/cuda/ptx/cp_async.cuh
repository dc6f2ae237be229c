// cp.async (sm_80 and later): 16-byte copies from global to shared memory that run in the
// background, in groups that complete in the order in which they were committed.
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

/// Copies 16 bytes, past L1, when `valid`, else writes zeros and reads nothing: `global` may then
/// lie past the tensor. Both addresses are multiples of 16.
__device__ __forceinline__ void cp_async_16_or_zero(std::uint32_t shared, const void* global,
                                                    bool valid) {
    const std::uint32_t bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared), "l"(global),
                 "r"(bytes)
                 : "memory");
}

/// Ends the group of copies that this thread has issued since the last commit.
__device__ __forceinline__ void cp_async_commit() {
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

/// Waits until at most `pending` of this thread's groups are still under way. Other threads' copies
/// need a barrier behind this.
template <int pending>
__device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(pending) : "memory");
}

}  // namespace attnroof::cuda::ptx
