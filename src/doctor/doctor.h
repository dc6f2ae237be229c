// doctor: what on this machine stands in the way of the tool, line by line, with the remedy.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/counters.h"
#include "backend/inspection.h"

namespace attnroof {

/// closed: the counters of the GPU, or the GPU itself, cannot be had.
enum class Health { ok, warning, closed };
inline constexpr std::array health_names{"ok", "warning", "closed"};
inline const char* name(Health v) { return health_names[static_cast<std::size_t>(v)]; }

struct Diagnosis {
    std::string id;  // "driver", "permission"
    Health health = Health::ok;
    std::string text;
    std::string remedy;  // empty when there is nothing to do
};

/// How the machine is read, so that tests can make one up.
struct MachineReader {
    /// Contents of a file; empty when it cannot be read. An existing empty file is "".
    std::function<std::optional<std::string>(const std::string& path)> file;
    std::function<std::optional<std::string>(const std::string& variable)> environment;
};

/// This machine.
MachineReader machine_reader();

/// Every line, in order. `cpu` is the counter plan of the CPU backend.
std::vector<Diagnosis> diagnose(const GpuInspection& gpu, const CounterPlan& cpu,
                                const MachineReader& machine);

/// Whether counters can work on the GPU: no line is closed.
bool counters_can_work(const std::vector<Diagnosis>& lines);

/// CAP_SYS_ADMIN or CAP_PERFMON, whichever this process has; "" when neither, empty when not known.
std::optional<std::string> capability(const MachineReader& machine);

// The groups that diagnose() puts together; each adds its lines.
void check_gpu(const GpuInspection& gpu, std::vector<Diagnosis>& lines);
void check_counters(const GpuInspection& gpu, const MachineReader& machine,
                    std::vector<Diagnosis>& lines);
void check_surroundings(const GpuInspection& gpu, const MachineReader& machine,
                        std::vector<Diagnosis>& lines);
void check_state(const GpuInspection& gpu, std::vector<Diagnosis>& lines);

}  // namespace attnroof
