// The gates in front of the GPU's counters: the library, the driver's flag, capabilities, other
// profilers; and the proof, a range that was counted.
#include <fmt/format.h>

#include <charconv>

#include "doctor/doctor.h"

namespace attnroof {
namespace {

constexpr const char* driver_option =
    "load the driver with \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in "
    "/etc/modprobe.d";

/// The number behind "key:" in a file of such lines.
std::optional<std::uint64_t> field(const std::string& text, const std::string& key, int base) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        if (at != 0 && text[at - 1] != '\n') continue;
        const std::size_t start = text.find_first_not_of(": \t", at + key.size());
        if (start == std::string::npos) return std::nullopt;
        std::uint64_t value = 0;
        const auto [end, error] =
            std::from_chars(text.data() + start, text.data() + text.size(), value, base);
        if (error == std::errc() && end != text.data() + start) return value;
    }
    return std::nullopt;
}

std::optional<bool> admin_only(const MachineReader& machine) {
    const std::string params = machine.file("/proc/driver/nvidia/params").value_or("");
    for (const char* key : {"RmProfilingAdminOnly", "RestrictProfilingToAdminUsers"})
        if (const auto value = field(params, key, 10)) return *value != 0;
    return std::nullopt;
}

Diagnosis cupti(const GpuInspection& gpu) {
    if (!gpu.built) return {"cupti", Health::warning, "this build does not use CUPTI", ""};
    if (gpu.cupti.empty()) return {"cupti", Health::closed, gpu.cupti_fault, gpu.cupti_remedy};
    return {"cupti", Health::ok, gpu.cupti, ""};
}

Diagnosis permission(const MachineReader& machine) {
    const std::optional<bool> restricted = admin_only(machine);
    if (!restricted)
        return {"permission", Health::warning,
                "not known: /proc/driver/nvidia/params does not say whether counters are for "
                "administrators only",
                ""};
    if (!*restricted)
        return {"permission", Health::ok, "the driver gives counters to every user", ""};
    const bool allowed = !capability(machine).value_or("?").empty();
    return {"permission", allowed ? Health::ok : Health::closed,
            "the driver gives counters to administrators only (RmProfilingAdminOnly: 1)",
            allowed ? "" : std::string(driver_option) + ", or run with CAP_SYS_ADMIN"};
}

Diagnosis capabilities(const MachineReader& machine) {
    const std::optional<std::string> held = capability(machine);
    if (!held)
        return {"capability", Health::warning, "not known: /proc/self/status has no CapEff", ""};
    if (!held->empty()) return {"capability", Health::ok, "this process has " + *held, ""};
    const bool needed = admin_only(machine).value_or(false);
    return {"capability", needed ? Health::closed : Health::ok,
            "this process has neither CAP_SYS_ADMIN nor CAP_PERFMON",
            needed ? "run as root; in a container: --cap-add=SYS_ADMIN" : ""};
}

/// What a profiler leaves in the environment of the programs that it starts.
Diagnosis profiler(const GpuInspection& gpu, const MachineReader& machine) {
    const bool refused = gpu.counters_fault.find("another profiler") != std::string::npos;
    std::string trace;
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                 "NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "NV_TPS_LAUNCH_TOKEN"})
        if (trace.empty() && machine.environment(variable).value_or("") != "") trace = variable;
    const std::string remedy = "run without ncu, nsys, a debugger or another tool that uses CUPTI";
    if (refused) return {"profiler", Health::closed, gpu.counters_fault, remedy};
    if (!trace.empty())
        return {"profiler", Health::warning,
                trace + " is set: a profiler may be attached and take the counters", remedy};
    return {"profiler", Health::ok, "no other profiler is attached", ""};
}

Diagnosis trial(const GpuInspection& gpu, const MachineReader& machine) {
    if (!gpu.counters_fault.empty()) {
        // Refused all the same, as in a user namespace: to ask for the capability would not help.
        const bool in_vain =
            gpu.counters_fault.find("INSUFFICIENT_PRIVILEGES") != std::string::npos &&
            !capability(machine).value_or("").empty();
        return {"counters", Health::closed, "no range can be counted: " + gpu.counters_fault,
                in_vain ? driver_option : gpu.counters_remedy};
    }
    return {"counters", Health::ok,
            fmt::format("a test range was counted in {} pass{}", gpu.counter_passes,
                        gpu.counter_passes == 1 ? "" : "es"),
            ""};
}

}  // namespace

std::optional<std::string> capability(const MachineReader& machine) {
    const auto set = field(machine.file("/proc/self/status").value_or(""), "CapEff", 16);
    if (!set) return std::nullopt;
    if ((*set >> 21 & 1) != 0) return "CAP_SYS_ADMIN";
    if ((*set >> 38 & 1) != 0) return "CAP_PERFMON";
    return "";
}

void check_counters(const GpuInspection& gpu, const MachineReader& machine,
                    std::vector<Diagnosis>& lines) {
    lines.push_back(cupti(gpu));
    lines.push_back(permission(machine));
    lines.push_back(capabilities(machine));
    lines.push_back(profiler(gpu, machine));
    lines.push_back(trial(gpu, machine));
}

}  // namespace attnroof
