#include "kernels/cuda/naive/sm90_scores.cuh"

namespace attnroof::cuda::naive_sm90 {
namespace {

template <typename Element, typename Score>
void by_head_dim(const LaunchArgs& args, const Options& options) {
    // Columns past the true head_dim arrive as zeros and add nothing.
    if (args.problem.head_dim <= 64)
        return launch_scores<ScoresTile<Element, Score, 64>>(args, options);
    if (args.problem.head_dim <= 128)
        return launch_scores<ScoresTile<Element, Score, 128>>(args, options);
    launch_scores<ScoresTile<Element, Score, 256>>(args, options);
}

template <typename Element>
void by_score(const LaunchArgs& args, const Options& options) {
    if (options.fp32_scores) return by_head_dim<Element, float>(args, options);
    by_head_dim<Element, Element>(args, options);
}

}  // namespace

void scores(const LaunchArgs& args, const Options& options) {
    if (args.problem.dtype == DType::bf16) return by_score<__nv_bfloat16>(args, options);
    by_score<__half>(args, options);
}

}  // namespace attnroof::cuda::naive_sm90
