// Finding a CUDA device and reading what it is.
#pragma once

#include "backend/device_facts.h"

namespace attnroof::cuda {

class Nvml;

/// Makes device `index` current. Throws DeviceError as open_cuda_backend() says.
void select_device(int index);

/// Facts of device `index`, from the runtime and, where `nvml` is not null, from NVML.
DeviceFacts read_facts(int index, const Nvml* nvml, const std::string& chip);

}  // namespace attnroof::cuda
