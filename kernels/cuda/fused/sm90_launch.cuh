// Fills Params and launches one tile shape of the sm90 fused kernel.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/cuda/fused/sm90_kernel.cuh"
#include "kernels/cuda/launch_helpers.h"
#include "kernels/cuda/tensor_map.h"
#include "kernels/launch.h"

namespace attnroof::cuda::sm90 {

/// K and V of the heads worked on together should stay in this much of the L2.
inline constexpr std::int64_t l2_for_kv = 16 << 20;

template <typename T>
Params make_params(const LaunchArgs& args) {
    const AttentionProblem& a = args.problem;
    const std::int64_t heads = a.batch * a.heads, kv_heads = a.batch * a.kv_heads;
    Params p{};
    p.q = make_tensor_map(args.q, a.dtype, a.head_dim, a.q_len, heads, T::block_m);
    p.k = make_tensor_map(args.k, a.dtype, a.head_dim, a.kv_len, kv_heads, T::block_n);
    p.v = make_tensor_map(args.v, a.dtype, a.head_dim, a.kv_len, kv_heads, T::block_n);
    p.o = make_tensor_map(args.o, a.dtype, a.head_dim, a.q_len, heads, 64);
    p.lse = args.lse;
    p.scale = static_cast<float>(a.scale());
    p.scale_log2 = static_cast<float>(a.scale() * 1.4426950408889634);
    p.q_len = static_cast<int>(a.q_len);
    p.kv_len = static_cast<int>(a.kv_len);
    p.causal_offset = static_cast<int>(a.kv_len - a.q_len);
    p.m_tiles = static_cast<int>(ceil_div(a.q_len, T::block_m));
    p.rows_before = (p.m_tiles * T::block_m - p.q_len) / 64 * 64;
    p.heads = static_cast<int>(heads);
    p.group = static_cast<int>(a.heads / a.kv_heads);
    const std::int64_t kv_bytes = 2 * a.kv_len * a.head_dim * 2;
    p.heads_together =
        static_cast<int>(std::clamp<std::int64_t>(p.group * (l2_for_kv / kv_bytes), 1, heads));
    p.in_waves = kv_bytes > l2_for_kv;
    const std::int64_t tiles = heads * p.m_tiles;
    if (tiles > std::numeric_limits<int>::max())
        throw CudaError(cudaErrorInvalidValue, "more than 2^31 query tiles");
    p.tiles = static_cast<int>(tiles);
    return p;
}

/// Zero at load, put back to zero by every launch.
template <typename T>
__device__ TileCounter tile_counter;

template <typename T>
void launch(const LaunchArgs& args) {
    allow_shared_memory(fused_forward<T>, T::shared_bytes);
    const int sm_count = current_device_attribute(cudaDevAttrMultiProcessorCount);
    Params p = make_params<T>(args);
    void* counter = nullptr;
    ATTNROOF_CUDA_CHECK(cudaGetSymbolAddress(&counter, tile_counter<T>));
    p.counter = static_cast<TileCounter*>(counter);
    const unsigned blocks = grid_x(std::min(p.tiles, sm_count));
    fused_forward<T>
        <<<blocks, T::threads, T::shared_bytes, static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("fused_forward (sm90)");
}

/// Picks dtype and mask.
template <int HeadDim, int BlockM, int BlockN>
void launch_tile(const LaunchArgs& args) {
    const bool causal = args.problem.mask == Mask::causal;
    if (args.problem.dtype == DType::bf16) {
        if (causal) return launch<Tile<__nv_bfloat16, HeadDim, BlockM, BlockN, true>>(args);
        return launch<Tile<__nv_bfloat16, HeadDim, BlockM, BlockN, false>>(args);
    }
    if (causal) return launch<Tile<__half, HeadDim, BlockM, BlockN, true>>(args);
    launch<Tile<__half, HeadDim, BlockM, BlockN, false>>(args);
}

}  // namespace attnroof::cuda::sm90
