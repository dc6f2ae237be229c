#include "kernels/cuda/naive/scores_mma.cuh"

void attnroof::cuda::launch_scores_fp16(const LaunchArgs& args) { launch_scores_mma<__half>(args); }
