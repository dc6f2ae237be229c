#include "kernels/cuda/naive/softmax.cuh"

namespace attnroof::cuda {

using bf16 = __nv_bfloat16;

void launch_softmax_bf16(const LaunchArgs& args) { launch_softmax<bf16, bf16>(args); }
void launch_softmax_fp16(const LaunchArgs& args) { launch_softmax<__half, __half>(args); }
void launch_softmax_fp32(const LaunchArgs& args) { launch_softmax<float, float>(args); }

void launch_softmax_of_fp32_scores(const LaunchArgs& args) {
    if (args.problem.dtype == DType::bf16) return launch_softmax<float, bf16>(args);
    launch_softmax<float, __half>(args);
}

void launch_softmax_skipping(const LaunchArgs& args, int row_block) {
    if (args.problem.dtype == DType::bf16) return launch_softmax<bf16, bf16>(args, row_block);
    launch_softmax<__half, __half>(args, row_block);
}

}  // namespace attnroof::cuda
