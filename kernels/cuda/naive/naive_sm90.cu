// The steps of the sm90 naive kernels as launchers.
#include <algorithm>

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/sm90.h"

namespace attnroof::cuda {

unsigned naive_sm90::blocks_for(std::int64_t units) {
    return grid_x(
        std::min<std::int64_t>(units, current_device_attribute(cudaDevAttrMultiProcessorCount)));
}

using naive_sm90::Options;

void launch_naive_scores_sm90(const LaunchArgs& args) { naive_sm90::scores(args, {}); }
void launch_naive_output_sm90(const LaunchArgs& args) { naive_sm90::output(args, {}); }

void launch_naive_scores_sm90_fp32s(const LaunchArgs& args) {
    naive_sm90::scores(args, Options{.fp32_scores = true});
}
void launch_naive_softmax_sm90_fp32s(const LaunchArgs& args) {
    launch_softmax_of_fp32_scores(args);
}
void launch_naive_output_sm90_fp32s(const LaunchArgs& args) {
    naive_sm90::output(args, Options{.fp32_scores = true});
}

void launch_naive_scores_sm90_skip(const LaunchArgs& args) {
    naive_sm90::scores(args, Options{.skip = true});
}
void launch_naive_softmax_sm90_skip(const LaunchArgs& args) {
    launch_softmax_skipping(args, naive_sm90::output_rows(args.problem.head_dim));
}
void launch_naive_output_sm90_skip(const LaunchArgs& args) {
    naive_sm90::output(args, Options{.skip = true});
}

}  // namespace attnroof::cuda
