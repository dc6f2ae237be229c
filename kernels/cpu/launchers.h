// CPU launchers, one a step. Each runs to its end on all cores.
#pragma once

#include "kernels/launch.h"

namespace attnroof::cpu {

/// naive: S = scale * Q K^T in fp32 into args.workspace [batch][heads][q_len][kv_len].
void launch_scores(const LaunchArgs& args);
/// naive: S becomes P = softmax(S) in place, masked keys 0; writes LSE.
void launch_softmax(const LaunchArgs& args);
/// naive: O = P V.
void launch_output(const LaunchArgs& args);
/// fused: tiling and online softmax; S never leaves the core's own cache.
void launch_fused(const LaunchArgs& args);

}  // namespace attnroof::cpu
