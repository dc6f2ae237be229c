// The steps of the sm90 naive kernel as launchers.
#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/sm90.h"

namespace attnroof::cuda {

void launch_naive_scores_sm90(const LaunchArgs& args) {
    // H200, 8192 keys: at head_dim 64 step 1 stores at 3.68 TB/s with mma.sync and 3.16 by TMA.
    if (args.problem.head_dim <= 64) return launch_naive_scores_sm80(args);
    naive_sm90::scores(args);
}

void launch_naive_output_sm90(const LaunchArgs& args) { naive_sm90::output(args); }

}  // namespace attnroof::cuda
