// What launches of several kernels share: grids, device attributes, shared memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>

#include "kernels/cuda/check.h"
#include "kernels/division.h"

namespace attnroof::cuda {

/// `blocks` as a grid's x dimension. Throws CudaError when a grid cannot be that large.
inline unsigned grid_x(std::int64_t blocks) {
    if (blocks > std::numeric_limits<std::int32_t>::max())
        check(cudaErrorInvalidConfiguration, "grid of more than 2^31 - 1 blocks");
    return static_cast<unsigned>(blocks);
}

inline int current_device_attribute(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    ATTNROOF_CUDA_CHECK(cudaGetDevice(&device));
    ATTNROOF_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

/// Lets `kernel` use `bytes` of dynamic shared memory.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
    ATTNROOF_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

}  // namespace attnroof::cuda
