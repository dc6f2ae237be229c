// ldmatrix: four 8x8 matrices of 16-bit elements from shared memory into mma fragments; stmatrix:
// the way back.
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

/// Address of a shared-memory object as the 32-bit window address that PTX wants.
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Lane l gives the address of row l % 8 (16 bytes, 16-byte aligned) of matrix l / 8; matrix i
/// lands in r[i], lane l holding row l / 4, columns 2 (l % 4) and the next.
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

/// The same with each 8x8 matrix transposed: a row-major [k][n] tile becomes mma's B fragment.
__device__ __forceinline__ void ldmatrix_x4_trans(std::uint32_t (&r)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

/// The way back (sm_90): matrix i from r[i], to the 16-byte rows whose addresses the lanes give.
__device__ __forceinline__ void stmatrix_x4(std::uint32_t address, const std::uint32_t (&r)[4]) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(address),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
}

/// 16 bytes from shared memory, at a multiple of 16.
__device__ __forceinline__ uint4 load_shared_16(std::uint32_t address) {
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(address)
                 : "memory");
    return x;
}

}  // namespace attnroof::cuda::ptx
