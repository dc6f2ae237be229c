#include "kernels/cuda/fused/sm80.h"
#include "kernels/cuda/fused/sm80_launch.cuh"

namespace attnroof::cuda::sm80 {

void launch_d256(const LaunchArgs& args) {
    if (args.problem.mask == Mask::causal)
        launch_shape<true, 256, 64, 64, 4, 1, 2, 0>(args);
    else
        launch_shape<false, 256, 64, 64, 4, 1, 2, 0>(args);
}

}  // namespace attnroof::cuda::sm80
