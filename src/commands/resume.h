// attnroof sweep --resume: goes on from the report of a sweep that was interrupted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/sweep_options.h"
#include "report/report.h"

namespace attnroof {

/// The JSON file among `outputs`. Throws UsageError when there is none or more than one.
std::string path_to_resume(const std::vector<std::string>& outputs);

/// The report at `path`; empty when there is no file yet. Throws UsageError, also for a prediction.
std::optional<Report> report_to_resume(const std::string& path);

/// What the command line leaves open is as in `previous`: the kind of device, the whole config.
void take_from(const Report& previous, const std::string& path, SweepOptions& options);

/// Puts the finished cases of `previous`, with all that was measured, into `report`, whose cases
/// are those of `plan`, and takes them out of the plan's cases that are to be run. Ceilings stay.
/// Throws Error(not_comparable) that names the first difference of tool, device, driver or config:
/// a report describes one of each.
void resume(const Report& previous, const std::string& path, Report& report,
            std::vector<Case>& plan);

/// True for a case that a sweep ended before.
bool not_run(const CaseResult& result);
/// How such a reason starts.
inline constexpr const char* not_run_prefix = "not run: ";

}  // namespace attnroof
