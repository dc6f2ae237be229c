#include "kernels/cuda/naive/output_mma.cuh"

void attnroof::cuda::launch_output_fp16(const LaunchArgs& args) { launch_output_mma<__half>(args); }
