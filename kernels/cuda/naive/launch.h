// Seams inside the naive kernel: one function a step and dtype group, and what they share.
#pragma once

#include "kernels/cuda/launch_helpers.h"
#include "kernels/launch.h"

namespace attnroof::cuda {

void launch_scores_bf16(const LaunchArgs& args);
void launch_scores_fp16(const LaunchArgs& args);
void launch_scores_fp32(const LaunchArgs& args);
void launch_softmax_bf16(const LaunchArgs& args);
void launch_softmax_fp16(const LaunchArgs& args);
void launch_softmax_fp32(const LaunchArgs& args);
/// S in fp32, P in the problem's 16-bit dtype over the first half of each row's place.
void launch_softmax_of_fp32_scores(const LaunchArgs& args);
/// Reads what a row sees and writes what a product that skips above the diagonal in blocks of
/// `row_block` rows and 64 keys will read.
void launch_softmax_skipping(const LaunchArgs& args, int row_block);
void launch_output_bf16(const LaunchArgs& args);
void launch_output_fp16(const LaunchArgs& args);
void launch_output_fp32(const LaunchArgs& args);

}  // namespace attnroof::cuda
