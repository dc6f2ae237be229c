// One row a case, RFC 4180. The problem's and the case's own fields keep their names (q_len,
// cache); every other column is BLOCK_FIELD of the JSON report (time_median_s, roofline_hbm_bytes).
// A number that is not there is an empty cell; `reason` says why a case has none.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "report/formats.h"
#include "report/memory_levels.h"
#include "report/schema.h"

namespace attnroof {
namespace {

struct Column {
    std::string name;
    std::function<std::string(const CaseResult&)> cell;
};

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string cell(std::int64_t value) { return std::to_string(value); }
std::string cell(const std::string& value) { return value; }
std::string cell(const char* value) { return value; }
std::string cell(bool value) { return value ? "true" : "false"; }
template <class T>
std::string cell(const std::optional<T>& value) {
    return value ? cell(*value) : "";
}

/// A column of an optional part of a case; empty where the case lacks the part.
template <class T, class Get>
Column part(std::string name, std::optional<T> CaseResult::*member, Get get) {
    return {std::move(name), [member, get](const CaseResult& c) {
                return c.*member ? cell(std::invoke(get, *(c.*member))) : std::string();
            }};
}

void add_plan(std::vector<Column>& columns) {
    using C = const CaseResult&;
    columns.insert(columns.end(), {{"id", [](C c) { return c.plan.id; }},
                                   {"pass", [](C c) { return cell(name(c.plan.problem.pass)); }},
                                   {"dtype", [](C c) { return cell(name(c.plan.problem.dtype)); }},
                                   {"mask", [](C c) { return cell(name(c.plan.problem.mask)); }},
                                   {"batch", [](C c) { return cell(c.plan.problem.batch); }},
                                   {"heads", [](C c) { return cell(c.plan.problem.heads); }},
                                   {"kv_heads", [](C c) { return cell(c.plan.problem.kv_heads); }},
                                   {"q_len", [](C c) { return cell(c.plan.problem.q_len); }},
                                   {"kv_len", [](C c) { return cell(c.plan.problem.kv_len); }},
                                   {"head_dim", [](C c) { return cell(c.plan.problem.head_dim); }},
                                   {"kernel_name", [](C c) { return c.plan.asked.name; }},
                                   {"kernel_variant", [](C c) { return variant_of(c); }},
                                   {"cache", [](C c) { return cell(name(c.plan.cache)); }},
                                   {"status", [](C c) { return cell(name(c.plan.status)); }},
                                   {"reason", [](C c) { return c.plan.reason; }}});
}

void add_time(std::vector<Column>& columns) {
    using T = const TimeStats&;
    const auto add = [&](const char* name, auto get) {
        columns.push_back(part(name, &CaseResult::time, get));
    };
    add("time_median_s", &TimeStats::median_s);
    add("time_min_s", &TimeStats::min_s);
    add("time_ci95_low_s", &TimeStats::ci95_low_s);
    add("time_ci95_high_s", &TimeStats::ci95_high_s);
    add("time_samples", [](T t) { return static_cast<std::int64_t>(t.samples_s.size()); });
    add("time_sm_clock_mhz", [](T t) { return t.clocks.sm_clock_mhz; });
    add("time_power_w", [](T t) { return t.clocks.power_w; });
    add("time_throttled", [](T t) { return t.clocks.throttled; });
}

void add_counters(std::vector<Column>& columns, const std::string& prefix,
                  CounterSet CaseCounters::*member) {
    for (const CounterInfo& info : counter_table()) {
        const bool settled = member == &CaseCounters::settled;
        if (settled && info.counter != Counter::hbm_read_bytes &&
            info.counter != Counter::hbm_write_bytes)
            continue;
        columns.push_back({prefix + info.name, [=](const CaseResult& c) {
                               const CounterSet& set = c.counted.*member;
                               const auto found = set.find(info.counter);
                               return found == set.end() ? "" : cell(found->second.value);
                           }});
    }
}

void add_model(std::vector<Column>& columns) {
    using C = const CaseResult&;
    columns.insert(columns.end(),
                   {{"model_useful_flops", [](C c) { return cell(c.useful_flops); }},
                    {"model_hbm_bytes", [](C c) { return cell(c.modelled.total()); }},
                    {"model_hbm_read_bytes", [](C c) { return cell(c.modelled.read_bytes); }},
                    {"model_hbm_write_bytes", [](C c) { return cell(c.modelled.write_bytes); }},
                    {"model_footprint_bytes", [](C c) { return cell(c.footprint_bytes); }},
                    {"executed_flops", [](C c) { return cell(c.counted.executed_flops()); }}});
}

void add_roofline(std::vector<Column>& columns) {
    const auto add = [&](const char* name, auto get) {
        columns.push_back(part(name, &CaseResult::point, get));
    };
    add("roofline_flops", &Point::flops);
    add("roofline_hbm_bytes", &Point::hbm_bytes);
    add("roofline_bytes_source", [](const Point& p) { return name(p.bytes_source); });
    add("roofline_bytes_kind", &Point::bytes_kind);
    add("roofline_intensity_flop_per_byte", &Point::intensity_flop_per_byte);
    add("roofline_achieved_flops_per_s", &Point::achieved_flops_per_s);
    add("roofline_achieved_bytes_per_s", &Point::achieved_bytes_per_s);
    add("roofline_ceiling", &Point::ceiling);
    add("roofline_ceiling_mode", mode_name);
    add("roofline_attainable_flops_per_s", &Point::attainable_flops_per_s);
    add("roofline_attainable_s", &Point::attainable_s);
    add("roofline_fraction_of_roof", &Point::fraction_of_roof);
    add("roofline_bound", [](const Point& p) { return name(p.bound); });
}

/// The levels that the report shows; of hbm the roofline's own columns tell the rest.
void add_levels(std::vector<Column>& columns, const Report& report) {
    for (Level level : levels_of(report.config)) {
        const auto add = [&](const char* field, auto get) {
            columns.push_back({fmt::format("levels_{}_{}", name(level), field),
                               [&report, level, get](const CaseResult& c) {
                                   const auto p = level_point(report, c, level).point;
                                   return p ? cell(std::invoke(get, *p)) : std::string();
                               }});
        };
        add("bytes", &Point::hbm_bytes);
        add("intensity_flop_per_byte", &Point::intensity_flop_per_byte);
        add("achieved_bytes_per_s", &Point::achieved_bytes_per_s);
        add("ceiling", &Point::ceiling);
        add("ceiling_mode", mode_name);
        add("fraction_of_roof", &Point::fraction_of_roof);
        add("bound", [](const Point& p) { return name(p.bound); });
    }
}

void add_check(std::vector<Column>& columns) {
    const auto add = [&](const char* name, auto get) {
        columns.push_back(part(name, &CaseResult::check, get));
    };
    add("check_max_abs_error", &CheckResult::max_abs_error);
    add("check_tolerance", &CheckResult::tolerance);
    add("check_rows", &CheckResult::rows);
}

std::string joined_warnings(const CaseResult& c) {
    return fmt::format("{}", fmt::join(c.warnings, "; "));
}

std::vector<Column> columns_of(const Report& report) {
    std::vector<Column> columns;
    add_plan(columns);
    add_time(columns);
    add_counters(columns, "counters_", &CaseCounters::in_range);
    add_counters(columns, std::string("counters_") + settled_prefix, &CaseCounters::settled);
    add_model(columns);
    add_roofline(columns);
    add_levels(columns, report);
    add_check(columns);
    columns.push_back({"warnings", joined_warnings});
    // The same in every row, so that files of several devices can be put together.
    columns.push_back({"device_name", [&](const CaseResult&) { return report.device.name; }});
    return columns;
}

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string doubled;
    for (char c : field) doubled.append(c == '"' ? 2 : 1, c);
    return fmt::format("\"{}\"", doubled);
}

}  // namespace

std::string to_csv(const Report& report) {
    const std::vector<Column> columns = columns_of(report);
    std::string out;
    const auto row = [&](auto&& field) {
        for (std::size_t i = 0; i < columns.size(); ++i)
            out.append(i == 0 ? 0 : 1, ',') += quoted(field(columns[i]));
        out += "\r\n";
    };
    row([](const Column& column) { return column.name; });
    for (const CaseResult& c : report.cases)
        row([&](const Column& column) { return column.cell(c); });
    return out;
}

}  // namespace attnroof
