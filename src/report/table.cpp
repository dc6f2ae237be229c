// The report for a terminal: what was measured, one line a case, then what needs saying.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/axes.h"
#include "report/formats.h"
#include "report/text_grid.h"
#include "report/units.h"

namespace attnroof {
namespace {

constexpr const char* red = "\x1b[31m";
constexpr const char* yellow = "\x1b[33m";

/// One unit for a column, so that its numbers can be compared at a glance.
struct Scale {
    double divisor;
    std::string prefix;
};

Scale scale_for(double largest) {
    if (largest >= 1e12) return {1e12, "T"};
    if (largest >= 1e9) return {1e9, "G"};
    return {1e6, "M"};
}

template <class Get>
double largest(const Report& report, Get get) {
    double most = 0;
    for (const CaseResult& c : report.cases)
        if (c.point && std::isfinite(get(*c.point))) most = std::max(most, get(*c.point));
    return most;
}

bool modelled(const CaseResult& c) { return c.point && c.point->bytes_source == Source::modelled; }

std::string style_of(Status status) {
    if (status == Status::failed || status == Status::wrong) return red;
    return status == Status::ok ? "" : yellow;
}

struct Column {
    GridColumn head;
    std::string (*cell)(const CaseResult&, const Scale& flops, const Scale& bytes);
    bool of_problem = false;  // shown once for the cases of one problem
};

using C = const CaseResult&;
using S = const Scale&;

std::string memory_name(const Report& report) {
    return report.device.kind == DeviceKind::cuda ? "HBM" : "DRAM";
}

std::vector<Column> problem_columns(const VaryingAxes& axes) {
    std::vector<Column> columns;
    const auto add = [&](bool shown, GridColumn head, auto cell) {
        if (shown) columns.push_back({std::move(head), cell, true});
    };
    add(axes.pass, {"pass", false},
        [](C c, S, S) { return std::string(name(c.plan.problem.pass)); });
    add(axes.dtype, {"dtype", false},
        [](C c, S, S) { return std::string(name(c.plan.problem.dtype)); });
    add(axes.mask, {"mask", false},
        [](C c, S, S) { return std::string(name(c.plan.problem.mask)); });
    add(axes.head_dim, {"d"}, [](C c, S, S) { return std::to_string(c.plan.problem.head_dim); });
    add(axes.batch_heads, {"b x h"}, [](C c, S, S) { return batch_heads_text(c.plan.problem); });
    add(true, {"N"}, [](C c, S, S) { return length_text(c.plan.problem); });
    return columns;
}

std::string flops_cell(C c, S flops, S) {
    return c.point ? significant(c.point->achieved_flops_per_s / flops.divisor) : "";
}
std::string bytes_cell(C c, S, S bytes) {
    if (!c.point) return "";
    return significant(c.point->hbm_bytes / bytes.divisor) + (modelled(c) ? "*" : " ");
}
std::string time_cell(C c, S, S) {
    return c.time ? si(c.time->median_s, "s") + (c.warnings.empty() ? " " : "!") : "";
}
std::string intensity_cell(C c, S, S) {
    return c.point ? significant(c.point->intensity_flop_per_byte) : "";
}
std::string roof_cell(C c, S, S) {
    if (!c.point) return "";
    return fmt::format("{:3.0f}% {}", 100 * c.point->fraction_of_roof, c.point->ceiling);
}

std::vector<Column> columns_of(const Report& report, S flops, S bytes) {
    const VaryingAxes axes = varying_axes(report);
    std::vector<Column> columns = problem_columns(axes);
    columns.push_back({{"kernel", false}, [](C c, S, S) { return c.plan.asked.text(); }});
    if (axes.cache)
        columns.push_back(
            {{"cache", false}, [](C c, S, S) { return std::string(name(c.plan.cache)); }});
    columns.push_back({{"time ", true, 7}, time_cell});
    columns.push_back({{flops.prefix + "FLOP/s", true, 8}, flops_cell});
    columns.push_back({{memory_name(report) + " " + bytes.prefix + "B ", true, 5}, bytes_cell});
    columns.push_back({{"FLOP/byte", true, 4}, intensity_cell});
    columns.push_back({{"of roof", false, 6}, roof_cell});
    columns.push_back({{"bound", false, 3}, [](C c, S, S) {
                           return c.point ? std::string(name(c.point->bound)) : std::string();
                       }});
    return columns;
}

GridRow row_of(C c, const std::vector<Column>& columns, S flops, S bytes, bool new_problem) {
    GridRow row;
    for (const Column& column : columns)
        row.cells.push_back(column.of_problem && !new_problem ? "" : column.cell(c, flops, bytes));
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
    const Scale flops =
        scale_for(largest(report, [](const Point& p) { return p.achieved_flops_per_s; }));
    const Scale bytes = scale_for(largest(report, [](const Point& p) { return p.hbm_bytes; }));
    const std::vector<Column> columns = columns_of(report, flops, bytes);
    std::vector<GridColumn> heads;
    for (const Column& column : columns) heads.push_back(column.head);
    std::vector<GridRow> rows;
    const AttentionProblem* last = nullptr;
    for (const CaseResult& c : report.cases) {
        rows.push_back(row_of(c, columns, flops, bytes, !last || *last != c.plan.problem));
        last = &c.plan.problem;
    }
    return layout_grid(std::move(heads), std::move(rows), width, colour);
}

std::string device_text(const DeviceFacts& d) {
    std::string text = d.name;
    const bool gpu = d.kind == DeviceKind::cuda;
    if (d.sm_count > 0) text += fmt::format(", {} {}", d.sm_count, gpu ? "SMs" : "cores");
    if (d.memory_bytes > 0) text += ", " + si(static_cast<double>(d.memory_bytes), "B");
    if (d.driver) text += ", driver " + *d.driver;
    if (d.power_limit_w) text += fmt::format(", {:.0f} W", *d.power_limit_w);
    return text;
}

std::string ceilings_text(const std::vector<Ceiling>& ceilings) {
    std::vector<std::string> items;
    for (const Ceiling& c : ceilings) {
        items.push_back(fmt::format("{} {}", c.id, spoken(c.value, c.unit)));
        if (c.mode == CeilingMode::sustained) items.back() += " sustained";
        if (c.source != Source::measured) items.back() += fmt::format(" ({})", name(c.source));
    }
    return items.empty() ? "none measured" : fmt::format("{}", fmt::join(items, ", "));
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
    lines.add("device:   " + device_text(report.device));
    lines.add("ceilings: " + ceilings_text(report.ceilings));
    if (!report.cases.empty()) lines.add("cases:    " + common_axes(report));
    if (const std::string kernels = kernels_text(report); !kernels.empty())
        lines.add("kernels:  " + kernels);
    return lines.text();
}

/// Each warning once, with the case it is about or with how many there are.
std::vector<std::pair<std::string, std::string>> grouped_warnings(const Report& report) {
    std::vector<std::pair<std::string, std::string>> groups;
    std::map<std::string, std::size_t> count;
    for (const CaseResult& c : report.cases)
        for (const std::string& text : c.warnings)
            if (++count[text] == 1) groups.emplace_back(text, c.plan.id);
    for (auto& [text, cases] : groups)
        if (count[text] > 1) cases = fmt::format("{} cases", count[text]);
    return groups;
}

std::string foot(const Report& report, int width) {
    Lines lines(width);
    if (std::any_of(report.cases.begin(), report.cases.end(), modelled))
        lines.add("* bytes of the model, not counted");
    if (!report.counters_closed_gate.empty())
        lines.add(fmt::format("no counters: {}; {}", report.counters_closed_gate,
                              report.counters_remedy));
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
