// attnroof export: a saved report in other formats. Touches no device.
#include "commands/export.h"

#include <fmt/format.h>

#include "commands/terminal.h"
#include "findings/findings.h"
#include "report/formats.h"
#include "report/read.h"

namespace attnroof {

int run_export(const ExportOptions& options) {
    Report report = read_report(options.report);
    if (options.levels) report.config.levels = *options.levels;
    if (report.findings.empty()) report.findings = findings_of(report);
    for (const std::string& output : options.outputs) write_report(report, output);
    if (options.outputs.empty())
        fmt::print("{}", to_table(report, wants_colour(), terminal_width()));
    return 0;
}

}  // namespace attnroof
