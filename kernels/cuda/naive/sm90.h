// Seams inside the sm90 naive kernel: one function a step.
#pragma once

#include "kernels/launch.h"

namespace attnroof::cuda::naive_sm90 {

/// Rows that a block of steps 1 and 3 works on, 64 a consumer warpgroup: as many as fit, since K
/// and V are read again for each block.
constexpr int block_rows(int head_dim) { return head_dim <= 128 ? 256 : 128; }

/// Needs head_dim above 64: below, step 1 with mma.sync is faster.
void scores(const LaunchArgs& args);
void output(const LaunchArgs& args);

}  // namespace attnroof::cuda::naive_sm90
