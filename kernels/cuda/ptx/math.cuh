// Special functions of the MUFU pipe, reductions and exchanges over the four lanes that share an
// mma row.
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

/// 2^x, about 2 ulp; ex2(-inf) = 0. One instruction, subnormal results flushed to 0.
__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ __forceinline__ float quad_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/// Lane t of the four holds x[j] = M[j][t] and gets M[t][j].
__device__ __forceinline__ void quad_transpose(std::uint32_t (&x)[4]) {
    const bool odd = threadIdx.x & 1, upper = threadIdx.x & 2;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const std::uint32_t other = __shfl_xor_sync(0xffffffffu, odd ? x[i] : x[i + 1], 1);
        (odd ? x[i] : x[i + 1]) = other;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t other = __shfl_xor_sync(0xffffffffu, upper ? x[i] : x[i + 2], 2);
        (upper ? x[i] : x[i + 2]) = other;
    }
}

}  // namespace attnroof::cuda::ptx
