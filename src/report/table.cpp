// The report for a terminal: what was measured, one line a case, then what needs saying.
#include <fmt/format.h>

#include <algorithm>

#include "report/axes.h"
#include "report/formats.h"
#include "report/memory_levels.h"
#include "report/table_columns.h"
#include "report/text_grid.h"

namespace attnroof {
namespace {

constexpr const char* red = "\x1b[31m";
constexpr const char* yellow = "\x1b[33m";

std::string style_of(Status status) {
    if (status == Status::failed || status == Status::wrong) return red;
    return status == Status::ok ? "" : yellow;
}

GridRow row_of(const CaseResult& c, const std::vector<CaseColumn>& columns, const Scales& scales,
               bool new_problem) {
    GridRow row;
    for (const CaseColumn& column : columns)
        row.cells.push_back(column.of_problem && !new_problem ? "" : column.cell(c, scales));
    row.style = style_of(c.plan.status);
    if (c.plan.status != Status::ok) {
        row.note = fmt::format("{}: {}", name(c.plan.status), c.plan.reason);
        // A time that was measured before the case went wrong does not count.
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i].head.importance < 9) row.cells[i].clear();
    }
    return row;
}

std::string cases_grid(const Report& report, bool colour, int width) {
    const Scales scales = scales_of(report);
    const std::vector<CaseColumn> columns = case_columns(report, scales);
    std::vector<GridColumn> heads;
    for (const CaseColumn& column : columns) heads.push_back(column.head);
    std::vector<GridRow> rows;
    const AttentionProblem* last = nullptr;
    for (const CaseResult& c : report.cases) {
        rows.push_back(row_of(c, columns, scales, !last || *last != c.plan.problem));
        last = &c.plan.problem;
    }
    return layout_grid(std::move(heads), std::move(rows), width, colour);
}

class Lines {
  public:
    explicit Lines(int width) : width_(width) {}
    void add(const std::string& text) {
        for (const std::string& line : wrap(text, width_, 10)) out_ += line + "\n";
    }
    const std::string& text() const { return out_; }

  private:
    int width_;
    std::string out_;
};

std::string head(const Report& report, int width) {
    Lines lines(width);
    if (report.prediction)
        lines.add(report_title(report) +
                  ": the model's FLOPs and bytes at the roof; nothing was run");
    lines.add("device:   " + device_text(report.device));
    lines.add("ceilings: " + ceilings_text(report.ceilings));
    if (report.prediction) lines.add("from:     " + *report.prediction);
    if (!report.cases.empty()) lines.add("cases:    " + common_axes(report));
    if (const std::string kernels = kernels_text(report); !kernels.empty())
        lines.add("kernels:  " + kernels);
    return lines.text();
}

/// Levels that were asked for and that no case has a point at, each with the reason.
void add_missing_levels(Lines& lines, const Report& report) {
    for (Level level : report.config.levels) {
        if (has_points(report, level)) continue;
        const auto ok = std::find_if(report.cases.begin(), report.cases.end(),
                                     [](const auto& c) { return c.plan.status == Status::ok; });
        if (ok != report.cases.end())
            lines.add(fmt::format("no {} roofline: {}", level_title(report, level),
                                  level_point(report, *ok, level).reason));
    }
}

std::string foot(const Report& report, int width) {
    Lines lines(width);
    if (!report.prediction && std::any_of(report.cases.begin(), report.cases.end(), modelled))
        lines.add("* bytes of the model, not counted");
    if (!report.counters_closed_gate.empty())
        lines.add(fmt::format("no counters: {}; {}", report.counters_closed_gate,
                              report.counters_remedy));
    add_missing_levels(lines, report);
    for (const auto& [counter, reason] : report.selftest.unusable())
        lines.add(fmt::format("{} left out: {}", name(counter), reason));
    for (const auto& [text, cases] : grouped_warnings(report))
        lines.add(fmt::format("! {}: {}", cases, text));
    for (const Finding& finding : report.findings) lines.add("- " + finding.text);
    if (!report.complete) lines.add("incomplete: the sweep ended before its last case");
    lines.add(tally(report));
    return lines.text();
}

}  // namespace

std::string to_table(const Report& report, bool colour, int width) {
    std::string out = head(report, width) + "\n";
    if (!report.cases.empty()) out += cases_grid(report, colour, width) + "\n";
    return out + foot(report, width);
}

}  // namespace attnroof
