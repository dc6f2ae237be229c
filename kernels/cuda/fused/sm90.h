// Entry points of the sm90 fused kernel, one a padded head_dim, each compiled on its own.
#pragma once

#include "kernels/launch.h"

namespace attnroof::cuda::sm90 {

void launch_d64(const LaunchArgs& args);
void launch_d128(const LaunchArgs& args);
void launch_d256(const LaunchArgs& args);

}  // namespace attnroof::cuda::sm90
