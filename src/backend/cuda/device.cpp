#include "backend/cuda/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/cuda/nvml.h"
#include "backend/cuda/open.h"
#include "errors.h"
#include "kernels/cuda/check.h"

namespace attnroof::cuda {
namespace {

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Why the runtime does not start. It calls a missing driver too old, so that is told apart here.
std::string no_start_reason(cudaError_t error) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no CUDA driver was found (libcuda.so.1)";
    if (error == cudaErrorInsufficientDriver)
        return fmt::format(
            "the NVIDIA driver supports CUDA {}, this program needs CUDA {}: update "
            "the driver",
            version_text(driver), version_text(runtime));
    if (error == cudaErrorNoDevice)
        return "the CUDA driver finds no device (is CUDA_VISIBLE_DEVICES set?)";
    return fmt::format("CUDA does not start: {}: {}", cudaGetErrorName(error),
                       cudaGetErrorString(error));
}

/// "GPU-5a3e..." as nvidia-smi prints it.
std::string uuid_text(const cudaUUID_t& uuid) {
    std::string text = "GPU";
    for (int i = 0; i < 16; ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

}  // namespace

void select_device(int index) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (error != cudaSuccess) throw DeviceError(no_start_reason(error));
    if (count == 0) throw DeviceError(no_start_reason(cudaErrorNoDevice));
    if (index < 0 || index >= count)
        throw DeviceError(fmt::format("there is no cuda:{}: this machine has cuda:0{}", index,
                                      count == 1 ? "" : fmt::format(" to cuda:{}", count - 1)));
    cudaDeviceProp properties{};
    ATTNROOF_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    const int capability = 10 * properties.major + properties.minor;
    if (capability < min_compute_capability)
        throw DeviceError(fmt::format("{} has compute capability {}.{}, {}.{} is needed",
                                      properties.name, capability / 10, capability % 10,
                                      min_compute_capability / 10, min_compute_capability % 10));
    const cudaError_t selected = cudaSetDevice(index);
    cudaGetLastError();
    if (selected != cudaSuccess)
        throw DeviceError(fmt::format("cuda:{} cannot be used: {}: {}", index,
                                      cudaGetErrorName(selected), cudaGetErrorString(selected)));
}

DeviceFacts read_facts(int index, const Nvml* nvml, const std::string& chip) {
    cudaDeviceProp properties{};
    ATTNROOF_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    DeviceFacts facts;
    facts.kind = DeviceKind::cuda;
    facts.name = properties.name;
    facts.uuid = uuid_text(properties.uuid);
    facts.chip = chip;
    facts.compute_capability = 10 * properties.major + properties.minor;
    facts.sm_count = properties.multiProcessorCount;
    facts.cache_bytes = properties.l2CacheSize;
    facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    int driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0) facts.driver_version = driver;
    if (nvml != nullptr) nvml->describe(facts);
    if (!facts.ecc) facts.ecc = properties.ECCEnabled != 0;
    if (facts.mig.value_or(false)) facts.uuid.replace(0, 3, "MIG");
    return facts;
}

}  // namespace attnroof::cuda
