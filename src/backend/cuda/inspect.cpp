// Everything `attnroof doctor` wants to know of a CUDA device.
#include <cuda_runtime_api.h>

#include <array>

#include "backend/cuda/counter_gate.h"
#include "backend/cuda/cupti_host.h"
#include "backend/cuda/cupti_library.h"
#include "backend/cuda/nvml.h"
#include "backend/cuda/open.h"

namespace attnroof {
namespace cuda {
namespace {

/// Long enough for the clock to rise, short enough not to notice.
constexpr int load_launches = 500;

void inspect_versions(GpuInspection& found) {
    int driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0) found.driver_cuda = driver;
    cudaRuntimeGetVersion(&found.runtime_cuda);
}

/// Before this process has work on the device, which would count as a process of its own.
void inspect_nvml(int index, GpuInspection& found) {
    std::array<char, 32> bus_id{};
    if (cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), index) != cudaSuccess) return;
    const std::unique_ptr<Nvml> nvml = Nvml::open(bus_id.data());
    if (!nvml) return;
    found.nvml = true;
    nvml->inspect(found);
}

void inspect_cupti(GpuInspection& found) {
    try {
        found.cupti = open_cupti()->handle.name();
    } catch (const GateShut& shut) {
        found.cupti_fault = shut.gate().closed;
        found.cupti_remedy = shut.gate().remedy;
    }
}

void inspect_running(Backend& backend, GpuInspection& found) {
    found.device = backend.facts();
    for (int i = 0; i < load_launches; ++i) backend.displace_cache();
    backend.run([](void*) {});
    found.busy = backend.clocks();
    const CountJob job{"doctor", {}, [&] { backend.displace_cache(); }, {CounterGroup::traffic}};
    const CountOutcome outcome = backend.count({job});
    found.counters_fault = outcome.closed_gate;
    found.counters_remedy = outcome.remedy;
    found.counter_passes = outcome.passes;
}

}  // namespace
}  // namespace cuda

GpuInspection inspect_cuda(int index) {
    GpuInspection found;
    found.built = true;
    cuda::inspect_versions(found);
    cuda::inspect_cupti(found);
    cuda::inspect_nvml(index, found);
    try {
        const std::unique_ptr<Backend> backend = open_cuda_backend(index);
        cuda::inspect_running(*backend, found);
    } catch (const std::exception& error) {
        found.device_fault = error.what();
        found.counters_fault = error.what();
    }
    return found;
}

}  // namespace attnroof
