#include "kernels/cuda/fused/sm80.cuh"
#include "kernels/cuda/fused/sm80.h"

namespace attnroof::cuda::sm80 {

void launch_d256(const LaunchArgs& args) { launch_shape<256, 64, 64, 4, 1, 2, 0>(args); }

}  // namespace attnroof::cuda::sm80
