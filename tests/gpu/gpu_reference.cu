#include "gpu/gpu_reference.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/check.h"
#include "kernels/half.h"

namespace attnroof::testing {
namespace {

constexpr int threads = 256;

__device__ double uniform(std::uint64_t seed, std::uint64_t index) {  // splitmix64, in (0, 1)
    std::uint64_t x = (seed << 48) + index * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
}

__device__ double normal(std::uint64_t seed, std::uint64_t index) {
    const double radius = sqrt(-2 * log(uniform(seed, 2 * index)));
    return radius * cospi(2 * uniform(seed, 2 * index + 1));
}

/// The key of Inputs::one_hot: near the end, where offsets are largest.
__device__ std::int64_t hot_key(const AttentionProblem& p) { return p.kv_len - 1 - p.kv_len / 16; }

/// Element `i` of tensor 0, 1, 2 = Q, K, V.
__device__ double input_value(const AttentionProblem& p, Inputs inputs, int tensor,
                              std::uint64_t seed, std::int64_t i) {
    seed = 8 * seed + tensor;
    const double x = normal(seed, i);
    const bool value = tensor == 2;
    switch (inputs) {
        case Inputs::outliers:
            return x +
                   (uniform(seed + 4, 2 * i) < 0.001 ? 10 * normal(seed + 4, i + (1ll << 44)) : 0);
        case Inputs::large_negative: {  // score = -sqrt(d) * magnitude^2
            const double magnitude = sqrt(120 / sqrt(static_cast<double>(p.head_dim)));
            return value ? x : tensor == 0 ? magnitude : -magnitude;
        }
        case Inputs::one_hot:
            if (value) return x;
            if (tensor == 0) return 1 + 0.1 * x;
            return i / p.head_dim % p.kv_len == hot_key(p) ? 8 : 0.1 * x;
        default:
            return x;
    }
}

template <typename Element>
__global__ void fill(Element* out, std::int64_t elements, AttentionProblem p, Inputs inputs,
                     int tensor, std::uint64_t seed) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < elements;
         i += std::int64_t{gridDim.x} * threads)
        out[i] = Element(static_cast<float>(input_value(p, inputs, tensor, seed, i)));
}

/// Reduces over the block; every thread gets the result.
template <typename Combine>
__device__ double reduce(double mine, Combine combine) {
    __shared__ double values[threads];
    __syncthreads();
    values[threadIdx.x] = mine;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
    return values[0];
}
struct Max {
    __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Sum {
    __device__ double operator()(double a, double b) const { return a + b; }
};

__device__ double ratio(double got, double want, double bound) {
    if (got == want) return 0;  // infinities as well
    const double error = fabs(got - want);
    return error <= 1e300 ? error / bound : INFINITY;
}

/// One block a row. `scratch` [gridDim.x][kv_len] holds scores, then weights.
template <typename Element>
__global__ void compare_row(LaunchArgs args, double unit, bool scores_in_dtype, std::int64_t first,
                            std::int64_t step, double* scratch, double* ratios) {
    const AttentionProblem& p = args.problem;
    const std::int64_t row = min((first + blockIdx.x) * step, p.batch * p.heads * p.q_len - 1);
    const std::int64_t head = row / p.q_len, d = p.head_dim;
    std::int64_t keys = p.kv_len;
    if (p.mask == Mask::causal) keys = max(std::int64_t{0}, row % p.q_len + 1 + p.kv_len - p.q_len);
    const Element* q = static_cast<const Element*>(args.q) + row * d;
    const std::int64_t kv_head = head / (p.heads / p.kv_heads);
    const Element* k = static_cast<const Element*>(args.k) + kv_head * p.kv_len * d;
    const Element* v = static_cast<const Element*>(args.v) + kv_head * p.kv_len * d;
    const Element* o = static_cast<const Element*>(args.o) + row * d;
    double* weights = scratch + blockIdx.x * p.kv_len;

    double maximum = -INFINITY, largest = 0;
    for (std::int64_t key = threadIdx.x; key < keys; key += threads) {
        double dot = 0;
        for (std::int64_t c = 0; c < d; ++c)
            dot += static_cast<double>(float(q[c])) * static_cast<double>(float(k[key * d + c]));
        weights[key] = dot / sqrt(static_cast<double>(d));
        maximum = fmax(maximum, weights[key]);
        largest = fmax(largest, fabs(weights[key]));
    }
    maximum = reduce(maximum, Max{});
    largest = reduce(largest, Max{});
    double sum = 0;
    for (std::int64_t key = threadIdx.x; key < keys; key += threads) {
        weights[key] = exp(weights[key] - maximum);
        sum += weights[key];
    }
    sum = reduce(sum, Sum{});
    for (std::int64_t key = threadIdx.x; key < keys; key += threads) weights[key] /= sum;
    __syncthreads();

    const double score_error = (1 + largest) * 0x1p-19;
    const double stored = scores_in_dtype ? largest : 0;
    double worst = 0;
    for (std::int64_t c = threadIdx.x; c < d; c += threads) {
        double want = 0, squares = 0, magnitude = 0;
        for (std::int64_t key = 0; key < keys; ++key) {
            const double term = weights[key] * static_cast<double>(float(v[key * d + c]));
            want += term;
            squares += term * term;
            magnitude += fabs(term);
        }
        const double bound = unit * (fabs(want) + 8 / sqrt(3.0) * (1 + stored) * sqrt(squares)) +
                             score_error * magnitude + 1e-37;
        worst = fmax(worst, ratio(float(o[c]), want, bound));
    }
    const double lse = keys > 0 ? maximum + log(sum) : -INFINITY;
    worst = fmax(worst, ratio(args.lse[row], lse, score_error + 1e-6 + unit * stored));
    worst = reduce(worst, Max{});
    if (threadIdx.x == 0) ratios[blockIdx.x] = worst;
}

template <typename Element>
void fill_inputs_as(const LaunchArgs& args, Inputs inputs, std::uint64_t seed) {
    const AttentionProblem& p = args.problem;
    const void* tensors[] = {args.q, args.k, args.v};
    for (int tensor = 0; tensor < 3; ++tensor) {
        fill<<<1024, threads>>>(static_cast<Element*>(const_cast<void*>(tensors[tensor])),
                                tensor == 0 ? p.q_elements() : p.kv_elements(), p, inputs, tensor,
                                seed);
        cuda::check_launch("fill");
    }
    ATTNROOF_CUDA_CHECK(cudaDeviceSynchronize());
}

template <typename Element>
Worst compare_as(const LaunchArgs& args, bool scores_in_dtype, std::int64_t step) {
    const AttentionProblem& p = args.problem;
    const std::int64_t rows = (p.lse_elements() - 1 + step - 1) / step + 1;
    const std::int64_t most = std::clamp<std::int64_t>((1 << 26) / p.kv_len, 1, rows);
    double *scratch = nullptr, *ratios = nullptr;
    ATTNROOF_CUDA_CHECK(cudaMalloc(&scratch, most * p.kv_len * sizeof(double)));
    ATTNROOF_CUDA_CHECK(cudaMalloc(&ratios, most * sizeof(double)));
    Worst worst;
    std::vector<double> found;
    for (std::int64_t first = 0; first < rows; first += most) {
        const std::int64_t count = std::min(most, rows - first);
        compare_row<Element><<<static_cast<unsigned>(count), threads>>>(
            args, unit_roundoff(p.dtype), scores_in_dtype, first, step, scratch, ratios);
        cuda::check_launch("compare_row");
        found.resize(count);
        ATTNROOF_CUDA_CHECK(
            cudaMemcpy(found.data(), ratios, count * sizeof(double), cudaMemcpyDeviceToHost));
        const auto at = std::max_element(found.begin(), found.end());
        if (*at > worst.ratio)
            worst = {*at, std::min((first + (at - found.begin())) * step, p.lse_elements() - 1)};
    }
    ATTNROOF_CUDA_CHECK(cudaFree(scratch));
    ATTNROOF_CUDA_CHECK(cudaFree(ratios));
    return worst;
}

}  // namespace

void fill_inputs(const LaunchArgs& args, Inputs inputs, std::uint64_t seed) {
    switch (args.problem.dtype) {
        case DType::fp32:
            return fill_inputs_as<float>(args, inputs, seed);
        case DType::fp16:
            return fill_inputs_as<__half>(args, inputs, seed);
        case DType::bf16:
            return fill_inputs_as<__nv_bfloat16>(args, inputs, seed);
    }
}

Worst compare_with_fp64(const LaunchArgs& args, bool scores_in_dtype, std::int64_t step) {
    switch (args.problem.dtype) {
        case DType::fp32:
            return compare_as<float>(args, scores_in_dtype, step);
        case DType::fp16:
            return compare_as<__half>(args, scores_in_dtype, step);
        case DType::bf16:
            return compare_as<__nv_bfloat16>(args, scores_in_dtype, step);
    }
    return {};
}

}  // namespace attnroof::testing
