#include "kernels/cuda/naive/sm90_output.cuh"

namespace attnroof::cuda::naive_sm90 {
namespace {

template <typename Element>
void by_head_dim(const LaunchArgs& args, const Options& options) {
    // Columns past the true head_dim arrive as zeros and are not written.
    if (args.problem.head_dim <= 64) return launch_output<OutputTile<Element, 64>>(args, options);
    if (args.problem.head_dim <= 128) return launch_output<OutputTile<Element, 128>>(args, options);
    launch_output<OutputTile<Element, 256>>(args, options);
}

}  // namespace

void output(const LaunchArgs& args, const Options& options) {
    if (args.problem.dtype == DType::bf16) return by_head_dim<__nv_bfloat16>(args, options);
    by_head_dim<__half>(args, options);
}

}  // namespace attnroof::cuda::naive_sm90
