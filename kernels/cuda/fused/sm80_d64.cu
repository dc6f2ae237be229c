#include "kernels/cuda/fused/sm80.h"
#include "kernels/cuda/fused/sm80_launch.cuh"

namespace attnroof::cuda::sm80 {

void launch_d64(const LaunchArgs& args) {
    if (args.problem.mask == Mask::causal)
        launch_shape<true, 64, 128, 64, 4, 2, 2, 1>(args);
    else
        launch_shape<false, 64, 128, 96, 4, 2, 2, 1>(args);
}

}  // namespace attnroof::cuda::sm80
