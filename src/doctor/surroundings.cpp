// What the process runs inside of: container, sandbox, WSL, virtual GPU.
#include <fmt/format.h>

#include "doctor/doctor.h"

namespace attnroof {
namespace {

bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

/// "docker", "kubernetes", "gVisor"; empty outside of a container.
std::string container_kind(const MachineReader& machine) {
    // The kernel that gVisor shows is one fixed build.
    if (holds(machine.file("/proc/version").value_or(""), "Sun Jan 10 15:06:54 PST 2016"))
        return "gVisor";
    if (machine.environment("KUBERNETES_SERVICE_HOST")) return "kubernetes";
    if (machine.file("/.dockerenv")) return "docker";
    if (machine.file("/run/.containerenv")) return "podman";
    const std::string groups = machine.file("/proc/1/cgroup").value_or("");
    for (const char* kind : {"docker", "kubepods", "containerd", "lxc"})
        if (holds(groups, kind)) return kind;
    return machine.environment("container").value_or("");
}

/// How to start a container with what this one lacks; empty when it lacks neither.
std::string container_remedy(const GpuInspection& gpu, const MachineReader& machine) {
    std::string lacks;
    if (gpu.device.name.empty()) lacks = "the GPU (docker run --gpus all ...)";
    if (capability(machine).value_or("").empty())
        lacks += std::string(lacks.empty() ? "" : " and ") + "--cap-add=SYS_ADMIN";
    return lacks.empty() ? "" : "start it with " + lacks;
}

Diagnosis container(const GpuInspection& gpu, const MachineReader& machine) {
    const std::string kind = container_kind(machine);
    if (kind.empty()) return {"container", Health::ok, "not in a container", ""};
    const std::string inside = fmt::format("in a container ({})", kind);
    if (gpu.counters_fault.empty())
        return {"container", Health::ok, inside + ", which lets counters through", ""};
    if (kind == "gVisor")
        return {"container", Health::warning, inside,
                "this sandbox passes no counter calls on: run outside of it"};
    const std::string remedy = container_remedy(gpu, machine);
    if (remedy.empty())
        return {"container", Health::ok, inside + " that has the GPU and the capability", ""};
    return {"container", Health::warning, inside, remedy};
}

Diagnosis wsl(const GpuInspection& gpu, const MachineReader& machine) {
    const std::string version = machine.file("/proc/version").value_or("");
    if (!holds(version, "microsoft") && !holds(version, "Microsoft"))
        return {"wsl", Health::ok, "not under WSL", ""};
    if (gpu.counters_fault.empty())
        return {"wsl", Health::ok, "under WSL, with counters allowed", ""};
    return {"wsl", Health::warning, "under WSL",
            "allow all users GPU counters in the Windows driver's developer settings"};
}

Diagnosis mig(const GpuInspection& gpu) {
    if (!gpu.device.mig) return {"mig", Health::warning, "not known: NVML does not say", ""};
    if (!*gpu.device.mig) return {"mig", Health::ok, "MIG is off", ""};
    return {"mig", Health::warning, "MIG is on: counters of shared units may be refused or mixed",
            "use a GPU instance with a single compute instance, or turn MIG off "
            "(nvidia-smi -mig 0)"};
}

Diagnosis vgpu(const GpuInspection& gpu) {
    if (gpu.virtualization.empty())
        return {"vgpu", Health::warning, "not known: NVML does not say", ""};
    if (gpu.virtualization == "none" || gpu.virtualization == "passthrough")
        return {
            "vgpu", Health::ok,
            gpu.virtualization == "none" ? "not a virtual GPU" : "the whole GPU, passed through",
            ""};
    if (gpu.counters_fault.empty())
        return {"vgpu", Health::ok, gpu.virtualization + ", with profiling enabled", ""};
    return {"vgpu", Health::warning, "this is a virtual GPU (" + gpu.virtualization + ")",
            "ask the host's administrator to enable vGPU profiling"};
}

Diagnosis confidential(const GpuInspection& gpu) {
    if (!gpu.confidential_compute)
        return {"confidential", Health::ok, "this driver knows no confidential computing", ""};
    if (!*gpu.confidential_compute)
        return {"confidential", Health::ok, "confidential computing is off", ""};
    return {"confidential", Health::closed, "confidential computing is on: it shuts the counters",
            "turn it off, or on to its devtools mode"};
}

}  // namespace

void check_surroundings(const GpuInspection& gpu, const MachineReader& machine,
                        std::vector<Diagnosis>& lines) {
    lines.push_back(container(gpu, machine));
    lines.push_back(wsl(gpu, machine));
    if (gpu.device.name.empty()) return;
    for (auto line : {mig, vgpu, confidential}) lines.push_back(line(gpu));
}

}  // namespace attnroof
