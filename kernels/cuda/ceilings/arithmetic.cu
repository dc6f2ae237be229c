// Arithmetic probes: independent chains in registers, no memory in the loop.
#include <cuda_runtime.h>

#include "kernels/cuda/ceilings/probes.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/ptx/math.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda {
namespace {

constexpr int chains = 8;  // a thread (or, for the tensor cores, a warp)
constexpr int unroll = 16;

__device__ __forceinline__ std::uint32_t mix(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/// In [0, 1), different for every thread and `salt`.
__device__ __forceinline__ float random_unit(std::uint32_t salt) {
    return mix((blockIdx.x * 1024u + threadIdx.x) * 64u + salt) * 0x1p-32f;
}

/// Never true for a sum of the values that the probes make, which the compiler cannot know.
__device__ __forceinline__ void keep(float x, float* sink) {
    if (x == 0.123456789e30f) *sink = x;
}

__global__ void __launch_bounds__(1024) ffma_kernel(int iterations, float* sink) {
    float x[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i) x[i] = random_unit(i);
    const float a = 0.5f + 0.4f * random_unit(chains), b = random_unit(chains + 1);
    for (int n = 0; n < iterations; ++n)
#pragma unroll
        for (int j = 0; j < unroll; ++j)
#pragma unroll
            for (int i = 0; i < chains; ++i) x[i] = fmaf(x[i], a, b);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < chains; ++i) sum += x[i];
    keep(sum, sink);
}

__global__ void __launch_bounds__(1024) exp_kernel(int iterations, float* sink) {
    float x[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i) x[i] = random_unit(i);
    for (int n = 0; n < iterations; ++n)
#pragma unroll
        for (int j = 0; j < unroll; ++j)
#pragma unroll
            for (int i = 0; i < chains; ++i) x[i] = ptx::ex2(-x[i]);  // stays in (0, 1)
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < chains; ++i) sum += x[i];
    keep(sum, sink);
}

template <typename Element>
__global__ void __launch_bounds__(1024) mma_kernel(int iterations, float* sink) {
    std::uint32_t a[2][4], b[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            a[i][j] = ptx::pack<Element>(random_unit(12 * i + 2 * j) - 0.5f,
                                         random_unit(12 * i + 2 * j + 1) - 0.5f);
#pragma unroll
        for (int j = 0; j < 2; ++j)
            b[i][j] = ptx::pack<Element>(random_unit(12 * i + 8 + 2 * j) - 0.5f,
                                         random_unit(12 * i + 9 + 2 * j) - 0.5f);
    }
    float c[chains][4] = {};
    for (int n = 0; n < iterations; ++n)
#pragma unroll
        for (int j = 0; j < unroll; ++j)
#pragma unroll
            for (int i = 0; i < chains; ++i)
                ptx::mma_m16n8k16<Element>(c[i], a[i % 2], b[i / 2 % 2][0], b[i / 2 % 2][1]);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < chains; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
    keep(sum, sink);
}

__global__ void empty_kernel() {}

/// Chain steps of all threads of a launch.
double steps(int iterations, ProbeShape shape) {
    return static_cast<double>(shape.blocks) * shape.threads * iterations * unroll * chains;
}

}  // namespace

double probe_ffma(int iterations, float* sink, ProbeShape shape, cudaStream_t stream) {
    ffma_kernel<<<shape.blocks, shape.threads, 0, stream>>>(iterations, sink);
    check_launch("FFMA probe");
    return 2 * steps(iterations, shape);
}

double probe_exp(int iterations, float* sink, ProbeShape shape, cudaStream_t stream) {
    exp_kernel<<<shape.blocks, shape.threads, 0, stream>>>(iterations, sink);
    check_launch("ex2 probe");
    return steps(iterations, shape);
}

double probe_mma(DType dtype, int iterations, float* sink, ProbeShape shape, cudaStream_t stream) {
    if (dtype == DType::bf16)
        mma_kernel<__nv_bfloat16><<<shape.blocks, shape.threads, 0, stream>>>(iterations, sink);
    else
        mma_kernel<__half><<<shape.blocks, shape.threads, 0, stream>>>(iterations, sink);
    check_launch("mma probe");
    return steps(iterations, shape) / 32 * (2 * 16 * 8 * 16);
}

void probe_empty(cudaStream_t stream) {
    empty_kernel<<<1, 1, 0, stream>>>();
    check_launch("empty kernel");
}

}  // namespace attnroof::cuda
