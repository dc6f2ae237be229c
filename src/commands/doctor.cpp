// attnroof doctor: driver, counters, surroundings and state of the GPU, one line each.
#include "commands/doctor.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "doctor/doctor.h"
#include "errors.h"

namespace attnroof {
namespace {

void print_json(const std::vector<Diagnosis>& lines) {
    nlohmann::ordered_json json = {{"counters_can_work", counters_can_work(lines)},
                                   {"lines", nlohmann::ordered_json::array()}};
    for (const Diagnosis& line : lines)
        json["lines"].push_back({{"id", line.id},
                                 {"state", name(line.health)},
                                 {"text", line.text},
                                 {"remedy", line.remedy}});
    fmt::print("{}\n", json.dump(2));
}

void print_lines(const std::vector<Diagnosis>& lines) {
    for (const Diagnosis& line : lines) {
        fmt::print("{:<8} {:<13} {}\n", name(line.health), line.id, line.text);
        if (!line.remedy.empty()) fmt::print("{:>24}{}\n", "-> ", line.remedy);
    }
    fmt::print("\n{}\n", counters_can_work(lines)
                             ? "counters can work on the GPU"
                             : "counters cannot work on the GPU: bytes and FLOPs are modelled");
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
    const CounterPlan cpu = open_backend("cpu").backend->counter_plan();
    const std::vector<Diagnosis> lines =
        diagnose(inspect_gpu(options.index), cpu, machine_reader());
    if (options.json)
        print_json(lines);
    else
        print_lines(lines);
    return counters_can_work(lines) ? 0 : static_cast<int>(ExitCode::failed);
}

}  // namespace attnroof
