// TMA descriptors, encoded on the host.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "kernels/problem.h"

namespace attnroof::cuda {

/// The map of a contiguous [outer][rows][columns] tensor of 16-bit elements, with boxes of
/// [box_rows][64 columns] that land in shared memory under the 128-byte swizzle. `columns` is a
/// multiple of 8; what a box covers past an end reads as zero and is not written.
/// The encoder is looked up in the driver: nothing links against it. Throws CudaError.
CUtensorMap make_tensor_map(const void* data, DType dtype, std::int64_t columns, std::int64_t rows,
                            std::int64_t outer, int box_rows);

}  // namespace attnroof::cuda
