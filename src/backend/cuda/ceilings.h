// The roofs of a CUDA device, measured.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

#include "backend/ceiling.h"
#include "backend/device_facts.h"

namespace attnroof {

/// Measures hbm.read, hbm.write, hbm.copy, l2.read, fma.fp32, tensor.bf16, tensor.fp16, exp and
/// launch on `stream`, in burst mode: each in a few milliseconds, before the power limit bites.
/// The tensor roofs also sustained, until the power limit answers. By the probes' lengths about
/// two seconds in all: 1.2 of sustained work, 0.4 of rest before what draws most power, bursts.
/// Several launch shapes are tried and the fastest kept, for a ceiling is what nothing exceeds.
/// Uses about 4 GiB of device memory (a quarter of what is free when that is less) and frees it.
/// `clocks` is read behind each measurement. Throws CudaError.
std::vector<Ceiling> measure_cuda_ceilings(cudaStream_t stream, const DeviceFacts& facts,
                                           const std::function<ClockReading()>& clocks);

}  // namespace attnroof
