// attnroof sweep: config -> plan -> launch -> count -> roofline -> report.
#include "commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "commands/interrupt.h"
#include "commands/outcome.h"
#include "commands/outputs.h"
#include "commands/progress.h"
#include "commands/resume.h"
#include "commands/stages.h"
#include "commands/terminal.h"
#include "config/words.h"
#include "errors.h"
#include "findings/findings.h"
#include "report/atomic_file.h"
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
        result.plan.reason = std::string(not_run_prefix) + "the sweep ended before it";
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
                  .throttled = result.time->clocks.throttled.value_or(false),
                  .launches = launches_of(result.plan)};
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

/// Afresh: what was above the roofs that an earlier sweep measured may lie below these.
void warn_above_roof(CaseResult& result) {
    std::erase_if(result.warnings, is_above_roof_warning);
    if (!result.point) return;
    if (auto warning = above_roof_warning(*result.point))
        result.warnings.push_back(std::move(*warning));
}

void note_above_roofs(const Report& report) {
    for (const CaseResult& result : report.cases)
        for (const std::string& warning : result.warnings)
            if (is_above_roof_warning(warning)) note("{}: {}", result.plan.id, warning);
}

/// The outputs that are rewritten after each case: a sweep that is killed leaves a valid,
/// incomplete report behind.
std::vector<std::string> kept_up(const std::vector<std::string>& outputs) {
    std::vector<std::string> paths;
    for (const std::string& path : outputs)
        if (format_of(path).extension == "json" && !is_stream(path)) paths.push_back(path);
    return paths;
}

/// A file that cannot be written (a full disk) is told once and tried again at the end.
void save_progress(const Report& report, std::vector<std::string>& paths) {
    std::erase_if(paths, [&](const std::string& path) {
        try {
            write_report(report, path);
            return false;
        } catch (const UsageError& error) {
            note("{}; the sweep goes on", printable(error.what()));
            return true;
        }
    });
}

void announce(const BackendChoice& choice, const std::vector<Case>& plan) {
    if (!choice.why.empty()) note("{}", choice.why);
    const auto runnable = std::count_if(plan.begin(), plan.end(),
                                        [](const Case& c) { return c.status == Status::ok; });
    note("{} of {} cases can run on {}", runnable, plan.size(), choice.backend->facts().name);
}

ExitCode verdict(const Report& report) {
    if (!report.complete) return ExitCode::interrupted;
    const bool uncounted = report.config.counters == CounterMode::on && counters_missing(report);
    if (uncounted)
        note("counts are missing that --counters on asked for: this ends in exit code 1");
    const bool failed =
        std::any_of(report.cases.begin(), report.cases.end(), [](const CaseResult& r) {
            return r.plan.status == Status::failed || r.plan.status == Status::wrong;
        });
    if (failed || uncounted) return ExitCode::failed;
    if (!nothing_ran(report)) return ExitCode::pass;
    note_nothing_ran(report);
    return ExitCode::not_comparable;
}

/// Every output is tried, and the table is printed, before the first failure ends the command: what
/// was measured is not lost to one full disk.
void write_outputs(const Report& report, const std::vector<std::string>& outputs, bool quiet) {
    std::exception_ptr failure;
    std::vector<std::string> written;
    for (const std::string& path : outputs) {
        try {
            write_report(report, path);
            written.push_back(path);
        } catch (const UsageError&) {
            if (!failure) failure = std::current_exception();
        }
    }
    fmt::print("{}", to_table(report, wants_colour(), terminal_width()));
    if (!quiet) note_written(written);
    if (failure) std::rethrow_exception(failure);
}

/// The report that --resume goes on from; what `options` leave open is taken from it.
std::optional<Report> previous_report(SweepOptions& options) {
    if (!options.resume) return std::nullopt;
    const std::string path = path_to_resume(options.outputs);
    std::optional<Report> previous = report_to_resume(path);
    if (previous)
        take_from(*previous, path, options);
    else
        note("there is no {} yet: starting it", printable(path));
    return previous;
}

/// Complete, and no case is left that a lost device or an interruption kept from running.
bool nothing_left(const Report& report) {
    return report.complete && std::none_of(report.cases.begin(), report.cases.end(), not_run);
}

/// `choice` empty: opens the device that the options name, or the report that is resumed.
int sweep(SweepOptions options, const BackendChoice* given) {
    const std::optional<Report> previous = previous_report(options);
    const BackendChoice opened = given ? BackendChoice{} : open_backend(options.device);
    const BackendChoice& choice = given ? *given : opened;
    const auto start = std::chrono::steady_clock::now();
    Backend& backend = *choice.backend;
    Report report;
    report.tool = tool_facts();
    report.tool.cupti = backend.counter_plan().library;
    report.host = host_facts();
    report.command = options.command;
    report.started_at = utc_now();
    report.device = backend.facts();
    report.config = resolve(options.request, report.device.kind);
    std::vector<Case> plan = make_plan(report.config, report.device, backend.available_bytes());
    for (const Case& c : plan) report.cases.push_back(planned(c, report.device));
    std::vector<std::string> others = options.outputs;  // those that are not gone on from
    if (previous) {
        const std::string resumed = path_to_resume(options.outputs);
        std::erase(others, resumed);
        resume(*previous, resumed, report, plan);
        if (nothing_left(*previous)) {
            fmt::print("nothing to do: {} is complete\n", resumed);
            for (const std::string& path : others) write_report(*previous, path);
            if (!options.quiet) note_written(others);
            return static_cast<int>(verdict(*previous));
        }
    }
    if (!options.quiet) {
        announce(choice, plan);
        note_replaced(others);
    }

    const InterruptGuard guard;
    std::vector<std::string> kept = kept_up(options.outputs);
    const auto finish = [&] {
        mark_throttled(report);
        for (CaseResult& result : report.cases) {
            place(result, report.ceilings);
            warn_above_roof(result);
        }
        report.duration_s =
            (previous ? previous->duration_s : 0) +
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    {
        Progress progress(report.cases.size() + 2, options.quiet);
        measure_report(backend, plan, report,
                       {.begin = [&](const std::string& what) { progress.begin(what); },
                        .case_done =
                            [&] {
                                finish();
                                save_progress(report, kept);
                            },
                        .stop = InterruptGuard::requested},
                       {.ceilings = options.ceilings && report.ceilings.empty()});
    }
    report.complete = !InterruptGuard::requested();
    finish();
    note_above_roofs(report);
    report.findings = findings_of(report);
    write_outputs(report, options.outputs, options.quiet);
    return static_cast<int>(verdict(report));
}

}  // namespace

int run_sweep(const SweepOptions& options) { return sweep(options, nullptr); }

int run_sweep(const SweepOptions& options, const BackendChoice& choice) {
    return sweep(options, &choice);
}

}  // namespace attnroof
