// The warpgroup's tensor path: a known number of wgmma m64n64k16 on zeros in shared memory.
#include <cuda_runtime.h>

#include "kernels/cuda/calibration/calibration.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/ptx/wgmma.cuh"

namespace attnroof::cuda {
namespace {

template <typename Element>
__global__ void __launch_bounds__(calibration_threads) wgmma_kernel(float* sink) {
    __shared__ alignas(1024) uint4 slab[64 * 128 / 16];  // [64][64] elements, both operands
    for (int i = static_cast<int>(threadIdx.x); i < 64 * 128 / 16; i += calibration_threads)
        slab[i] = uint4{0, 0, 0, 0};
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    __syncthreads();

    const std::uint64_t operand =
        ptx::wgmma_descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(slab)), 0);
    float d[32] = {};
    for (int n = 0; n < instructions_each / 4; ++n) {
        ptx::wgmma_pin(d);
        ptx::wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; ++i) ptx::Wgmma<Element, 64>::ss(d, operand, operand, 1);
        ptx::wgmma_commit();
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(d);
    }
    if (__float_as_uint(d[0]) == 0xffffffffu) *sink = d[31];
}

}  // namespace

void calibrate_wgmma(DType dtype, int blocks, float* sink, cudaStream_t stream) {
    if (dtype == DType::bf16)
        wgmma_kernel<__nv_bfloat16><<<blocks, calibration_threads, 0, stream>>>(sink);
    else
        wgmma_kernel<__half><<<blocks, calibration_threads, 0, stream>>>(sink);
    check_launch("wgmma calibration kernel");
}

}  // namespace attnroof::cuda
