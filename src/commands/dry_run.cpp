// attnroof sweep --dry-run: the plan, and what the counters would need. Measures nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "backend/backend.h"
#include "commands/command.h"
#include "commands/text_table.h"
#include "plan/plan.h"
#include "plan/units.h"

namespace attnroof {
namespace {

std::vector<std::string> table_row(const Case& c, const DeviceFacts& device) {
    const double flops = useful_flops(c.problem);
    std::vector<std::string> cells{c.id, name(c.status)};
    if (c.kernel == nullptr) {
        cells.insert(cells.end(), {"", "", readable(flops, "FLOP"), "", ""});
    } else {
        const auto bytes = modelled_traffic(*c.kernel, c.problem, device.cache_bytes).total();
        cells.insert(cells.end(),
                     {c.kernel->variant, readable_bytes(c.needed_bytes), readable(flops, "FLOP"),
                      readable(static_cast<double>(bytes), "B"),
                      fmt::format("{:.1f}", flops / static_cast<double>(bytes))});
    }
    cells.push_back(c.reason);
    return cells;
}

void print_cases(const std::vector<Case>& plan, const DeviceFacts& device) {
    const std::vector<Column> columns{{"case"},
                                      {"status"},
                                      {"variant"},
                                      {"memory", Align::right},
                                      {"useful", Align::right},
                                      {"modelled", Align::right},
                                      {"FLOP/byte", Align::right},
                                      {"reason"}};
    std::vector<std::vector<std::string>> rows;
    for (const Case& c : plan) rows.push_back(table_row(c, device));
    fmt::print("{}", text_table(columns, rows));

    fmt::print("\n{} cases", plan.size());
    for (Status status : {Status::ok, Status::unsupported, Status::skipped})
        fmt::print(", {} {}",
                   std::count_if(plan.begin(), plan.end(),
                                 [&](const Case& c) { return c.status == status; }),
                   name(status));
    fmt::print("\n");
}

void print_counters(const Backend& backend, CounterMode mode) {
    if (mode == CounterMode::off) {
        fmt::print("counters: off, as asked\n");
        return;
    }
    const CounterPlan plan = backend.counter_plan();
    if (plan.closed_gate.empty())
        fmt::print("counters: {} pass{} a case on {}\n", plan.passes, plan.passes == 1 ? "" : "es",
                   plan.chip);
    else
        fmt::print("counters: none: {}{}\n", plan.closed_gate,
                   plan.remedy.empty() ? "" : " (" + plan.remedy + ")");
}

}  // namespace

int run_dry_run(const SweepOptions& options) {
    const BackendChoice choice = open_backend(options.device);
    const Backend& backend = *choice.backend;
    const DeviceFacts& device = backend.facts();
    const SweepConfig config = resolve(options.request, device.kind);
    const std::int64_t available = backend.available_bytes();
    const std::vector<Case> plan = make_plan(config, device, available);

    fmt::print("device: {} ({}){}, {} free\n\n", device.name, name(device.kind),
               choice.why.empty() ? "" : ": " + choice.why, readable_bytes(available));
    print_cases(plan, device);
    print_counters(backend, config.counters);
    return 0;
}

}  // namespace attnroof
