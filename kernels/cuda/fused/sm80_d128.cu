#include "kernels/cuda/fused/sm80.cuh"
#include "kernels/cuda/fused/sm80.h"

namespace attnroof::cuda::sm80 {

void launch_d128(const LaunchArgs& args) { launch_shape<128, 128, 48, 4, 2, 2, 0>(args); }

}  // namespace attnroof::cuda::sm80
