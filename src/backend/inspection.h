// What can be found out about the GPU side of a machine without failing. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/device_facts.h"

namespace attnroof {

/// Empty fields were not found out.
struct GpuInspection {
    bool built = false;              // this build has the CUDA backend
    std::optional<int> driver_cuda;  // newest CUDA that the driver supports, 13000 = 13.0
    int runtime_cuda = 0;            // CUDA that this build runs on
    std::string device_fault;        // why the device cannot be used; empty when it can
    DeviceFacts device;              // name is empty when there is none

    bool nvml = false;
    std::string virtualization;  // "none", "passthrough", "vGPU", "vGPU host"
    std::optional<bool> confidential_compute;
    std::optional<int> other_processes;
    std::optional<double> power_limit_default_w;
    ClockReading busy;  // right after a short load

    std::string cupti;                      // "CUPTI 13.0.1 (PATH)", empty when none is usable
    std::string cupti_fault, cupti_remedy;  // why not
    std::string counters_fault, counters_remedy;  // a test range could not be counted, and why
    int counter_passes = 0;                       // of that test range
};

/// Looks at CUDA device `index`. Counts one empty range to see whether the counters really work.
/// Never throws for what a machine lacks.
GpuInspection inspect_gpu(int index);

}  // namespace attnroof
