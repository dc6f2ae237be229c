// One launcher for each padded head_dim, each in a file of its own: they compile in parallel.
#pragma once

#include "kernels/launch.h"

namespace attnroof::cuda::sm80 {

void launch_d64(const LaunchArgs& args);
void launch_d128(const LaunchArgs& args);
void launch_d256(const LaunchArgs& args);

}  // namespace attnroof::cuda::sm80
