// Jobs of the CUDA backend whose counts are known beforehand.
#pragma once

#include <vector>

#include "backend/backend.h"

namespace attnroof::cuda {

/// Streaming read, write and copy; reads of shared memory; fp32 and half operations, ex2; the
/// tensor path through mma.sync and, on compute capability 9.0, through wgmma. The jobs use
/// `backend` and share 128 MiB of device memory, which the first of each counter group makes at
/// each pass and the last gives back.
std::vector<Calibration> make_calibrations(Backend& backend);

}  // namespace attnroof::cuda
