// Opens the CUDA backend. No CUDA header: any stage's code may call it where CUDA is built in.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/inspection.h"
#include "backend/metric_plan.h"

namespace attnroof {

/// Compute capability (10 * major + minor) that the CUDA kernels need at least.
inline constexpr int min_compute_capability = 80;

/// The backend of CUDA device `index`. Throws DeviceError, naming what is missing: the driver, a
/// driver new enough, a device, this index, the compute capability.
std::unique_ptr<Backend> open_cuda_backend(int index);

/// As metric_plans() (backend/metric_plan.h).
MetricPlans cuda_metric_plans(const std::string& chip);

/// As inspect_gpu() (backend/inspection.h).
GpuInspection inspect_cuda(int index);

}  // namespace attnroof
