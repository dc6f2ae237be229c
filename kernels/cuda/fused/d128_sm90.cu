#include "kernels/cuda/fused/sm90.h"
#include "kernels/cuda/fused/sm90_launch.cuh"

namespace attnroof::cuda::sm90 {

void launch_d128(const LaunchArgs& args) { launch_tile<128, 128, 128>(args); }

}  // namespace attnroof::cuda::sm90
