// Memory probes: 16-byte accesses, grid-stride.
#include <cuda_runtime.h>

#include "kernels/cuda/ceilings/probes.h"
#include "kernels/cuda/check.h"

namespace attnroof::cuda {
namespace {

constexpr int in_flight = 4;

__device__ __forceinline__ std::uint32_t mix(std::uint64_t x) {
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    return static_cast<std::uint32_t>(x >> 32);
}

/// A float of either sign in [1, 2).
__device__ __forceinline__ float random_float(std::uint64_t index) {
    return __uint_as_float((mix(index) & 0x807fffffu) | 0x3f800000u);
}

__device__ __forceinline__ std::int64_t grid_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}
__device__ __forceinline__ std::int64_t grid_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void fill_kernel(float4* data, std::int64_t count) {
    for (std::int64_t i = grid_thread(); i < count; i += grid_threads())
        data[i] = make_float4(random_float(4 * i), random_float(4 * i + 1), random_float(4 * i + 2),
                              random_float(4 * i + 3));
}

__global__ void __launch_bounds__(1024)
    read_kernel(const float4* data, std::int64_t count, int passes, float* sink) {
    float sum = 0.0f;
    const std::int64_t stride = grid_threads();
    for (int pass = 0; pass < passes; ++pass) {
        std::int64_t i = grid_thread();
        for (; i + (in_flight - 1) * stride < count; i += in_flight * stride) {
            float4 x[in_flight];
#pragma unroll
            for (int j = 0; j < in_flight; ++j) x[j] = __ldcg(data + i + j * stride);
#pragma unroll
            for (int j = 0; j < in_flight; ++j) sum += x[j].x + x[j].y + x[j].z + x[j].w;
        }
        for (; i < count; i += stride) sum += __ldcg(data + i).x;
    }
    if (sum == 0.12345678f) *sink = sum;
}

__global__ void __launch_bounds__(1024) write_kernel(float4* data, std::int64_t count) {
    const float x = random_float(blockIdx.x * 1024ull + threadIdx.x);
    const float4 value = make_float4(x, -x, x + x, x * x);
    const std::int64_t stride = grid_threads();
    for (std::int64_t i = grid_thread(); i < count; i += stride) data[i] = value;
}

// One 16-byte access a thread: blocks that each copy a little and leave were fastest on GH100 (4.28
// TB/s, as cudaMemcpy; a persistent grid with four in flight a thread 4.01).
__global__ void __launch_bounds__(1024)
    copy_kernel(float4* to, const float4* from, std::int64_t count) {
    const std::int64_t i = grid_thread();
    if (i < count) to[i] = from[i];
}

// A warp reads 512 consecutive bytes at a time: each bank four times, in four cycles. Volatile, or
// one read would do for all.
__global__ void __launch_bounds__(1024) shared_read_kernel(int iterations, float* sink) {
    __shared__ float4 tile[1024];
    const float first = random_float(grid_thread());
    tile[threadIdx.x] = make_float4(first, -first, first, first);
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile + threadIdx.x));
    float sum = 0.0f;
    for (int i = 0; i < iterations; ++i)
#pragma unroll
        for (int j = 0; j < shared_reads; ++j) {
            float4 x;
            asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                         : "r"(address)
                         : "memory");
            sum += (x.x + x.y) + (x.z + x.w);
        }
    if (sum == 0.12345678f) *sink = sum;
}

}  // namespace

void fill_probe_data(void* data, std::int64_t bytes, cudaStream_t stream) {
    fill_kernel<<<2048, 512, 0, stream>>>(static_cast<float4*>(data), bytes / 16);
    check_launch("fill probe data");
}

void probe_read(const void* data, std::int64_t bytes, int passes, float* sink, ProbeShape shape,
                cudaStream_t stream) {
    read_kernel<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<const float4*>(data),
                                                            bytes / 16, passes, sink);
    check_launch("read probe");
}

void probe_write(void* data, std::int64_t bytes, ProbeShape shape, cudaStream_t stream) {
    write_kernel<<<shape.blocks, shape.threads, 0, stream>>>(static_cast<float4*>(data),
                                                             bytes / 16);
    check_launch("write probe");
}

void probe_copy(void* to, const void* from, std::int64_t bytes, int threads, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((bytes / 16 + threads - 1) / threads);
    copy_kernel<<<blocks, threads, 0, stream>>>(static_cast<float4*>(to),
                                                static_cast<const float4*>(from), bytes / 16);
    check_launch("copy probe");
}

double probe_shared_read(int iterations, float* sink, ProbeShape shape, cudaStream_t stream) {
    shared_read_kernel<<<shape.blocks, shape.threads, 0, stream>>>(iterations, sink);
    check_launch("shared read probe");
    return shared_read_bytes(iterations, shape);
}

}  // namespace attnroof::cuda
