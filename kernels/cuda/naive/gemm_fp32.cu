// naive, steps 1 and 3 in fp32: a register-blocked product on FFMA, C = scale * A op(B).
//
// 256 threads own a tile of 128 rows and 64 or 128 columns, 8 x 4 or 8 x 8 of it each, and walk k
// in steps of 8. The next step's operands wait in registers while this one is multiplied, so one
// barrier a step is enough for the two shared-memory buffers.
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/naive/launch.h"

namespace attnroof::cuda {
namespace {

constexpr int tile_m = 128, tile_k = 8, threads = 256;
constexpr int pad = 4;  // floats; keeps rows 16-byte aligned and apart in the banks

struct GemmParams {
    const float* a;  // [heads][m][k]
    const float* b;  // [heads / group][n][k], or [heads / group][k][n]
    float* c;        // [heads][m][n]
    std::int64_t m, n, k, m_tiles, n_tiles, group;
    float scale;
};

/// Four neighbours of which the first `count` exist; the rest are 0.
__device__ __forceinline__ float4 load4(const float* source, int count, bool aligned) {
    float4 x = make_float4(0, 0, 0, 0);
    if (count <= 0) return x;
    if (aligned) return *reinterpret_cast<const float4*>(source);
    x.x = source[0];
    if (count > 1) x.y = source[1];
    if (count > 2) x.z = source[2];
    if (count > 3) x.w = source[3];
    return x;
}

__device__ __forceinline__ int left(std::int64_t all, std::int64_t first, int at_most) {
    return static_cast<int>(min(all - first, static_cast<std::int64_t>(at_most)));
}

/// An [rows][8] tile of a matrix whose rows run along k, stored in shared memory as [8][rows].
template <int rows>
struct KMajorTile {
    static_assert(rows * tile_k == 4 * threads);
    const float* source;  // this thread's four
    std::int64_t k_all;
    bool row_valid;
    float4 held;

    __device__ __forceinline__ KMajorTile(const float* matrix, std::int64_t first, std::int64_t all,
                                          std::int64_t k_all_)
        : source(matrix + (first + threadIdx.x / 2) * k_all_ + threadIdx.x % 2 * 4),
          k_all(k_all_),
          row_valid(first + threadIdx.x / 2 < all) {}

    /// Reads columns [k, k + 8).
    __device__ __forceinline__ void fetch(std::int64_t k) {
        const int count = left(k_all, k + threadIdx.x % 2 * 4, 4);
        held = load4(source + k, row_valid ? count : 0, k_all % 4 == 0);
    }
    __device__ __forceinline__ void put(float (*shared)[rows + pad]) const {
        const int row = threadIdx.x / 2, k = threadIdx.x % 2 * 4;
        shared[k][row] = held.x;
        shared[k + 1][row] = held.y;
        shared[k + 2][row] = held.z;
        shared[k + 3][row] = held.w;
    }
};

/// An [8][columns] tile of a matrix whose rows run along n; n is a multiple of 4 (head_dim).
template <int columns>
struct NMajorTile {
    static constexpr int lanes = columns / 4;  // threads that cover a row; the rest idle
    const float* source;
    std::int64_t stride, k_all;
    bool column_valid;
    float4 held;

    __device__ __forceinline__ NMajorTile(const float* matrix, std::int64_t first, std::int64_t all,
                                          std::int64_t k_all_)
        : source(matrix + first + threadIdx.x % lanes * 4),
          stride(all),
          k_all(k_all_),
          column_valid(threadIdx.x < lanes * tile_k && first + threadIdx.x % lanes * 4 < all) {}

    /// Reads rows [k, k + 8).
    __device__ __forceinline__ void fetch(std::int64_t k) {
        k += threadIdx.x / lanes;
        held = load4(source + k * stride, column_valid && k < k_all ? 4 : 0, true);
    }
    __device__ __forceinline__ void put(float (*shared)[columns + pad]) const {
        if (threadIdx.x < lanes * tile_k)
            *reinterpret_cast<float4*>(&shared[threadIdx.x / lanes][threadIdx.x % lanes * 4]) =
                held;
    }
};

template <bool b_k_major, int tile_n>
__global__ void __launch_bounds__(threads, 2) gemm_kernel(const GemmParams p) {
    constexpr int groups = tile_n / 64;  // groups of four columns a thread
    __shared__ __align__(16) float a_shared[2][tile_k][tile_m + pad];
    __shared__ __align__(16) float b_shared[2][tile_k][tile_n + pad];

    const std::int64_t first_n = blockIdx.x % p.n_tiles * tile_n;
    const std::int64_t first_m = blockIdx.x / p.n_tiles % p.m_tiles * tile_m;
    const std::int64_t head = blockIdx.x / p.n_tiles / p.m_tiles;
    const float* a = p.a + head * p.m * p.k;
    const float* b = p.b + head / p.group * p.n * p.k;
    float* c = p.c + head * p.m * p.n;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;

    KMajorTile<tile_m> a_next(a, first_m, p.m, p.k);
    std::conditional_t<b_k_major, KMajorTile<tile_n>, NMajorTile<tile_n>> b_next(b, first_n, p.n,
                                                                                 p.k);
    float sum[8][4 * groups] = {};

    a_next.fetch(0);
    b_next.fetch(0);
    a_next.put(a_shared[0]);
    b_next.put(b_shared[0]);
    __syncthreads();
    int buffer = 0;
#pragma unroll 1
    for (std::int64_t k = 0; k < p.k; k += tile_k, buffer ^= 1) {
        const bool more = k + tile_k < p.k;
        if (more) {
            a_next.fetch(k + tile_k);
            b_next.fetch(k + tile_k);
        }
#pragma unroll 2  // more does not fit two blocks of 128 registers a thread
        for (int step = 0; step < tile_k; ++step) {
            float x[8], y[4 * groups];
#pragma unroll
            for (int i = 0; i < 2; ++i)
                *reinterpret_cast<float4*>(x + 4 * i) =
                    *reinterpret_cast<const float4*>(&a_shared[buffer][step][ty * 4 + 64 * i]);
#pragma unroll
            for (int i = 0; i < groups; ++i)
                *reinterpret_cast<float4*>(y + 4 * i) =
                    *reinterpret_cast<const float4*>(&b_shared[buffer][step][tx * 4 + 64 * i]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4 * groups; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        if (more) {
            a_next.put(a_shared[buffer ^ 1]);
            b_next.put(b_shared[buffer ^ 1]);
            __syncthreads();
        }
    }

    const bool aligned = p.n % 4 == 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const std::int64_t row = first_m + ty * 4 + i / 4 * 64 + i % 4;
        if (row >= p.m) continue;
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            const std::int64_t column = first_n + tx * 4 + 64 * group;
            float* target = c + row * p.n + column;
            const float* source = sum[i] + 4 * group;
            if (aligned) {
                if (column < p.n)
                    __stcs(reinterpret_cast<float4*>(target),
                           make_float4(source[0] * p.scale, source[1] * p.scale,
                                       source[2] * p.scale, source[3] * p.scale));
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    if (column + j < p.n) target[j] = source[j] * p.scale;
            }
        }
    }
}

template <bool b_k_major, int tile_n>
void launch_gemm(GemmParams p, std::int64_t heads, void* stream) {
    p.m_tiles = ceil_div(p.m, tile_m);
    p.n_tiles = ceil_div(p.n, tile_n);
    gemm_kernel<b_k_major, tile_n>
        <<<grid_x(heads * p.m_tiles * p.n_tiles), threads, 0, static_cast<cudaStream_t>(stream)>>>(
            p);
    check_launch("naive fp32 product");
}

}  // namespace

void launch_scores_fp32(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    GemmParams p{};
    p.a = static_cast<const float*>(args.q);
    p.b = static_cast<const float*>(args.k);
    p.c = static_cast<float*>(args.workspace);
    p.m = problem.q_len;
    p.n = problem.kv_len;
    p.k = problem.head_dim;
    p.group = problem.heads / problem.kv_heads;
    p.scale = static_cast<float>(problem.scale());
    launch_gemm<true, 128>(p, problem.batch * problem.heads, args.stream);
}

void launch_output_fp32(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    GemmParams p{};
    p.a = static_cast<const float*>(args.workspace);
    p.b = static_cast<const float*>(args.v);
    p.c = static_cast<float*>(args.o);
    p.m = problem.q_len;
    p.n = problem.head_dim;
    p.k = problem.kv_len;
    p.group = problem.heads / problem.kv_heads;
    p.scale = 1.0f;
    const std::int64_t heads = problem.batch * problem.heads;
    if (p.n <= 64)
        launch_gemm<false, 64>(p, heads, args.stream);
    else
        launch_gemm<false, 128>(p, heads, args.stream);
}

}  // namespace attnroof::cuda
