#include "doctor/doctor.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace attnroof {
namespace {

Diagnosis cpu_counters(const CounterPlan& cpu) {
    if (cpu.closed_gate.empty())
        return {"cpu_events", Health::ok, "the CPU's memory controllers can be counted", ""};
    return {"cpu_events", Health::warning,
            "the CPU backend has no counters, its bytes are modelled: " + cpu.closed_gate,
            cpu.remedy};
}

}  // namespace

MachineReader machine_reader() {
    return {.file = [](const std::string& path) -> std::optional<std::string> {
                std::ifstream file(path);
                if (!file) return std::nullopt;
                return std::string(std::istreambuf_iterator<char>(file), {});
            },
            .environment = [](const std::string& variable) -> std::optional<std::string> {
                const char* value = std::getenv(variable.c_str());
                return value ? std::optional<std::string>(value) : std::nullopt;
            }};
}

std::vector<Diagnosis> diagnose(const GpuInspection& gpu, const CounterPlan& cpu,
                                const MachineReader& machine) {
    std::vector<Diagnosis> lines;
    check_gpu(gpu, lines);
    check_counters(gpu, machine, lines);
    check_surroundings(gpu, machine, lines);
    check_state(gpu, lines);
    lines.push_back(cpu_counters(cpu));
    return lines;
}

bool counters_can_work(const std::vector<Diagnosis>& lines) {
    return std::none_of(lines.begin(), lines.end(),
                        [](const Diagnosis& line) { return line.health == Health::closed; });
}

}  // namespace attnroof
