// CUDA launchers, one a step, declared without a CUDA header. Each only enqueues on args.stream and
// throws CudaError (kernels/cuda/check.h) when the launch is refused.
#pragma once

#include "kernels/launch.h"

namespace attnroof::cuda {

/// Elements from one row of S or P to the next: kv_len rounded up to 16 bytes, the widest access of
/// a thread, so that every row can be moved in such accesses.
inline std::int64_t score_pitch(const AttentionProblem& problem) {
    const std::int64_t chunk = 16 / bytes_of(problem.dtype);
    return (problem.kv_len + chunk - 1) / chunk * chunk;
}

/// naive: S = scale * Q K^T into args.workspace [batch][heads][q_len][score_pitch], in the
/// problem's dtype, masked or not: the mask is the softmax's. What fills a row up to its pitch is
/// 0.
void launch_naive_scores_sm80(const LaunchArgs& args);
/// naive: S becomes P = softmax(mask(S)) in place in one pass over S; masked keys are 0. Writes
/// LSE.
void launch_naive_softmax_sm80(const LaunchArgs& args);
/// naive: O = P V.
void launch_naive_output_sm80(const LaunchArgs& args);

/// naive, steps 1 and 3 with TMA and wgmma; bf16 and fp16, Hopper only.
void launch_naive_scores_sm90(const LaunchArgs& args);
void launch_naive_output_sm90(const LaunchArgs& args);

/// naive with S in fp32, [batch][heads][q_len][score_pitch]; P over the first half of each row.
void launch_naive_scores_sm90_fp32s(const LaunchArgs& args);
void launch_naive_softmax_sm90_fp32s(const LaunchArgs& args);
void launch_naive_output_sm90_fp32s(const LaunchArgs& args);

/// naive, causal, without the blocks that lie above the diagonal: these hold nothing defined.
void launch_naive_scores_sm90_skip(const LaunchArgs& args);
void launch_naive_softmax_sm90_skip(const LaunchArgs& args);
void launch_naive_output_sm90_skip(const LaunchArgs& args);

/// fused: mma.sync, cp.async, ldmatrix; bf16 and fp16.
void launch_fused_sm80(const LaunchArgs& args);
/// fused: TMA, wgmma, warp specialisation; bf16 and fp16, Hopper only.
void launch_fused_sm90(const LaunchArgs& args);

}  // namespace attnroof::cuda
