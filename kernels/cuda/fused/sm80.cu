#include "kernels/cuda/fused/sm80.h"
#include "kernels/cuda/launchers.h"

namespace attnroof::cuda {

void launch_fused_sm80(const LaunchArgs& args) {
    if (args.problem.head_dim <= 64)
        sm80::launch_d64(args);
    else if (args.problem.head_dim <= 128)
        sm80::launch_d128(args);
    else
        sm80::launch_d256(args);
}

}  // namespace attnroof::cuda
