#include "backend/cuda/counter_gate.h"

#include <cupti_result.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>

namespace attnroof::cuda {
namespace {

constexpr const char* privilege_remedy =
    "run as root or with CAP_SYS_ADMIN (container: --cap-add=SYS_ADMIN), or load the driver with "
    "\"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in /etc/modprobe.d";

std::string read_file(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The number behind "key:" at the start of a line of `text`.
std::optional<std::uint64_t> field(std::string_view text, std::string_view key, int base) {
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + 1)) {
        if (at != 0 && text[at - 1] != '\n') continue;
        std::string_view rest = text.substr(at + key.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(": \t"), rest.size()));
        std::uint64_t value = 0;
        const auto [end, error] =
            std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
        if (error == std::errc() && end != rest.data()) return value;
    }
    return std::nullopt;
}

}  // namespace

Gate gate_of(int cupti_code, const std::string& call) {
    switch (cupti_code) {
        case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
            return {
                "the driver refuses performance counters to this user "
                "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)",
                privilege_remedy};
        case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
            return {"another profiler is attached (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)",
                    "run without ncu, nsys, a debugger or another tool that uses CUPTI"};
        case CUPTI_ERROR_HARDWARE_BUSY:
            return {"the performance counters are in use (CUPTI_ERROR_HARDWARE_BUSY)",
                    "stop other profilers on this GPU; DCGM: dcgmi profile --pause"};
        case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
        case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
            return {"the older CUPTI profiler is active or all there is on this GPU",
                    "run without it; counters need compute capability 7.5 or newer"};
        case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
            return {"profiling is off for this virtual GPU",
                    "ask the host's administrator to enable vGPU profiling"};
        case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
            return {"confidential computing is on, which shuts the counters",
                    "turn confidential computing off or on to its devtools mode"};
        case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
            return {"mining processors (CMP) have no usable counters", "use another GPU"};
        case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
            return {"this MIG device gives no counters",
                    "use a GPU instance with a single compute instance, or turn MIG off"};
        case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
            return {"SLI is on, which shuts the counters", "turn SLI off"};
        case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
            return {"this WSL setup gives no counters",
                    "allow all users GPU counters in the Windows driver's developer settings"};
        case CUPTI_ERROR_INVALID_CHIP_NAME:
        case CUPTI_ERROR_NOT_SUPPORTED:
            return {fmt::format("CUPTI does not know this chip or setup ({})", call),
                    "install the CUPTI of a newer CUDA 13"};
        default:
            return {fmt::format("{} failed with CUPTI error {}", call, cupti_code), ""};
    }
}

Gate privilege_gate(std::string_view driver_params, std::string_view process_status) {
    // The open kernel modules show the option under the name it has inside the driver.
    std::optional<std::uint64_t> restricted = field(driver_params, "RmProfilingAdminOnly", 10);
    if (!restricted) restricted = field(driver_params, "RestrictProfilingToAdminUsers", 10);
    const std::optional<std::uint64_t> capabilities = field(process_status, "CapEff", 16);
    if (!restricted || !capabilities || *restricted == 0) return {};
    constexpr std::uint64_t sys_admin = std::uint64_t{1} << 21, perfmon = std::uint64_t{1} << 38;
    if ((*capabilities & (sys_admin | perfmon)) != 0) return {};
    return {"the driver restricts performance counters to administrators", privilege_remedy};
}

Gate privilege_gate() {
    return privilege_gate(read_file("/proc/driver/nvidia/params"), read_file("/proc/self/status"));
}

}  // namespace attnroof::cuda
