// attnroof predict: config -> plan -> model and roofs -> report.
#include "predict/predict.h"

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/predict.h"
#include "commands/terminal.h"
#include "errors.h"
#include "report/facts.h"
#include "report/formats.h"

namespace attnroof {

int run_predict(const PredictRequest& request) {
    if (request.device_spec.empty())
        throw UsageError("predict needs a device: --device-spec NAME, FILE or REPORT (--help)");
    const DeviceSpec spec = load_device_spec(request.device_spec);
    Report report = predict(resolve(request.request, spec.facts.kind), spec);
    report.tool = tool_facts();
    report.host = host_facts();
    report.command = request.command;
    report.started_at = utc_now();

    for (const std::string& path : request.outputs) write_report(report, path);
    fmt::print("{}", to_table(report, wants_colour(), terminal_width()));
    if (!nothing_ran(report)) return static_cast<int>(ExitCode::pass);
    note_nothing_ran(report);
    return static_cast<int>(ExitCode::not_comparable);
}

}  // namespace attnroof
