#include "kernels/cuda/fused/sm80.cuh"
#include "kernels/cuda/fused/sm80.h"

namespace attnroof::cuda::sm80 {

void launch_d64(const LaunchArgs& args) { launch_shape<64, 128, 64, 4, 2, 2, 1>(args); }

}  // namespace attnroof::cuda::sm80
