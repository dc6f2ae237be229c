// Kernels of the backend itself: fill, look for NaN, displace the cache. Each only enqueues.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "backend/backend.h"

namespace attnroof::cuda {

void launch_fill_random(void* data, std::int64_t elements, DType dtype, Distribution distribution,
                        std::uint64_t seed, cudaStream_t stream);

/// Adds the number of NaNs among `elements` elements to *count.
void launch_count_nan(const void* data, std::int64_t elements, DType dtype,
                      unsigned long long* count, cudaStream_t stream);

/// Reads `bytes` (a multiple of 16) through L2 once. `sink` takes a result that never occurs, so
/// that the loads are not optimised away.
void launch_read(const void* data, std::int64_t bytes, void* sink, cudaStream_t stream);

/// Keeps the stream busy for about `nanoseconds` without touching memory.
void launch_wait(std::int64_t nanoseconds, cudaStream_t stream);

}  // namespace attnroof::cuda
