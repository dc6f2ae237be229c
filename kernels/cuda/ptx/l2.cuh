// Hints to the L2 (sm_80 and later): which lines leave first.
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

/// Policies of an access: which lines leave first, as usual, and last. Lines read under evict_last
/// outlive the kernel and whatever else is read behind it: of 16 MiB read so, an H200 had 11 left
/// after 240 MiB of other reads. cudaCtxResetPersistingL2Cache lets them go.
__device__ __forceinline__ std::uint64_t l2_evict_first() {
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\n" : "=l"(policy));
    return policy;
}

__device__ __forceinline__ std::uint64_t l2_evict_normal() {
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;\n" : "=l"(policy));
    return policy;
}

__device__ __forceinline__ std::uint64_t l2_evict_last() {
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\n" : "=l"(policy));
    return policy;
}

/// Stores 16 bytes at a multiple of 16.
__device__ __forceinline__ void store_16(void* global, const uint4& x, std::uint64_t l2_policy) {
    asm volatile("st.global.L2::cache_hint.v4.b32 [%0], {%1, %2, %3, %4}, %5;\n" ::"l"(global),
                 "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "l"(l2_policy)
                 : "memory");
}

}  // namespace attnroof::cuda::ptx
