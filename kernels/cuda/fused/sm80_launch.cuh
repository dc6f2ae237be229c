// Launches the sm80 fused kernel for one tile shape.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/fused/sm80_kernel.cuh"
#include "kernels/cuda/launch_helpers.h"
#include "kernels/launch.h"

namespace attnroof::cuda::sm80 {

/// Launches over all heads and row tiles. Throws CudaError.
template <class T>
void launch(const LaunchArgs& args) {
    const AttentionProblem& problem = args.problem;
    Params p{};
    p.q_len = problem.q_len;
    p.kv_len = problem.kv_len;
    p.head_dim = static_cast<int>(problem.head_dim);
    p.group = problem.heads / problem.kv_heads;
    p.row_tiles = static_cast<unsigned>(ceil_div(problem.q_len, T::rows));
    p.scale = static_cast<float>(problem.scale());
    p.scale_log2 = static_cast<float>(problem.scale() * 1.4426950408889634);
    p.slack = OnlineSoftmax<T::row_tiles>::headroom / p.scale_log2;
    p.q = args.q;
    p.k = args.k;
    p.v = args.v;
    p.o = args.o;
    p.lse = args.lse;

    const int l2_bytes = current_device_attribute(cudaDevAttrL2CacheSize);
    allow_shared_memory(fused_forward<T>, T::shared_bytes);

    // grid.x alone holds all blocks; a grid too large for it becomes several launches.
    const std::int64_t heads = problem.batch * problem.heads;
    const std::int64_t most = std::min<std::int64_t>(heads, 0x7fffffff / p.row_tiles);
    p.section = 1;
    if (T::causal) {
        const std::int64_t kv_head_bytes = 4 * problem.kv_len * problem.head_dim;
        const std::int64_t fitting = std::max<std::int64_t>(1, l2_bytes / 8 / kv_head_bytes);
        p.section = static_cast<unsigned>(std::min(most, p.group * fitting));
    }
    for (p.first = 0; p.first < heads; p.first += most) {
        p.heads = static_cast<unsigned>(std::min(most, heads - p.first));
        fused_forward<T><<<p.heads * p.row_tiles, T::threads, T::shared_bytes,
                           static_cast<cudaStream_t>(args.stream)>>>(p);
        check_launch("fused_forward");
    }
}

/// Over the dtypes; `Shape` as in Tile, from HeadDim on.
template <bool Causal, int... Shape>
void launch_shape(const LaunchArgs& args) {
    if (args.problem.dtype == DType::bf16)
        launch<Tile<__nv_bfloat16, Causal, Shape...>>(args);
    else
        launch<Tile<__half, Causal, Shape...>>(args);
}

}  // namespace attnroof::cuda::sm80
