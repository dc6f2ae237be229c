#include "kernels/cuda/naive/output_mma.cuh"

void attnroof::cuda::launch_output_bf16(const LaunchArgs& args) {
    launch_output_mma<__nv_bfloat16>(args);
}
