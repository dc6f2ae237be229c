// The driver, the runtime and the device.
#include <fmt/format.h>

#include "backend/cuda/open.h"
#include "doctor/doctor.h"

namespace attnroof {
namespace {

std::string version(int cuda) { return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10); }

constexpr const char* build_remedy = "install the CUDA Toolkit 13 and build again";
constexpr const char* update_remedy = "update the driver";
constexpr const char* driver_remedy =
    "install the NVIDIA driver; in a container, start it with the GPU (docker run --gpus all)";

Diagnosis driver(const GpuInspection& gpu) {
    if (!gpu.built) return {"driver", Health::closed, gpu.device_fault, build_remedy};
    if (!gpu.driver_cuda)
        return {"driver", Health::closed, "no CUDA driver was found (libcuda.so.1)", driver_remedy};
    return {"driver", Health::ok,
            gpu.device.driver ? "NVIDIA driver " + *gpu.device.driver : "an NVIDIA driver", ""};
}

/// Within a major version an older driver runs a newer runtime. Asks for a driver.
bool too_old(const GpuInspection& gpu) { return *gpu.driver_cuda / 1000 < gpu.runtime_cuda / 1000; }

Diagnosis cuda(const GpuInspection& gpu) {
    if (!gpu.built || !gpu.driver_cuda)
        return {"cuda", Health::warning, "not known without a driver", ""};
    const std::string both = fmt::format("driver supports CUDA {}, this program runs on CUDA {}",
                                         version(*gpu.driver_cuda), version(gpu.runtime_cuda));
    if (too_old(gpu)) return {"cuda", Health::closed, both, update_remedy};
    return {"cuda", Health::ok, both, ""};
}

std::string device_remedy(const GpuInspection& gpu) {
    if (!gpu.built) return build_remedy;
    if (!gpu.driver_cuda) return driver_remedy;
    if (too_old(gpu)) return update_remedy;
    return fmt::format(
        "choose one of compute capability {}.{} or newer that nvidia-smi lists (--index INDEX); "
        "unset CUDA_VISIBLE_DEVICES if that hides it",
        min_compute_capability / 10, min_compute_capability % 10);
}

Diagnosis device(const GpuInspection& gpu) {
    const DeviceFacts& d = gpu.device;
    if (!gpu.device_fault.empty() || d.name.empty())
        return {"device", Health::closed,
                gpu.device_fault.empty() ? "there is no CUDA device" : gpu.device_fault,
                device_remedy(gpu)};
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
