#include "kernels/cuda/fused/sm90.h"
#include "kernels/cuda/launchers.h"

namespace attnroof::cuda {

void launch_fused_sm90(const LaunchArgs& args) {
    // Columns past the true head_dim arrive as zeros: they add nothing to S and nothing to O.
    if (args.problem.head_dim <= 64) return sm90::launch_d64(args);
    if (args.problem.head_dim <= 128) return sm90::launch_d128(args);
    sm90::launch_d256(args);
}

}  // namespace attnroof::cuda
