#include "kernels/cuda/fused/sm90.h"
#include "kernels/cuda/fused/sm90_launch.cuh"

namespace attnroof::cuda::sm90 {

void launch_d256(const LaunchArgs& args) { launch_tile<256, 128, 80>(args); }

}  // namespace attnroof::cuda::sm90
