#include "kernels/cuda/naive/softmax.cuh"

namespace attnroof::cuda {

void launch_softmax_bf16(const LaunchArgs& args) { launch_softmax<__nv_bfloat16>(args); }
void launch_softmax_fp16(const LaunchArgs& args) { launch_softmax<__half>(args); }
void launch_softmax_fp32(const LaunchArgs& args) { launch_softmax<float>(args); }

}  // namespace attnroof::cuda
