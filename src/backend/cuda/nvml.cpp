#include "backend/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <iterator>

namespace attnroof::cuda {
namespace {

using Device = void*;
using Result = int;  // nvmlReturn_t, 0 is success

// Values of nvmlClockType_t, nvmlTemperatureSensors_t and the clock event reasons, from NVML's
// reference manual.
constexpr unsigned clock_sm = 1, clock_memory = 2, temperature_gpu = 0;
constexpr std::uint64_t reason_sw_power_cap = 0x4, reason_hw_slowdown = 0x8,
                        reason_sw_thermal = 0x20, reason_hw_thermal = 0x40,
                        reason_hw_power_brake = 0x80;

/// One optional function of the library: empty when the library lacks it or it reports an error.
template <class... Arguments>
class Function {
  public:
    Function(void* library, const char* name)
        : function_(reinterpret_cast<Result (*)(Arguments...)>(dlsym(library, name))) {}
    bool operator()(Arguments... arguments) const {
        return function_ != nullptr && function_(arguments...) == 0;
    }
    explicit operator bool() const { return function_ != nullptr; }

  private:
    Result (*function_)(Arguments...);
};

/// nvmlProcessInfo_t and nvmlConfComputeSystemState_t, from NVML's reference manual.
struct ProcessInfo {
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
};
struct ConfidentialState {
    unsigned environment, feature, devtools;
};

using Reading = Function<Device, unsigned*>;
using Selected = Function<Device, unsigned, unsigned*>;
using Mode = Function<Device, unsigned*, unsigned*>;  // current, pending

std::optional<double> scaled(const Reading& function, Device device, double scale) {
    unsigned value = 0;
    return function(device, &value) ? std::optional(scale * value) : std::nullopt;
}

std::optional<double> selected(const Selected& function, Device device, unsigned which) {
    unsigned value = 0;
    return function(device, which, &value) ? std::optional<double>(value) : std::nullopt;
}

std::optional<bool> current(const Mode& function, Device device) {
    unsigned now = 0, pending = 0;
    return function(device, &now, &pending) ? std::optional(now != 0) : std::nullopt;
}

}  // namespace

struct Nvml::Functions {
    explicit Functions(void* opened) : library(opened, dlclose) {}

    std::unique_ptr<void, int (*)(void*)> library;
    void* from = library.get();
    Function<> init{from, "nvmlInit_v2"};
    Function<> shutdown{from, "nvmlShutdown"};
    Function<char*, unsigned> driver_version{from, "nvmlSystemGetDriverVersion"};
    Function<const char*, Device*> by_bus_id{from, "nvmlDeviceGetHandleByPciBusId_v2"};
    Selected clock{from, "nvmlDeviceGetClockInfo"};
    Selected clock_max{from, "nvmlDeviceGetMaxClockInfo"};
    Selected temperature{from, "nvmlDeviceGetTemperature"};
    Reading power{from, "nvmlDeviceGetPowerUsage"};
    Reading power_limit{from, "nvmlDeviceGetEnforcedPowerLimit"};
    Mode ecc{from, "nvmlDeviceGetEccMode"};
    Mode mig{from, "nvmlDeviceGetMigMode"};
    Reading power_limit_default{from, "nvmlDeviceGetPowerManagementDefaultLimit"};
    Reading virtualization{from, "nvmlDeviceGetVirtualizationMode"};
    Function<Device, unsigned*, ProcessInfo*> processes{from,
                                                        "nvmlDeviceGetComputeRunningProcesses_v3"};
    Function<ConfidentialState*> confidential{from, "nvmlSystemGetConfComputeState"};
    // The second name is what drivers before 535 call the first.
    Function<Device, unsigned long long*> event_reasons{from,
                                                        "nvmlDeviceGetCurrentClocksEventReasons"};
    Function<Device, unsigned long long*> throttle_reasons{
        from, "nvmlDeviceGetCurrentClocksThrottleReasons"};
};

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto functions = std::make_unique<Functions>(library);
    if (!functions->init()) return nullptr;
    // From here on the destructor shuts NVML down.
    std::unique_ptr<Nvml> nvml(new Nvml(std::move(functions), nullptr));
    if (!nvml->functions_->by_bus_id(pci_bus_id.c_str(), &nvml->device_)) return nullptr;
    return nvml;
}

Nvml::Nvml(std::unique_ptr<Functions> functions, void* device)
    : functions_(std::move(functions)), device_(device) {}

Nvml::~Nvml() { functions_->shutdown(); }

void Nvml::describe(DeviceFacts& facts) const {
    std::array<char, 96> driver{};
    if (functions_->driver_version(driver.data(), driver.size())) facts.driver = driver.data();
    facts.sm_clock_max_mhz = selected(functions_->clock_max, device_, clock_sm);
    facts.memory_clock_max_mhz = selected(functions_->clock_max, device_, clock_memory);
    facts.power_limit_w = scaled(functions_->power_limit, device_, 1e-3);
    facts.ecc = current(functions_->ecc, device_);
    facts.mig = current(functions_->mig, device_);
}

ClockReading Nvml::clocks() const {
    ClockReading reading;
    reading.sm_clock_mhz = selected(functions_->clock, device_, clock_sm);
    reading.power_w = scaled(functions_->power, device_, 1e-3);
    reading.temperature_c = selected(functions_->temperature, device_, temperature_gpu);
    unsigned long long reasons = 0;
    if (functions_->event_reasons(device_, &reasons) ||
        functions_->throttle_reasons(device_, &reasons)) {
        reading.throttle_reasons = reasons;
        reading.throttled = is_throttled(reasons);
    }
    return reading;
}

void Nvml::inspect(GpuInspection& found) const {
    found.power_limit_default_w = scaled(functions_->power_limit_default, device_, 1e-3);
    unsigned mode = 0;
    constexpr const char* modes[] = {"none", "passthrough", "vGPU", "vGPU host", "vGPU host"};
    if (functions_->virtualization(device_, &mode) && mode < std::size(modes))
        found.virtualization = modes[mode];
    std::array<ProcessInfo, 64> processes{};
    unsigned count = processes.size();
    if (functions_->processes(device_, &count, processes.data()))
        found.other_processes = static_cast<int>(count);
    ConfidentialState state{};
    // In devtools mode the counters stay open.
    if (functions_->confidential(&state))
        found.confidential_compute = state.feature != 0 && state.devtools == 0;
}

bool is_throttled(std::uint64_t reasons) {
    return (reasons & (reason_sw_power_cap | reason_hw_slowdown | reason_sw_thermal |
                       reason_hw_thermal | reason_hw_power_brake)) != 0;
}

}  // namespace attnroof::cuda
