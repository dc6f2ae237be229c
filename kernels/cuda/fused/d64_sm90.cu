#include "kernels/cuda/fused/sm90.h"
#include "kernels/cuda/fused/sm90_launch.cuh"

namespace attnroof::cuda::sm90 {

void launch_d64(const LaunchArgs& args) { launch_tile<64, 192, 128>(args); }

}  // namespace attnroof::cuda::sm90
