// TMA descriptors, encoded on the host.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "kernels/problem.h"

namespace attnroof::cuda {

/// The map of an [outer][rows][columns] tensor, with boxes of [box_rows][128 bytes] that land in
/// shared memory under the 128-byte swizzle. A row starts `row_bytes` after the one before (0: they
/// follow each other), a multiple of 16; what a box covers past an end reads as zero and is not
/// written.
/// The encoder is looked up in the driver: nothing links against it. Throws CudaError.
CUtensorMap make_tensor_map(const void* data, DType dtype, std::int64_t columns, std::int64_t rows,
                            std::int64_t outer, int box_rows, std::int64_t row_bytes = 0);

}  // namespace attnroof::cuda
