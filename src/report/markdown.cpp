// The report for a pull request or an issue: findings first, then the table, folded when long.
#include <fmt/format.h>

#include <algorithm>

#include "report/axes.h"
#include "report/formats.h"
#include "report/lesson.h"
#include "report/table_columns.h"

namespace attnroof {
namespace {

/// A comment on GitHub takes 65,536 characters; a row takes about 100.
constexpr std::size_t most_rows = 400;
constexpr std::size_t rows_in_the_open = 16;

/// Text that markdown shows as it stands, on one line.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '<' || c == '>' || c == '&') {
            out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
            continue;
        }
        if (std::string_view("\\`*_{}[]|#~").find(c) != std::string_view::npos) out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out;
}

/// Without the spaces that align a terminal.
std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string row_of(const CaseResult& c, const std::vector<CaseColumn>& columns,
                   const Scales& scales) {
    std::string row = "|";
    const bool ok = c.plan.status == Status::ok;
    for (const CaseColumn& column : columns)
        row += fmt::format(" {} |", ok || column.head.importance == 9
                                        ? plain(trimmed(column.cell(c, scales)))
                                        : "");
    if (ok) return row + "\n";
    // The reason stands in the last cell, which would be empty.
    row.resize(row.size() - 3);
    return row + fmt::format(" **{}**: {} |\n", name(c.plan.status), plain(c.plan.reason));
}

std::string table(const Report& report) {
    const Scales scales = scales_of(report);
    const std::vector<CaseColumn> columns = case_columns(report, scales);
    std::string head = "|", line = "|";
    for (const CaseColumn& column : columns) {
        head += fmt::format(" {} |", plain(trimmed(column.head.head)));
        line += column.head.right ? " ---: |" : " --- |";
    }
    std::string out = head + "\n" + line + "\n";
    const std::size_t shown = std::min(report.cases.size(), most_rows);
    for (std::size_t i = 0; i < shown; ++i) out += row_of(report.cases[i], columns, scales);
    if (shown < report.cases.size())
        out +=
            fmt::format("\n{} more cases are in the JSON report.\n", report.cases.size() - shown);
    return out;
}

std::string folded(const std::string& summary, const std::string& text) {
    return fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n", plain(summary), text);
}

std::string findings(const Report& report) {
    std::string out;
    for (const Finding& finding : report.findings)
        out += fmt::format("- {}\n", plain(finding.text));
    return out;
}

std::string lesson(const Report& report) {
    std::string out;
    int number = 0;
    for (const LessonStep& step : lesson_of(report)) {
        out += fmt::format("{}. **{}** {}\n", ++number, plain(step.title), plain(step.claim));
        out += fmt::format("   - *{}*\n", plain(step.verdict));
        for (const Finding* finding : step.findings)
            out += fmt::format("   - {}\n", plain(finding->text));
    }
    return out;
}

std::string notes(const Report& report) {
    std::string out;
    if (std::any_of(report.cases.begin(), report.cases.end(), modelled))
        out += "\\* bytes of the model, not counted\n\n";
    if (!report.counters_closed_gate.empty())
        out += fmt::format("No counters: {}; {}\n\n", plain(report.counters_closed_gate),
                           plain(report.counters_remedy));
    for (const auto& [text, cases] : grouped_warnings(report))
        out += fmt::format("! {}: {}\n\n", plain(cases), plain(text));
    if (!report.complete) out += "**Incomplete**: the sweep ended before its last case.\n\n";
    return out;
}

}  // namespace

std::string to_markdown(const Report& report) {
    std::string out = fmt::format("### {}\n\n", plain(report_title(report)));
    if (!report.cases.empty())
        out += fmt::format("{}; {}\n\n", plain(common_axes(report)), plain(kernels_text(report)));
    out += report.config.lesson ? lesson(report) : findings(report);
    out += fmt::format("\n{}\n\n", tally(report));
    if (!report.cases.empty())
        out += report.cases.size() > rows_in_the_open ? folded("Every case", table(report))
                                                      : table(report);
    out += "\n" + notes(report);
    out +=
        folded("Machine",
               fmt::format("{}\n\n{}\n\nattnroof {} ({}), {}\n", plain(device_text(report.device)),
                           plain(ceilings_text(report.ceilings)), plain(report.tool.version),
                           plain(report.tool.git_sha), plain(report.started_at)));
    return out;
}

}  // namespace attnroof
