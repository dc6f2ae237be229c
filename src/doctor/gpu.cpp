// The driver, the runtime and the device.
#include <fmt/format.h>

#include "doctor/doctor.h"

namespace attnroof {
namespace {

std::string version(int cuda) { return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10); }

Diagnosis driver(const GpuInspection& gpu) {
    if (!gpu.built)
        return {"driver", Health::closed, gpu.device_fault,
                "install the CUDA Toolkit 13 and build again"};
    if (!gpu.driver_cuda)
        return {"driver", Health::closed, "no CUDA driver was found (libcuda.so.1)",
                "install the NVIDIA driver; in a container, start it with the GPU "
                "(docker run --gpus all)"};
    return {"driver", Health::ok,
            gpu.device.driver ? "NVIDIA driver " + *gpu.device.driver : "an NVIDIA driver", ""};
}

Diagnosis cuda(const GpuInspection& gpu) {
    if (!gpu.built || !gpu.driver_cuda)
        return {"cuda", Health::warning, "not known without a driver", ""};
    const std::string both = fmt::format("driver supports CUDA {}, this program runs on CUDA {}",
                                         version(*gpu.driver_cuda), version(gpu.runtime_cuda));
    // Within a major version an older driver runs a newer runtime.
    if (*gpu.driver_cuda / 1000 < gpu.runtime_cuda / 1000)
        return {"cuda", Health::closed, both, "update the driver"};
    return {"cuda", Health::ok, both, ""};
}

Diagnosis device(const GpuInspection& gpu) {
    const DeviceFacts& d = gpu.device;
    if (!gpu.device_fault.empty() || d.name.empty())
        return {"device", Health::closed,
                gpu.device_fault.empty() ? "there is no CUDA device" : gpu.device_fault,
                "see the lines above; CUDA_VISIBLE_DEVICES must not hide the device"};
    return {"device", Health::ok,
            fmt::format("{}{}, compute capability {}.{}", d.name,
                        d.chip.empty() ? "" : " (" + d.chip + ")", d.compute_capability / 10,
                        d.compute_capability % 10),
            ""};
}

Diagnosis nvml(const GpuInspection& gpu) {
    if (gpu.nvml) return {"nvml", Health::ok, "clocks, power and throttling can be read", ""};
    return {"nvml", Health::warning,
            "NVML does not answer: clocks, power and throttling stay empty in reports",
            "install libnvidia-ml.so.1 of the driver; in a container, "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
}

}  // namespace

void check_gpu(const GpuInspection& gpu, std::vector<Diagnosis>& lines) {
    for (auto line : {driver, cuda, device, nvml}) lines.push_back(line(gpu));
}

}  // namespace attnroof
