#include "commands/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config/parse.h"
#include "config/words.h"
#include "errors.h"
#include "report/atomic_file.h"
#include "report/formats.h"
#include "report/json_config.h"
#include "report/read.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

/// All that the cases of one report have in common.
Json identity(const Report& r) {
    const DeviceFacts& d = r.device;
    return {{"tool",
             {{"version", r.tool.version},
              {"git_sha", r.tool.git_sha},
              {"git_dirty", r.tool.git_dirty}}},
            {"device",
             {{"kind", name(d.kind)},
              {"name", d.name},
              {"uuid", d.uuid},
              {"chip", d.chip},
              {"sm_count", d.sm_count},
              {"driver", or_null(d.driver)},
              {"power_limit_w", or_null(d.power_limit_w)},
              {"ecc", or_null(d.ecc)},
              {"mig", or_null(d.mig)}}},
            {"config", config_json(r.config)}};
}

std::string shown(const Json& value) {
    return value.is_null() ? "not given" : printable(value.dump());
}

/// The first place where two values differ, with both; empty when they are the same.
std::string difference(const Json& there, const Json& here, const std::string& path) {
    if (there == here) return "";
    if (!there.is_object() || !here.is_object())
        return fmt::format("{} is {} there and {} here", path, shown(there), shown(here));
    for (const Json* side : {&there, &here})
        for (const auto& [key, ignored] : side->items()) {
            const std::string found = difference(there.value(key, Json()), here.value(key, Json()),
                                                 path.empty() ? key : path + "." + key);
            if (!found.empty()) return found;
        }
    return "";
}

/// False where the id is the same and the work is not: such a result is measured again.
bool same_work(const CaseResult& old, const Case& planned) {
    const bool same_kernel = !planned.kernel || variant_of(old) == planned.kernel->variant;
    return old.plan.problem == planned.problem && old.plan.cache == planned.cache && same_kernel;
}

bool has_value(const CounterSet& set) {
    return std::any_of(set.begin(), set.end(),
                       [](const auto& entry) { return entry.second.value.has_value(); });
}

}  // namespace

std::string path_to_resume(const std::vector<std::string>& outputs) {
    std::vector<std::string> reports;
    for (const std::string& path : outputs)
        if (format_of(path).extension == "json" && !is_stream(path)) reports.push_back(path);
    if (reports.size() != 1)
        throw UsageError("--resume needs the report to go on from, once: -o FILE.json");
    return reports.front();
}

std::optional<Report> report_to_resume(const std::string& path) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    Report previous = read_report(path);
    if (previous.prediction)
        throw UsageError(printable(path) + ": a prediction: there is no sweep to go on with");
    return previous;
}

void take_from(const Report& previous, const std::string& path, SweepOptions& options) {
    if (options.device == "auto") options.device = name(previous.device.kind);
    SweepRequest& request = options.request;
    if (!request.file && request.overrides == ConfigLayer{})
        request.file =
            parse_config(config_json(previous.config).dump(), printable(path) + ": config");
}

void resume(const Report& previous, const std::string& path, Report& report,
            std::vector<Case>& plan) {
    const std::string differs = difference(identity(previous), identity(report), "");
    if (!differs.empty())
        throw Error(ExitCode::not_comparable,
                    fmt::format("cannot resume {}: {}", printable(path), differs));
    report.command = previous.command;
    report.started_at = previous.started_at;
    report.ceilings = previous.ceilings;
    report.counters_closed_gate = previous.counters_closed_gate;
    report.counters_remedy = previous.counters_remedy;
    report.selftest = previous.selftest;
    for (const CaseResult& old : previous.cases) {
        const auto at = std::find_if(plan.begin(), plan.end(),
                                     [&](const Case& c) { return c.id == old.plan.id; });
        if (at == plan.end() || not_run(old) || !same_work(old, *at)) continue;
        CaseResult& kept = report.cases[static_cast<std::size_t>(at - plan.begin())];
        kept = old;
        if (!has_value(old.counted.in_range)) {  // reasons of the time; the steps hold times
            kept.counted.in_range.clear();
            kept.counted.settled.clear();
        }
        kept.plan = *at;
        kept.plan.status = old.plan.status;
        kept.plan.reason = old.plan.reason;
        at->status = Status::skipped;
        at->reason = "kept from the report that is resumed";
    }
}

bool not_run(const CaseResult& result) {
    return result.plan.status == Status::skipped && result.plan.reason.starts_with(not_run_prefix);
}

}  // namespace attnroof
