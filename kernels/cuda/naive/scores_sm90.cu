#include "kernels/cuda/naive/sm90_scores.cuh"

namespace attnroof::cuda::naive_sm90 {
namespace {

template <typename Element>
void by_head_dim(const LaunchArgs& args) {
    // Columns past the true head_dim arrive as zeros and add nothing.
    if (args.problem.head_dim <= 128) return launch_scores<ScoresTile<Element, 128>>(args);
    launch_scores<ScoresTile<Element, 256>>(args);
}

}  // namespace

void scores(const LaunchArgs& args) {
    if (args.problem.dtype == DType::bf16) return by_head_dim<__nv_bfloat16>(args);
    by_head_dim<__half>(args);
}

}  // namespace attnroof::cuda::naive_sm90
