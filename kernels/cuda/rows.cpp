// Registry rows of the CUDA kernels. Compiled in every build: plans and predictions need no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/sm90.h"
#include "kernels/division.h"
#include "kernels/rows.h"

#ifdef ATTNROOF_WITH_CUDA
#define ATTNROOF_CUDA_LAUNCHER(function) cuda::function
#else
#define ATTNROOF_CUDA_LAUNCHER(function) nullptr
#endif

namespace attnroof {
namespace {

/// Row and key numbers are 32-bit in the kernels, and heads of the batch in those of Hopper;
/// offsets are not. A tile may reach past the end.
constexpr std::int64_t longest = (std::int64_t{1} << 31) - 1024;

std::optional<std::string> refuses_common(const AttentionProblem& p, int compute_capability) {
    if (p.pass != Pass::forward) return "needs pass forward, got backward";
    if (compute_capability < 80)
        return fmt::format("needs compute capability 8.0, the device has {}.{}",
                           compute_capability / 10, compute_capability % 10);
    if (p.head_dim > 256) return fmt::format("needs head_dim <= 256, got {}", p.head_dim);
    if (p.head_dim % 8 != 0)
        return fmt::format("needs head_dim to be a multiple of 8, got {}", p.head_dim);
    if (std::max(p.q_len, p.kv_len) > longest)
        return fmt::format("needs q_len and kv_len <= {}, got {} and {}", longest, p.q_len,
                           p.kv_len);
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
    if (p.batch * p.heads > longest)
        return fmt::format("needs batch * heads <= {}, got {}", longest, p.batch * p.heads);
    return refuses_tensor_cores(p, compute_capability);
}

/// A row of fp32 scores waits in shared memory, 227 KB less what the reductions use.
constexpr std::int64_t most_fp32_keys = 56 * 1024;

std::optional<std::string> refuses_fp32_scores(const AttentionProblem& p, int compute_capability) {
    if (p.kv_len > most_fp32_keys)
        return fmt::format("needs kv_len <= {} (a row of fp32 scores on chip), got {}",
                           most_fp32_keys, p.kv_len);
    return refuses_hopper(p, compute_capability);
}

std::optional<std::string> refuses_skipping(const AttentionProblem& p, int compute_capability) {
    if (p.mask != Mask::causal) return "needs mask causal (skips what it hides), got full";
    return refuses_hopper(p, compute_capability);
}

/// S with its rows filled up to 16 bytes.
std::int64_t scores(const AttentionProblem& p) {
    return p.lse_elements() * cuda::score_pitch(p) * bytes_of(p.dtype);
}
/// The same in fp32, from a 16-bit dtype.
std::int64_t fp32_scores(const AttentionProblem& p) { return 2 * scores(p); }
std::int64_t no_workspace(const AttentionProblem&) { return 0; }

/// Bytes of S and P that a naive kernel's steps pass on to each other.
struct ScoreBytes {
    std::int64_t s_written, s_read, p;
};

ScoreBytes dense_bytes(const AttentionProblem& p) { return {scores(p), scores(p), scores(p)}; }

ScoreBytes fp32_bytes(const AttentionProblem& p) {
    return {fp32_scores(p), fp32_scores(p), scores(p)};
}

/// What is visible, in blocks: each `rows` rows as wide as the last of them sees, rounded up to
/// `keys`.
std::int64_t visible_bytes(const AttentionProblem& p, std::int64_t rows, std::int64_t keys) {
    const std::int64_t pitch = cuda::score_pitch(p);
    // Blocks of rows that see nothing are passed over: there may be billions of them.
    const std::int64_t first = std::max(p.q_len - p.kv_len, std::int64_t{0}) / rows * rows;
    std::int64_t elements = 0;
    for (std::int64_t row = first; row < p.q_len; row += rows) {
        const std::int64_t end = std::min(row + rows, p.q_len);
        const std::int64_t visible = round_up(p.visible_keys(end - 1), keys);
        elements += (end - row) * std::min(visible, pitch);
    }
    return p.batch * p.heads * elements * bytes_of(p.dtype);
}

/// Step 1 writes tiles, the softmax reads what a row sees in sectors of 32 bytes and writes what
/// the tiles of step 3 read.
ScoreBytes skipping_bytes(const AttentionProblem& p) {
    using namespace cuda::naive_sm90;
    return {visible_bytes(p, scores_rows, scores_keys(p.head_dim)),
            visible_bytes(p, 1, 32 / bytes_of(p.dtype)),
            visible_bytes(p, output_rows(p.head_dim), output_keys)};
}

// S is written, then overwritten by P in place, then read. P is dirty at the end, so it goes to
// memory sooner or later whatever its size: that write-back is charged to the softmax.
template <ScoreBytes (*bytes)(const AttentionProblem&)>
Traffic scores_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {q_bytes(p) + kv_bytes(p), written_before_overwritten(bytes(p).s_written, cache)};
}
template <ScoreBytes (*bytes)(const AttentionProblem&)>
Traffic softmax_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(bytes(p).s_read, cache), bytes(p).p + lse_bytes(p)};
}
template <ScoreBytes (*bytes)(const AttentionProblem&)>
Traffic output_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(bytes(p).p, cache) + kv_bytes(p), q_bytes(p)};
}

/// A persistent fused kernel: blocks at work at once, and query rows of a tile.
struct FusedSchedule {
    std::int64_t blocks, rows;
};

/// How often K and V of a head are read, over all heads, when blocks walk past them together, a
/// wave of tiles at a time, and nothing stays from one wave to the next: waves and heads that meet.
std::int64_t wave_passes(const AttentionProblem& p, const FusedSchedule& schedule) {
    const std::int64_t of_head = p.heads / p.kv_heads * ceil_div(p.q_len, schedule.rows);
    const std::int64_t kv_heads = p.batch * p.kv_heads;
    const std::int64_t waves = ceil_div(of_head * kv_heads, schedule.blocks);
    // A head that ends where a wave does adds no pair of its own.
    const std::int64_t period = schedule.blocks / std::gcd(of_head, schedule.blocks);
    return waves + (kv_heads - 1) - (kv_heads - 1) / period;
}

/// How much of K and V has left the L2 before the next tiles come for it, of `bytes` that all
/// multiprocessors read. Either half of an L2 keeps its own copy of such data; counted on an H200
/// at 8 MB (none), 17 MB (a sixth) and 34 MB (all).
double share_lost(double bytes, std::int64_t cache) {
    constexpr double kept = 0.22, lost = 0.5;  // of the cache
    if (cache == 0) return 1;
    return std::clamp((bytes / static_cast<double>(cache) - kept) / (lost - kept), 0.0, 1.0);
}

/// One pass over K and V, and as many more as the tiles make over what has left the cache. The
/// schedules keep to few heads at a time.
Traffic fused_traffic(const AttentionProblem& p, std::int64_t cache,
                      const FusedSchedule& schedule) {
    Traffic traffic = compulsory_traffic(p);
    const std::int64_t kv_heads = p.batch * p.kv_heads;
    const double kv = 2.0 * static_cast<double>(kv_bytes(p) / kv_heads);
    const double seen = static_cast<double>(p.visible_pairs()) / static_cast<double>(p.q_len) /
                        static_cast<double>(p.kv_len);
    double passes = static_cast<double>(wave_passes(p, schedule));
    if (p.mask == Mask::causal)  // the short tiles at a head's end leave no wave half full
        passes = seen * static_cast<double>(p.q_len * p.heads * p.batch) /
                 static_cast<double>(schedule.blocks * schedule.rows);
    const double again = std::max(0.0, passes - static_cast<double>(kv_heads));
    traffic.read_bytes += std::llround(share_lost(seen * kv, cache) * again * kv);
    return traffic;
}
// One block an SM on the 132 SMs of an H100 or H200; two on the 108 of an A100.
Traffic fused_sm90_traffic(const AttentionProblem& p, std::int64_t cache) {
    return fused_traffic(p, cache, {132, p.head_dim <= 64 ? 192 : 128});
}
Traffic fused_sm80_traffic(const AttentionProblem& p, std::int64_t cache) {
    return fused_traffic(p, cache, {108 * 2, p.head_dim <= 128 ? 128 : 64});
}

}  // namespace

std::vector<KernelRow> cuda_kernel_rows() {
    return {
        {"naive",
         "sm90",
         DeviceKind::cuda,
         "S and P materialised in HBM, three launches; TMA, wgmma, producer and consumer warps",
         refuses_hopper,
         scores,
         true,
         {{"scores", scores_traffic<dense_bytes>, ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm90)},
          {"softmax", softmax_traffic<dense_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm80)},
          {"output", output_traffic<dense_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm90)}}},
        {"naive",
         "sm80",
         DeviceKind::cuda,
         "S and P materialised in HBM, three launches; mma.sync (FFMA for fp32)",
         refuses_common,
         scores,
         true,
         {{"scores", scores_traffic<dense_bytes>, ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm80)},
          {"softmax", softmax_traffic<dense_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm80)},
          {"output", output_traffic<dense_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm80)}}},
        {"naive",
         "sm90-fp32s",
         DeviceKind::cuda,
         "as sm90, with S in fp32 and P in the problem's dtype",
         refuses_fp32_scores,
         fp32_scores,
         false,
         {{"scores", scores_traffic<fp32_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm90_fp32s)},
          {"softmax", softmax_traffic<fp32_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm90_fp32s)},
          {"output", output_traffic<fp32_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm90_fp32s)}}},
        {"naive",
         "sm90-skip",
         DeviceKind::cuda,
         "as sm90, causal alone, without the tiles that lie above the diagonal",
         refuses_skipping,
         scores,
         true,
         {{"scores", scores_traffic<skipping_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_scores_sm90_skip)},
          {"softmax", softmax_traffic<skipping_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_softmax_sm90_skip)},
          {"output", output_traffic<skipping_bytes>,
           ATTNROOF_CUDA_LAUNCHER(launch_naive_output_sm90_skip)}}},
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
