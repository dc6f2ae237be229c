// Registry rows of the CUDA kernels. Compiled in every build: plans and predictions need no GPU.
#include <fmt/format.h>

#include <cmath>

#include "kernels/cuda/launchers.h"
#include "kernels/rows.h"

#ifdef ATTNROOF_WITH_CUDA
#define ATTNROOF_CUDA_LAUNCHER(function) cuda::function
#else
#define ATTNROOF_CUDA_LAUNCHER(function) nullptr
#endif

namespace attnroof {
namespace {

std::optional<std::string> refuses_common(const AttentionProblem& p, int compute_capability) {
    if (p.pass != Pass::forward) return "needs pass forward, got backward";
    if (compute_capability < 80)
        return fmt::format("needs compute capability 8.0, the device has {}.{}",
                           compute_capability / 10, compute_capability % 10);
    if (p.head_dim > 256) return fmt::format("needs head_dim <= 256, got {}", p.head_dim);
    if (p.head_dim % 8 != 0)
        return fmt::format("needs head_dim to be a multiple of 8, got {}", p.head_dim);
    return std::nullopt;
}

std::optional<std::string> refuses_tensor_cores(const AttentionProblem& p, int compute_capability) {
    if (p.dtype == DType::fp32) return "needs dtype fp16 or bf16 (tensor cores), got fp32";
    return refuses_common(p, compute_capability);
}

std::optional<std::string> refuses_hopper(const AttentionProblem& p, int compute_capability) {
    if (compute_capability / 10 != 9)
        return fmt::format("needs compute capability 9.x (wgmma), the device has {}.{}",
                           compute_capability / 10, compute_capability % 10);
    return refuses_tensor_cores(p, compute_capability);
}

/// S with its rows filled up to 16 bytes.
std::int64_t scores(const AttentionProblem& p) {
    return p.lse_elements() * cuda::score_pitch(p) * bytes_of(p.dtype);
}
std::int64_t no_workspace(const AttentionProblem&) { return 0; }

// S is written, then overwritten by P in place, then read. P is dirty at the end, so it goes to
// memory sooner or later whatever its size: that write-back is charged to the softmax.
Traffic scores_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {q_bytes(p) + kv_bytes(p), written_before_overwritten(scores(p), cache)};
}
Traffic softmax_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(scores(p), cache), scores(p) + lse_bytes(p)};
}
Traffic output_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(scores(p), cache) + kv_bytes(p), q_bytes(p)};
}

/// One pass over K and V while those of a head fit in the cache: the schedules keep to few heads at
/// a time. Else each wave of the `rows` query rows in flight walks the keys it sees once more.
Traffic fused_traffic(const AttentionProblem& p, std::int64_t cache, std::int64_t rows) {
    Traffic traffic = compulsory_traffic(p);
    const std::int64_t kv = 2 * kv_bytes(p);
    if (kv / (p.batch * p.kv_heads) <= cache) return traffic;
    const double seen = static_cast<double>(p.visible_pairs()) / static_cast<double>(p.kv_len);
    const double waves =
        seen * static_cast<double>(p.heads / p.kv_heads) / static_cast<double>(rows);
    if (waves > 1) traffic.read_bytes += std::llround((waves - 1) * static_cast<double>(kv));
    return traffic;
}
// One block an SM on the 132 SMs of an H100 or H200; two on the 108 of an A100.
Traffic fused_sm90_traffic(const AttentionProblem& p, std::int64_t cache) {
    return fused_traffic(p, cache, 132 * (p.head_dim <= 64 ? 192 : 128));
}
Traffic fused_sm80_traffic(const AttentionProblem& p, std::int64_t cache) {
    return fused_traffic(p, cache, 108 * 2 * (p.head_dim <= 128 ? 128 : 64));
}

}  // namespace

std::vector<KernelRow> cuda_kernel_rows() {
    return {
        // sm80 stays the preferred one until sm90 beats it at every size: its S is written slower.
        {"naive",
         "sm80",
         DeviceKind::cuda,
         "S and P materialised in HBM, three launches; mma.sync (FFMA for fp32)",
         refuses_common,
         scores,
         true,
         {{"scores", scores_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm80)},
          {"softmax", softmax_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm80)},
          {"output", output_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm80)}}},
        {"naive",
         "sm90",
         DeviceKind::cuda,
         "S and P materialised in HBM, three launches; TMA, wgmma, producer and consumer warps",
         refuses_hopper,
         scores,
         true,
         {{"scores", scores_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm90)},
          {"softmax", softmax_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm80)},
          {"output", output_traffic, ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm90)}}},
        {"fused",
         "sm90",
         DeviceKind::cuda,
         "tiling and online softmax in one launch; TMA, wgmma, producer and consumer warps",
         refuses_hopper,
         no_workspace,
         false,
         {{"fused", fused_sm90_traffic, ATTNROOF_CUDA_LAUNCHER(launch_fused_sm90)}}},
        {"fused",
         "sm80",
         DeviceKind::cuda,
         "tiling and online softmax in one launch; mma.sync, cp.async, ldmatrix",
         refuses_tensor_cores,
         no_workspace,
         false,
         {{"fused", fused_sm80_traffic, ATTNROOF_CUDA_LAUNCHER(launch_fused_sm80)}}},
    };
}

}  // namespace attnroof
