// The three steps of the naive kernel: each launcher picks the code for the problem's dtype.
#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"

namespace attnroof::cuda {
namespace {

using Launcher = void (*)(const LaunchArgs&);

void by_dtype(const LaunchArgs& args, Launcher fp32, Launcher fp16, Launcher bf16) {
    switch (args.problem.dtype) {
        case DType::fp32:
            return fp32(args);
        case DType::fp16:
            return fp16(args);
        case DType::bf16:
            return bf16(args);
    }
}

}  // namespace

void launch_naive_scores_sm80(const LaunchArgs& args) {
    by_dtype(args, launch_scores_fp32, launch_scores_fp16, launch_scores_bf16);
}

void launch_naive_softmax_sm80(const LaunchArgs& args) {
    by_dtype(args, launch_softmax_fp32, launch_softmax_fp16, launch_softmax_bf16);
}

void launch_naive_output_sm80(const LaunchArgs& args) {
    by_dtype(args, launch_output_fp32, launch_output_fp16, launch_output_bf16);
}

}  // namespace attnroof::cuda
