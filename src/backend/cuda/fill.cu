#include "backend/cuda/fill.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "kernels/cuda/check.h"
#include "kernels/random.h"

namespace attnroof::cuda {
namespace {

constexpr int block_size = 256;

/// Enough blocks to fill any device; the kernels stride over what is left.
int blocks_for(std::int64_t elements) {
    return static_cast<int>(std::clamp<std::int64_t>((elements + block_size - 1) / block_size, 1,
                                                     std::int64_t{32} * 1024));
}

__device__ std::int64_t first_element() {
    return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t stride() { return std::int64_t{gridDim.x} * blockDim.x; }

__device__ void store(float* to, float value) { *to = value; }
__device__ void store(__half* to, float value) { *to = __float2half_rn(value); }
__device__ void store(__nv_bfloat16* to, float value) { *to = __float2bfloat16_rn(value); }

template <class Element>
__global__ void fill_random(Element* data, std::int64_t elements, bool outliers,
                            std::uint64_t seed) {
    for (std::int64_t i = first_element(); i < elements; i += stride())
        store(data + i, random_element(seed, i, outliers));
}

/// `Bits` is the element's unsigned integer; above `infinity`, sign apart, everything is NaN.
template <class Bits>
__global__ void count_nan(const Bits* data, std::int64_t elements, Bits infinity,
                          unsigned long long* count) {
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
    unsigned long long found = 0;
    for (std::int64_t i = first_element(); i < elements; i += stride())
        found += (data[i] & magnitude) > infinity;
    if (found != 0) atomicAdd(count, found);
}

__global__ void read(const uint4* data, std::int64_t vectors, unsigned* sink) {
    unsigned sum = 0;
    for (std::int64_t i = first_element(); i < vectors; i += stride()) {
        const uint4 v = __ldcg(data + i);
        sum |= v.x | v.y | v.z | v.w;
    }
    if (sum != 0) *sink = sum;  // the buffer holds zeros
}

__global__ void wait(std::int64_t nanoseconds) {
    const auto now = [] {
        std::uint64_t time;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
        return time;
    };
    const std::uint64_t end = now() + nanoseconds;
    while (now() < end) __nanosleep(1000);
}

template <class Bits>
void launch_count_nan_of(const void* data, std::int64_t elements, Bits infinity,
                         unsigned long long* count, cudaStream_t stream) {
    count_nan<<<blocks_for(elements), block_size, 0, stream>>>(static_cast<const Bits*>(data),
                                                               elements, infinity, count);
}

}  // namespace

void launch_fill_random(void* data, std::int64_t elements, DType dtype, Distribution distribution,
                        std::uint64_t seed, cudaStream_t stream) {
    const auto launch = [&]<class Element>(Element* typed) {
        fill_random<<<blocks_for(elements), block_size, 0, stream>>>(
            typed, elements, distribution == Distribution::normal_outliers, seed);
    };
    switch (dtype) {
        case DType::fp32:
            launch(static_cast<float*>(data));
            break;
        case DType::fp16:
            launch(static_cast<__half*>(data));
            break;
        case DType::bf16:
            launch(static_cast<__nv_bfloat16*>(data));
            break;
    }
    check_launch("fill_random");
}

void launch_count_nan(const void* data, std::int64_t elements, DType dtype,
                      unsigned long long* count, cudaStream_t stream) {
    switch (dtype) {
        case DType::fp32:
            launch_count_nan_of<std::uint32_t>(data, elements, 0x7f800000u, count, stream);
            break;
        case DType::fp16:
            launch_count_nan_of<std::uint16_t>(data, elements, 0x7c00u, count, stream);
            break;
        case DType::bf16:
            launch_count_nan_of<std::uint16_t>(data, elements, 0x7f80u, count, stream);
            break;
    }
    check_launch("count_nan");
}

void launch_read(const void* data, std::int64_t bytes, void* sink, cudaStream_t stream) {
    const std::int64_t vectors = bytes / static_cast<std::int64_t>(sizeof(uint4));
    read<<<blocks_for(vectors / 4), block_size, 0, stream>>>(static_cast<const uint4*>(data),
                                                             vectors, static_cast<unsigned*>(sink));
    check_launch("read");
}

void launch_wait(std::int64_t nanoseconds, cudaStream_t stream) {
    wait<<<1, 1, 0, stream>>>(nanoseconds);
    check_launch("wait");
}

}  // namespace attnroof::cuda
