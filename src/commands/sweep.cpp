// attnroof sweep: config -> plan -> launch -> count -> roofline -> report.
#include "commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "commands/interrupt.h"
#include "commands/progress.h"
#include "commands/stages.h"
#include "commands/terminal.h"
#include "errors.h"
#include "findings/findings.h"
#include "report/facts.h"
#include "report/formats.h"

namespace attnroof {
namespace {

/// A case before its turn. It says so until it is measured: a sweep may be killed before.
CaseResult planned(const Case& c, const DeviceFacts& device) {
    CaseResult result;
    result.plan = c;
    if (c.status == Status::ok) {
        result.plan.status = Status::skipped;
        result.plan.reason = "not run: the sweep ended before it";
    }
    result.useful_flops = useful_flops(c.problem);
    if (c.kernel) {
        result.modelled = modelled_traffic(*c.kernel, c.problem, device.cache_bytes);
        result.footprint_bytes = operand_bytes(c.problem) + c.kernel->workspace_bytes(c.problem);
    }
    return result;
}

std::optional<Traffic> traffic_of(const CounterSet& set) {
    const auto read = set.find(Counter::hbm_read_bytes), write = set.find(Counter::hbm_write_bytes);
    if (read == set.end() || write == set.end() || !read->second.value || !write->second.value)
        return std::nullopt;
    return Traffic{std::llround(*read->second.value), std::llround(*write->second.value)};
}

/// Roofline: settled bytes if they were counted, else those in the range, else the model's.
void place(CaseResult& result, const std::vector<Ceiling>& ceilings) {
    if (result.plan.status != Status::ok || !result.time) return;
    Workload work{.problem = result.plan.problem,
                  .flops = result.useful_flops,
                  .traffic = result.modelled,
                  .traffic_source = Source::modelled,
                  .traffic_kind = "model",
                  .seconds = result.time->median_s,
                  .throttled = result.time->clocks.throttled.value_or(false)};
    if (const auto settled = traffic_of(result.counted.settled)) {
        work.traffic = *settled;
        work.traffic_source = Source::counted;
        work.traffic_kind = "settled";
    } else if (const auto in_range = traffic_of(result.counted.in_range)) {
        work.traffic = *in_range;
        work.traffic_source = Source::counted;
        work.traffic_kind = "in range";
    }
    result.point = place_point(work, ceilings);
}

void warn_above_roofs(Report& report) {
    for (CaseResult& result : report.cases) {
        if (!result.point) continue;
        if (const auto warning = above_roof_warning(*result.point)) {
            result.warnings.push_back(*warning);
            fmt::print(stderr, "attnroof: {}: {}\n", result.plan.id, *warning);
        }
    }
}

/// A sweep that is killed leaves a valid, incomplete report behind.
void save_progress(const Report& report, const std::vector<std::string>& outputs) {
    for (const std::string& path : outputs)
        if (path.ends_with(".json")) write_report(report, path);
}

void announce(const BackendChoice& choice, const std::vector<Case>& plan) {
    if (!choice.why.empty()) fmt::print(stderr, "attnroof: {}\n", choice.why);
    const auto runnable = std::count_if(plan.begin(), plan.end(),
                                        [](const Case& c) { return c.status == Status::ok; });
    fmt::print(stderr, "attnroof: {} of {} cases can run on {}\n", runnable, plan.size(),
               choice.backend->facts().name);
}

ExitCode verdict(const Report& report) {
    if (!report.complete) return ExitCode::interrupted;
    const bool failed =
        std::any_of(report.cases.begin(), report.cases.end(), [](const CaseResult& r) {
            return r.plan.status == Status::failed || r.plan.status == Status::wrong;
        });
    return failed ? ExitCode::failed : ExitCode::pass;
}

}  // namespace

int run_sweep(const SweepOptions& options) {
    return run_sweep(options, open_backend(options.device));
}

int run_sweep(const SweepOptions& options, const BackendChoice& choice) {
    const auto start = std::chrono::steady_clock::now();
    Backend& backend = *choice.backend;
    Report report;
    report.tool = tool_facts();
    report.host = host_facts();
    report.command = options.command;
    report.started_at = utc_now();
    report.device = backend.facts();
    report.config = resolve(options.request, report.device.kind);
    const std::vector<Case> plan =
        make_plan(report.config, report.device, backend.available_bytes());
    for (const Case& c : plan) report.cases.push_back(planned(c, report.device));
    if (!options.quiet) announce(choice, plan);

    const InterruptGuard guard;
    const auto finish = [&] {
        for (CaseResult& result : report.cases) place(result, report.ceilings);
        report.duration_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    {
        Progress progress(report.cases.size() + 2, options.quiet);
        measure_report(backend, plan, report,
                       {.begin = [&](const std::string& what) { progress.begin(what); },
                        .case_done =
                            [&] {
                                finish();
                                save_progress(report, options.outputs);
                            },
                        .stop = InterruptGuard::requested},
                       options.ceilings);
    }
    report.complete = !InterruptGuard::requested();
    finish();
    warn_above_roofs(report);
    report.findings = findings_of(report);
    for (const std::string& path : options.outputs) write_report(report, path);
    fmt::print("{}", to_table(report, wants_colour(), terminal_width()));
    return static_cast<int>(verdict(report));
}

}  // namespace attnroof
