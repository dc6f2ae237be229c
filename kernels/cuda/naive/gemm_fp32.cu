// naive, steps 1 and 3 in fp32: a register-blocked product on FFMA, C = scale * A op(B).
//
// 128 threads own a tile of 128 rows and 64 columns, 8x8 of it each, and walk k in steps of 16. The
// next step's operands wait in registers while this one is multiplied, so two shared-memory buffers
// need one barrier a step. Operands lie in shared memory with k outermost: a thread reads its eight
// rows and eight columns of one k in four 16-byte loads, for 64 FFMA. Measured on an H200, N =
// 4096, head_dim 128: S 42, O 45 TFLOP/s (steps of 8: 37, 35) where FFMA alone reaches 64.
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"

namespace attnroof::cuda {
namespace {

constexpr int tile_m = 128, tile_n = 64, tile_k = 16, threads = 128;
constexpr int pad = 4;  // floats; keeps rows 16-byte aligned and apart in the banks

struct GemmParams {
    const float* a;  // [heads][m][a_pitch], 0 from column k to the pitch
    const float* b;  // [heads / group][n][k], or [heads / group][k][n]
    float* c;        // [heads][m][c_pitch], filled with 0 from column n to the pitch
    std::int64_t m, n, k, a_pitch, c_pitch, m_tiles, n_tiles, group;
    float scale;
};

/// Four neighbours, or zeros; `source` is 16-byte aligned.
__device__ __forceinline__ float4 load4(const float* source, bool valid) {
    return valid ? *reinterpret_cast<const float4*>(source) : make_float4(0, 0, 0, 0);
}

/// A [rows][16] tile of a matrix whose rows run along k, stored in shared memory as [16][rows].
template <int rows>
struct KMajorTile {
    static constexpr int lanes = tile_k / 4;  // threads that cover a row
    static constexpr int rows_a_pass = threads / lanes, passes = rows / rows_a_pass;
    const float* source;  // this thread's first four
    std::int64_t stride;
    int rows_left;
    float4 held[passes];

    __device__ __forceinline__ KMajorTile(const float* matrix, std::int64_t first, std::int64_t all,
                                          std::int64_t pitch)
        : source(matrix + (first + threadIdx.x / lanes) * pitch + threadIdx.x % lanes * 4),
          stride(rows_a_pass * pitch),
          rows_left(static_cast<int>(min(all - first - threadIdx.x / lanes, std::int64_t{rows}))) {}

    /// Reads the next 16 columns, of which `k_left` exist.
    __device__ __forceinline__ void fetch(int k_left) {
        const bool k_valid = static_cast<int>(threadIdx.x % lanes * 4) < k_left;
#pragma unroll
        for (int i = 0; i < passes; ++i)
            held[i] = load4(source + i * stride, k_valid && i * rows_a_pass < rows_left);
        source += tile_k;
    }
    __device__ __forceinline__ void put(float (*shared)[rows + pad]) const {
#pragma unroll
        for (int i = 0; i < passes; ++i) {
            const int row = threadIdx.x / lanes + i * rows_a_pass, k = threadIdx.x % lanes * 4;
            shared[k][row] = held[i].x;
            shared[k + 1][row] = held[i].y;
            shared[k + 2][row] = held[i].z;
            shared[k + 3][row] = held[i].w;
        }
    }
};

/// A [16][columns] tile of a matrix whose rows run along n; n is a multiple of 4 (head_dim).
template <int columns>
struct NMajorTile {
    static constexpr int lanes = columns / 4;  // threads that cover a row
    static constexpr int rows_a_pass = threads / lanes, passes = tile_k / rows_a_pass;
    const float* source;
    std::int64_t stride;
    bool column_valid;
    float4 held[passes];

    __device__ __forceinline__ NMajorTile(const float* matrix, std::int64_t first, std::int64_t all,
                                          std::int64_t)
        : source(matrix + threadIdx.x / lanes * all + first + threadIdx.x % lanes * 4),
          stride(rows_a_pass * all),
          column_valid(first + threadIdx.x % lanes * 4 < all) {}

    /// Reads the next 16 rows, of which `k_left` exist.
    __device__ __forceinline__ void fetch(int k_left) {
        const int left = column_valid ? k_left - static_cast<int>(threadIdx.x / lanes) : 0;
#pragma unroll
        for (int i = 0; i < passes; ++i, source += stride)
            held[i] = load4(source, i * rows_a_pass < left);
    }
    __device__ __forceinline__ void put(float (*shared)[columns + pad]) const {
#pragma unroll
        for (int i = 0; i < passes; ++i)
            *reinterpret_cast<float4*>(
                &shared[threadIdx.x / lanes + i * rows_a_pass][threadIdx.x % lanes * 4]) = held[i];
    }
};

/// Eight floats, in two groups of four that lie `apart` floats from each other.
__device__ __forceinline__ void read8(float (&x)[8], const float* source, int apart) {
    const float4 low = *reinterpret_cast<const float4*>(source);
    const float4 high = *reinterpret_cast<const float4*>(source + apart);
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
}

/// Stores a thread's 8x8 results, rows and columns in the groups of read8.
__device__ __forceinline__ void store_tile(const float (&sum)[8][8], const GemmParams& p, float* c,
                                           std::int64_t row, std::int64_t column) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const std::int64_t r = row + i / 4 * (tile_m / 2) + i % 4;
        if (r >= p.m) continue;
#pragma unroll
        for (int group = 0; group < 2; ++group) {
            const std::int64_t first = column + group * (tile_n / 2);
            const float* x = sum[i] + 4 * group;
            if (first < p.c_pitch)
                __stcs(reinterpret_cast<float4*>(c + r * p.c_pitch + first),
                       make_float4(x[0] * p.scale, x[1] * p.scale, x[2] * p.scale, x[3] * p.scale));
        }
    }
}

template <bool b_k_major>
__global__ void __launch_bounds__(threads, 3) gemm_kernel(const GemmParams p) {
    __shared__ __align__(16) float a_shared[2][tile_k][tile_m + pad];
    __shared__ __align__(16) float b_shared[2][tile_k][tile_n + pad];

    const std::int64_t first_n = blockIdx.x % p.n_tiles * tile_n;
    const std::int64_t first_m = blockIdx.x / p.n_tiles % p.m_tiles * tile_m;
    const std::int64_t head = blockIdx.x / p.n_tiles / p.m_tiles;
    KMajorTile<tile_m> a(p.a + head * p.m * p.a_pitch, first_m, p.m, p.a_pitch);
    std::conditional_t<b_k_major, KMajorTile<tile_n>, NMajorTile<tile_n>> b(
        p.b + head / p.group * p.n * p.k, first_n, p.n, p.k);
    const auto fetch = [&](std::int64_t k) {
        const int k_left = static_cast<int>(min(p.k - k, std::int64_t{tile_k}));
        a.fetch(k_left);
        b.fetch(k_left);
    };

    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    float sum[8][8] = {};
    fetch(0);
    a.put(a_shared[0]);
    b.put(b_shared[0]);
    __syncthreads();
    int buffer = 0;
#pragma unroll 1
    for (std::int64_t k = 0; k < p.k; k += tile_k, buffer ^= 1) {
        const bool more = k + tile_k < p.k;
        if (more) fetch(k + tile_k);
#pragma unroll
        for (int step = 0; step < tile_k; ++step) {
            float x[8], y[8];
            read8(x, &a_shared[buffer][step][ty * 4], tile_m / 2);
            read8(y, &b_shared[buffer][step][tx * 4], tile_n / 2);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        if (more) {
            a.put(a_shared[buffer ^ 1]);
            b.put(b_shared[buffer ^ 1]);
            __syncthreads();
        }
    }
    store_tile(sum, p, p.c + head * p.m * p.c_pitch, first_m + ty * 4, first_n + tx * 4);
}

template <bool b_k_major>
void launch_gemm(GemmParams p, std::int64_t heads, void* stream) {
    p.m_tiles = ceil_div(p.m, tile_m);
    p.n_tiles = ceil_div(p.n, tile_n);
    gemm_kernel<b_k_major>
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
    p.k = p.a_pitch = problem.head_dim;
    p.c_pitch = score_pitch(problem);
    p.group = problem.heads / problem.kv_heads;
    p.scale = static_cast<float>(problem.scale());
    launch_gemm<true>(p, problem.batch * problem.heads, args.stream);
}

void launch_output_fp32(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    GemmParams p{};
    p.a = static_cast<const float*>(args.workspace);
    p.b = static_cast<const float*>(args.v);
    p.c = static_cast<float*>(args.o);
    p.m = problem.q_len;
    p.n = p.c_pitch = problem.head_dim;
    p.k = problem.kv_len;
    p.a_pitch = score_pitch(problem);
    p.group = problem.heads / problem.kv_heads;
    p.scale = 1.0f;
    launch_gemm<false>(p, problem.batch * problem.heads, args.stream);
}

}  // namespace attnroof::cuda
