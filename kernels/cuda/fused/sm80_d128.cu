#include "kernels/cuda/fused/sm80.h"
#include "kernels/cuda/fused/sm80_launch.cuh"

namespace attnroof::cuda::sm80 {

void launch_d128(const LaunchArgs& args) {
    if (args.problem.mask == Mask::causal)
        launch_shape<true, 128, 128, 48, 4, 2, 2, 0>(args);
    else
        launch_shape<false, 128, 128, 48, 4, 2, 2, 0>(args);
}

}  // namespace attnroof::cuda::sm80
