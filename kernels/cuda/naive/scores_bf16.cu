#include "kernels/cuda/naive/scores_mma.cuh"

void attnroof::cuda::launch_scores_bf16(const LaunchArgs& args) {
    launch_scores_mma<__nv_bfloat16>(args);
}
