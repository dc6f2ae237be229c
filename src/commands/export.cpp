// attnroof export: a saved report in other formats. Touches no device.
#include <fmt/format.h>

#include "commands/command.h"
#include "commands/terminal.h"
#include "findings/findings.h"
#include "report/formats.h"
#include "report/read.h"

namespace attnroof {

int run_export(const std::string& path, const std::vector<std::string>& outputs) {
    Report report = read_report(path);
    if (report.findings.empty()) report.findings = findings_of(report);
    for (const std::string& output : outputs) write_report(report, output);
    if (outputs.empty()) fmt::print("{}", to_table(report, wants_colour(), terminal_width()));
    return 0;
}

}  // namespace attnroof
