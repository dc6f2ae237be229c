#include "report/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/axes.h"
#include "report/memory_levels.h"
#include "report/units.h"

namespace attnroof {
namespace {

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

using C = const CaseResult&;
using S = const Scales&;

std::vector<CaseColumn> problem_columns(const VaryingAxes& axes) {
    std::vector<CaseColumn> columns;
    const auto add = [&](bool shown, GridColumn head, auto cell) {
        if (shown) columns.push_back({std::move(head), cell, true});
    };
    add(axes.pass, {"pass", false}, [](C c, S) { return std::string(name(c.plan.problem.pass)); });
    add(axes.dtype, {"dtype", false},
        [](C c, S) { return std::string(name(c.plan.problem.dtype)); });
    add(axes.mask, {"mask", false}, [](C c, S) { return std::string(name(c.plan.problem.mask)); });
    add(axes.head_dim, {"d"}, [](C c, S) { return std::to_string(c.plan.problem.head_dim); });
    add(axes.batch_heads, {"b x h"}, [](C c, S) { return batch_heads_text(c.plan.problem); });
    add(true, {"N"}, [](C c, S) { return length_text(c.plan.problem); });
    return columns;
}

std::string flops_cell(C c, S scales) {
    return c.point ? significant(c.point->achieved_flops_per_s / scales.flops.divisor) : "";
}
std::string bytes_cell(C c, S scales) {
    if (!c.point) return "";
    return significant(c.point->hbm_bytes / scales.bytes.divisor) + (modelled(c) ? "*" : " ");
}
std::string time_cell(C c, S) {
    return c.time ? si(c.time->median_s, "s") + (c.warnings.empty() ? " " : "!") : "";
}
std::string intensity_cell(C c, S) {
    return c.point ? significant(c.point->intensity_flop_per_byte) : "";
}
std::string roof_share(const Point& p) {
    if (p.ceiling.empty()) return "";
    return fmt::format("{:>3}% {}", percent(p.fraction_of_roof), roof_name(p));
}
std::string roof_cell(C c, S) { return c.point ? roof_share(*c.point) : ""; }

/// Intensity and fraction at a cache; memory has the columns before it.
void add_level(std::vector<CaseColumn>& columns, const Report& report, Level level) {
    if (level == Level::hbm || !has_points(report, level)) return;
    const std::string title = level_title(report, level);
    const auto add = [&](GridColumn head, auto cell) {
        columns.push_back({std::move(head), [&report, level, cell](C c, S) {
                               const auto point = level_point(report, c, level).point;
                               return point ? cell(*point) : std::string();
                           }});
    };
    add({"FLOP/byte " + title, true, 5},
        [](const Point& p) { return significant(p.intensity_flop_per_byte); });
    add({"of " + title + " roof", false, 6}, roof_share);
}

}  // namespace

Scales scales_of(const Report& report) {
    return {scale_for(largest(report, [](const Point& p) { return p.achieved_flops_per_s; })),
            scale_for(largest(report, [](const Point& p) { return p.hbm_bytes; }))};
}

std::string memory_name(const Report& report) {
    return report.device.kind == DeviceKind::cuda ? "HBM" : "DRAM";
}

std::vector<CaseColumn> case_columns(const Report& report, const Scales& scales) {
    const VaryingAxes axes = varying_axes(report);
    std::vector<CaseColumn> columns = problem_columns(axes);
    columns.push_back({{"kernel", false}, [](C c, S) { return c.plan.asked.text(); }});
    if (axes.cache)
        columns.push_back(
            {{"cache", false}, [](C c, S) { return std::string(name(c.plan.cache)); }});
    if (report.prediction) {
        add_predicted_figures(columns, report);
        return columns;
    }
    columns.push_back({{"time ", true, 7}, time_cell});
    columns.push_back({{scales.flops.prefix + "FLOP/s", true, 8}, flops_cell});
    columns.push_back(
        {{memory_name(report) + " " + scales.bytes.prefix + "B ", true, 5}, bytes_cell});
    columns.push_back({{"FLOP/byte", true, 4}, intensity_cell});
    columns.push_back({{"of roof", false, 6}, roof_cell});
    columns.push_back({{"bound", false, 3}, [](C c, S) {
                           return c.point ? std::string(name(c.point->bound)) : std::string();
                       }});
    for (Level level : report.config.levels) add_level(columns, report, level);
    return columns;
}

std::string device_text(const DeviceFacts& d) {
    std::string text = d.name;
    const bool gpu = d.kind == DeviceKind::cuda;
    if (d.sm_count > 0) text += fmt::format(", {} {}", d.sm_count, gpu ? "SMs" : "cores");
    if (d.memory_bytes > 0) text += ", " + si(static_cast<double>(d.memory_bytes), "B");
    if (d.driver) text += ", driver " + *d.driver;
    if (d.power_limit_w) text += fmt::format(", {} W", significant(*d.power_limit_w));
    return text;
}

std::string ceilings_text(const std::vector<Ceiling>& ceilings) {
    const std::vector<Contradiction> doubts = contradictions(ceilings);
    std::vector<std::string> items;
    for (const Ceiling& c : ceilings) {
        items.push_back(fmt::format("{} {}", c.id, spoken(c.value, c.unit)));
        const bool sustained = c.mode == CeilingMode::sustained;
        if (sustained) items.back() += " sustained";
        if (c.source != Source::measured) items.back() += fmt::format(" ({})", name(c.source));
        // An unsteady machine: shares of these ceilings mean little.
        for (const Contradiction& doubt : doubts)
            if (doubt.higher == c.id && (doubt.lower == "its burst") == sustained)
                items.back() += fmt::format(" (above {})", doubt.lower);
        if (c.spread > 0.1) items.back() += fmt::format(" (spread {:.0f} %)", 100 * c.spread);
    }
    return items.empty() ? "none measured" : fmt::format("{}", fmt::join(items, ", "));
}

std::vector<std::pair<std::string, std::string>> grouped_warnings(const Report& report) {
    std::vector<std::pair<std::string, std::string>> groups;
    std::map<std::string, std::size_t> count;
    for (const CaseResult& c : report.cases)
        for (const std::string& text : c.warnings)
            if (++count[text] == 1) groups.emplace_back(text, c.plan.id);
    for (auto& [text, cases] : groups)
        if (count[text] > 1) cases = fmt::format("{} cases, each", count[text]);
    return groups;
}

}  // namespace attnroof
