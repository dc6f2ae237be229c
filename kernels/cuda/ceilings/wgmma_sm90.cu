// The tensor-core roof of Hopper: wgmma on random operands that stay in shared memory, accumulators
// in registers. What the operands are matters: bits that toggle cost power. On an H200 in bf16: 939
// TFLOP/s in bursts at 1965 MHz, 869 sustained at 1815 MHz and 632 W (mma.sync: 587).
#include <cuda_runtime.h>

#include "kernels/cuda/ceilings/probes.h"
#include "kernels/cuda/launch_helpers.h"
#include "kernels/cuda/ptx/mma.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"

namespace attnroof::cuda {
namespace {

constexpr int n = 256, slabs = 4;  // B: 4 slabs of [256][64]
constexpr int most_warpgroups = 3;
constexpr int b_bytes = slabs * n * 128;
constexpr int a_slab_bytes = 64 * 128;  // of one warpgroup, one slab

constexpr int shared_bytes(int warpgroups) {
    return b_bytes + slabs * warpgroups * a_slab_bytes + 1024;  // slack to align
}

__device__ __forceinline__ std::uint32_t mix(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/// Uniform in [-1, 1).
__device__ __forceinline__ float random_signed(std::uint32_t index) {
    return static_cast<float>(static_cast<int>(mix(index))) * 0x1p-31f;
}

template <typename Element>
__global__ void __launch_bounds__(128 * most_warpgroups, 1)
    wgmma_kernel(int iterations, float* sink) {
    extern __shared__ std::uint8_t raw[];
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const std::uint32_t b_base = (unaligned + 1023) & ~1023u;
    const std::uint32_t a_base = b_base + b_bytes + threadIdx.x / 128 * slabs * a_slab_bytes;
    const std::uint32_t words =
        (b_bytes + slabs * (blockDim.x / 128) * a_slab_bytes) / 4;  // two elements each
    for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        const std::uint32_t salt = 2 * (blockIdx.x * words + i);
        asm volatile("st.shared.b32 [%0], %1;\n" ::"r"(b_base + 4 * i),
                     "r"(ptx::pack<Element>(random_signed(salt), random_signed(salt + 1)))
                     : "memory");
    }
    ptx::fence_async_proxy();
    __syncthreads();

    float d[n / 2];
#pragma unroll
    for (int i = 0; i < n / 2; ++i) d[i] = 0;
    const std::uint64_t a = ptx::wgmma_descriptor(a_base, 16);
    const std::uint64_t b = ptx::wgmma_descriptor(b_base, 16);
    ptx::wgmma_pin(d);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        ptx::wgmma_fence();
#pragma unroll
        for (int step = 0; step < 4 * slabs; ++step)
            ptx::Wgmma<Element, n>::ss(
                d, a + step / 4 * (a_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row,
                b + step / 4 * (n * 128 >> 4) + step % 4 * ptx::k_step_along_row, 1);
        ptx::wgmma_commit();
        ptx::wgmma_wait<1>();
    }
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(d);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < n / 2; ++i) sum += d[i];
    if (sum == 0.123456789e30f) *sink = sum;  // never, which the compiler cannot know
}

template <typename Element>
void launch(int iterations, float* sink, ProbeShape shape, cudaStream_t stream) {
    const int bytes = shared_bytes(shape.threads / 128);
    allow_shared_memory(wgmma_kernel<Element>, bytes);
    wgmma_kernel<Element><<<shape.blocks, shape.threads, bytes, stream>>>(iterations, sink);
    check_launch("wgmma probe");
}

}  // namespace

double probe_wgmma(DType dtype, int iterations, float* sink, ProbeShape shape,
                   cudaStream_t stream) {
    if (dtype == DType::bf16)
        launch<__nv_bfloat16>(iterations, sink, shape, stream);
    else
        launch<__half>(iterations, sink, shape, stream);
    const double products = static_cast<double>(shape.blocks) * (shape.threads / 128) *
                            static_cast<double>(iterations) * (4 * slabs);
    return products * (2.0 * 64 * n * 16);
}

}  // namespace attnroof::cuda
