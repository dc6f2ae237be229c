// attnroof sweep --dry-run: the plan, and what the counters would need. Measures nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "backend/backend.h"
#include "commands/command.h"
#include "plan/plan.h"
#include "plan/units.h"
#include "report/text_grid.h"
#include "report/units.h"

namespace attnroof {
namespace {

/// One case; what cannot run shows its reason in place of the figures that it lacks.
GridRow grid_row(const Case& c, const DeviceFacts& device) {
    GridRow row;
    row.cells = {c.id, name(c.status), "", "", "", "", ""};
    row.note = c.reason;
    if (c.kernel != nullptr) row.cells[2] = c.kernel->variant;
    if (c.status != Status::ok) return row;
    const double flops = useful_flops(c.problem);
    const auto bytes =
        static_cast<double>(modelled_traffic(*c.kernel, c.problem, device.cache_bytes).total());
    row.cells[3] = readable_bytes(c.needed_bytes);
    row.cells[4] = si(flops, "FLOP");
    row.cells[5] = si(bytes, "B");
    row.cells[6] = significant(flops / bytes);
    return row;
}

void print_cases(const std::vector<Case>& plan, const DeviceFacts& device) {
    const std::vector<GridColumn> columns{{"case", false}, {"status", false}, {"variant", false},
                                          {"memory"},      {"useful"},        {"modelled"},
                                          {"FLOP/byte"}};
    std::vector<GridRow> rows;
    for (const Case& c : plan) rows.push_back(grid_row(c, device));
    fmt::print("{}", layout_grid(columns, rows, 0, false));

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
