#include "gpu/probes.h"

#include <cuda_fp16.h>

#include "kernels/cuda/check.h"

namespace attnroof::probe {
namespace {

cudaStream_t of(void* stream) { return static_cast<cudaStream_t>(stream); }

__device__ std::int64_t first() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t stride() { return std::int64_t{gridDim.x} * blockDim.x; }

__global__ void copy_kernel(const uint4* from, uint4* to, std::int64_t n) {
    for (std::int64_t i = first(); i < n; i += stride()) to[i] = from[i];
}

__global__ void read_kernel(const uint4* from, std::int64_t n, unsigned* sink) {
    unsigned any = 0;
    for (std::int64_t i = first(); i < n; i += stride()) {
        const uint4 v = from[i];
        any |= v.x | v.y | v.z | v.w;
    }
    if (any != 0) *sink = any;
}

__global__ void hold_kernel(const uint4* from, std::int64_t n, unsigned* sink) {
    std::uint64_t last;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\n" : "=l"(last));
    unsigned any = 0;
    for (std::int64_t i = first(); i < n; i += stride()) {
        uint4 v;
        asm volatile("ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;\n"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from + i), "l"(last));
        any |= v.x | v.y | v.z | v.w;
    }
    if (any != 0) *sink = any;
}

__global__ void fill_kernel(uint4* to, std::int64_t n) {
    for (std::int64_t i = first(); i < n; i += stride()) to[i] = uint4{1, 2, 3, 4};
}

// Inline PTX: the compiler may not fold, split or drop what is counted. Factors come from memory
// (zeros), so that they are not known.
__global__ void ffma_kernel(float* sink) {
    const float factor = sink[0];
    float a = sink[1], b = sink[2];
    for (int i = 0; i < per_thread / 2; ++i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(factor));
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(b) : "f"(factor));
    }
    if (__float_as_uint(a) + __float_as_uint(b) != 0) sink[3] = a;
}

__global__ void packed_half_fma_kernel(unsigned* sink) {
    const unsigned factor = sink[0];
    unsigned a = sink[1], b = sink[2];
    for (int i = 0; i < per_thread / 2; ++i) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a) : "r"(factor));
        asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(b) : "r"(factor));
    }
    if (a + b != 0) sink[3] = a;
}

__global__ void exponential_kernel(float* sink) {
    float a = sink[0], b = sink[1];
    for (int i = 0; i < per_thread / 2; ++i) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(b));
    }
    if (a + b == -1) sink[3] = a;
}

template <bool bf16>
__global__ void tensor_kernel(unsigned* sink) {
    const unsigned a = sink[0], b = sink[1];
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    for (int i = 0; i < per_thread; ++i) {
        if constexpr (bf16)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                : "r"(a), "r"(b));
        else
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                : "r"(a), "r"(b));
    }
    if (__float_as_uint(c0) + __float_as_uint(c1) + __float_as_uint(c2) + __float_as_uint(c3) != 0)
        sink[3] = 1;
}

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__global__ void hang_kernel(unsigned long long duration) {
    const unsigned long long start = nanoseconds();
    while (nanoseconds() - start < duration) __nanosleep(1000);
}

__global__ void fault_kernel(int* nowhere) { *nowhere = 1; }

}  // namespace

void copy(const void* from, void* to, std::int64_t bytes, void* stream) {
    copy_kernel<<<1056, 512, 0, of(stream)>>>(static_cast<const uint4*>(from),
                                              static_cast<uint4*>(to), bytes / 16);
    cuda::check_launch("copy_kernel");
}

void read(const void* from, std::int64_t bytes, void* sink, void* stream) {
    read_kernel<<<1056, 512, 0, of(stream)>>>(static_cast<const uint4*>(from), bytes / 16,
                                              static_cast<unsigned*>(sink));
    cuda::check_launch("read_kernel");
}

void hold(const void* from, std::int64_t bytes, void* sink, void* stream) {
    hold_kernel<<<1056, 512, 0, of(stream)>>>(static_cast<const uint4*>(from), bytes / 16,
                                              static_cast<unsigned*>(sink));
    cuda::check_launch("hold_kernel");
}

void fill(void* to, std::int64_t bytes, void* stream) {
    fill_kernel<<<1056, 512, 0, of(stream)>>>(static_cast<uint4*>(to), bytes / 16);
    cuda::check_launch("fill_kernel");
}

void ffma(void* sink, void* stream) {
    ffma_kernel<<<blocks, threads, 0, of(stream)>>>(static_cast<float*>(sink));
    cuda::check_launch("ffma_kernel");
}

void packed_half_fma(void* sink, void* stream) {
    packed_half_fma_kernel<<<blocks, threads, 0, of(stream)>>>(static_cast<unsigned*>(sink));
    cuda::check_launch("packed_half_fma_kernel");
}

void exponential(void* sink, void* stream) {
    exponential_kernel<<<blocks, threads, 0, of(stream)>>>(static_cast<float*>(sink));
    cuda::check_launch("exponential_kernel");
}

void tensor(bool bf16, void* sink, void* stream) {
    auto* words = static_cast<unsigned*>(sink);
    if (bf16)
        tensor_kernel<true><<<blocks, threads, 0, of(stream)>>>(words);
    else
        tensor_kernel<false><<<blocks, threads, 0, of(stream)>>>(words);
    cuda::check_launch("tensor_kernel");
}

void hang(double seconds, void* stream) {
    hang_kernel<<<1, 1, 0, of(stream)>>>(static_cast<unsigned long long>(1e9 * seconds));
    cuda::check_launch("hang_kernel");
}

void fault(void* stream) {
    fault_kernel<<<1, 1, 0, of(stream)>>>(nullptr);
    cuda::check_launch("fault_kernel");
}

}  // namespace attnroof::probe
