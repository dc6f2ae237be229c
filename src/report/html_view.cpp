#include "report/html_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "report/axes.h"
#include "report/lesson.h"
#include "report/memory_levels.h"
#include "report/plot.h"
#include "report/table_columns.h"
#include "report/units.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json roofs_json(const std::vector<Roof>& roofs) {
    Json array = Json::array();
    for (const Roof& roof : roofs)
        array.push_back({{"label", roof.label}, {"value", roof.value}, {"main", roof.main}});
    return array;
}

/// Every kernel of the report: those of the plot first, in its order.
std::vector<std::string> kernels_of(const Report& report, const Plot& plot) {
    std::vector<std::string> kernels = plot.kernels;
    for (const CaseResult& c : report.cases)
        if (std::find(kernels.begin(), kernels.end(), c.plan.asked.text()) == kernels.end())
            kernels.push_back(c.plan.asked.text());
    return kernels;
}

/// Names of the style sheet's colours.
std::string colour_name(const std::string& kernel, std::size_t index) {
    return kernel == "naive" || kernel == "fused" ? kernel : fmt::format("other{}", index % 4);
}

Json kernels_json(const Report& report, const std::vector<std::string>& kernels) {
    Json array = Json::array();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        std::string variant;
        for (const CaseResult& c : report.cases)
            if (c.plan.asked.text() == kernels[k] && variant.empty()) variant = variant_of(c);
        array.push_back(
            {{"name", kernels[k]}, {"variant", variant}, {"colour", colour_name(kernels[k], k)}});
    }
    return array;
}

struct Axis {
    const char* id;
    const char* name;
    bool numeric;
    std::string (*value)(const CaseResult&);
};

using C = const CaseResult&;
constexpr std::array axes{
    Axis{"pass", "pass", false, [](C c) -> std::string { return name(c.plan.problem.pass); }},
    Axis{"dtype", "dtype", false, [](C c) -> std::string { return name(c.plan.problem.dtype); }},
    Axis{"mask", "mask", false, [](C c) -> std::string { return name(c.plan.problem.mask); }},
    Axis{"d", "d", true, [](C c) { return std::to_string(c.plan.problem.head_dim); }},
    Axis{"heads", "b x h", false, [](C c) { return batch_heads_text(c.plan.problem); }},
    Axis{"cache", "cache", false, [](C c) -> std::string { return name(c.plan.cache); }},
    Axis{"kernel", "kernel", false, [](C c) { return c.plan.asked.text(); }},
};

/// Batch and heads that follow from N and d are no axis.
bool is_axis(const Report& report, const Axis& axis) {
    return std::string_view(axis.id) != "heads" || varying_axes(report).batch_heads;
}

Json axes_json(const Report& report) {
    Json array = Json::array();
    for (const Axis& axis : axes) {
        if (!is_axis(report, axis)) continue;
        std::vector<std::string> values;
        for (const CaseResult& c : report.cases)
            if (std::find(values.begin(), values.end(), axis.value(c)) == values.end())
                values.push_back(axis.value(c));
        array.push_back(
            {{"id", axis.id}, {"name", axis.name}, {"numeric", axis.numeric}, {"values", values}});
    }
    return array;
}

Json series_json(const Report& report, const Plot& plot) {
    Json array = Json::array();
    for (const Series& s : plot.series) {
        Json cases = Json::array();
        for (const CaseResult* c : s.cases) cases.push_back(c - report.cases.data());
        array.push_back(
            {{"kernel", s.kernel}, {"shape", s.shape}, {"label", s.label}, {"cases", cases}});
    }
    return array;
}

Json quantities_json(const std::string& memory) {
    const auto row = [](const char* id, const std::string& name, const std::string& title,
                        const std::string& note, bool slopes, bool roof) {
        return Json{{"id", id},     {"name", name},     {"title", title},
                    {"note", note}, {"slopes", slopes}, {"roof", roof}};
    };
    const std::string of_head = "Of one head: a batch that shrinks as N grows changes nothing. ";
    return Json::array(
        {row("rate", "FLOP/s", "Useful FLOP/s", "The line is the highest compute roof.", false,
             true),
         row("bytes", "Bytes", memory + " bytes a head", of_head + "Dashed: the model.", true,
             false),
         row("flops", "FLOPs", "FLOPs a head",
             of_head + "Marks: executed where counted (filled). Dashed: useful.", true, false),
         row("footprint", "Footprint", "Bytes allocated a head", of_head + "Modelled.", true,
             false),
         row("time", "Time", "Seconds a head", of_head + "Measured.", true, false)});
}

Json quantity(double value, Source source) {
    return {{"value", number(value)}, {"source", name(source)}};
}

Json quantity(double value, Source source, double model) {
    Json json = quantity(value, source);
    json["model"] = number(model);
    return json;
}

/// What grows with N: of one head where batch and heads would blur it.
void add_quantities(Json& json, const CaseResult& c) {
    if (!drawable(c)) return;
    const double heads = static_cast<double>(c.plan.problem.batch * c.plan.problem.heads);
    const double model_bytes = static_cast<double>(c.modelled.total()) / heads;
    const double useful = c.useful_flops / heads;
    json["rate"] = quantity(c.point->achieved_flops_per_s, Source::measured);
    json["bytes"] = quantity(c.point->hbm_bytes / heads, c.point->bytes_source, model_bytes);
    const auto executed = c.counted.executed_flops();
    json["flops"] = executed ? quantity(*executed / heads, Source::counted, useful)
                             : quantity(useful, Source::modelled, useful);
    json["footprint"] = quantity(static_cast<double>(c.footprint_bytes) / heads, Source::modelled);
    if (c.time) json["time"] = quantity(c.time->median_s / heads, Source::measured);
}

Json level_json(const std::optional<Point>& p) {
    if (!p) return nullptr;
    return {{"bytes", p->hbm_bytes},
            {"source", name(p->bytes_source)},
            {"kind", p->bytes_kind},
            {"intensity", p->intensity_flop_per_byte},
            {"flops_per_s", shown_flops_per_s(*p)},
            {"roof", roof_name(*p)},
            {"fraction", number(p->fraction_of_roof)},
            {"bound", name(p->bound)}};
}

/// What the text filter looks through.
std::string search_text(const CaseResult& c) {
    std::string text = fmt::format("{} {} {}", c.plan.id, variant_of(c), name(c.plan.status));
    if (c.point) text += fmt::format(" {} {}", roof_name(*c.point), name(c.point->bound));
    text += fmt::format(" n={} d={}", c.plan.problem.q_len, c.plan.problem.head_dim);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
    return text;
}

Json cases_json(const Report& report, const std::vector<MemoryLevel>& levels,
                const std::vector<std::string>& kernels) {
    Json array = Json::array();
    for (std::size_t i = 0; i < report.cases.size(); ++i) {
        const CaseResult& c = report.cases[i];
        const AttentionProblem& p = c.plan.problem;
        Json of_axes = Json::object(), points = Json::array();
        for (const Axis& axis : axes) of_axes[axis.id] = axis.value(c);
        for (const MemoryLevel& level : levels) points.push_back(level_json(level.points[i].point));
        const bool square = p.q_len == p.kv_len;
        Json json{{"kernel", std::find(kernels.begin(), kernels.end(), c.plan.asked.text()) -
                                 kernels.begin()},
                  {"axes", of_axes},
                  {"search", search_text(c)},
                  {"length", square ? short_length(p.q_len)
                                    : short_length(p.q_len) + "x" + short_length(p.kv_len)},
                  {"n", square ? Json(p.q_len) : Json()},
                  {"pairs", static_cast<double>(p.q_len) * static_cast<double>(p.kv_len)},
                  {"levels", points}};
        add_quantities(json, c);
        array.push_back(std::move(json));
    }
    return array;
}

Json lesson_json(const Report& report) {
    Json array = Json::array();
    for (const LessonStep& step : lesson_of(report)) {
        Json findings = Json::array();
        for (const Finding* f : step.findings) findings.push_back(f - report.findings.data());
        array.push_back({{"title", step.title},
                         {"claim", step.claim},
                         {"verdict", step.verdict},
                         {"chart", step.chart},
                         {"findings", findings}});
    }
    return array;
}

Json warnings_json(const Report& report) {
    Json array = Json::array();
    for (const auto& [text, cases] : grouped_warnings(report))
        array.push_back({{"cases", cases}, {"text", text}});
    return array;
}

Json levels_json(const std::vector<MemoryLevel>& levels) {
    Json array = Json::array();
    for (const MemoryLevel& level : levels)
        array.push_back(
            {{"id", level.id}, {"name", level.name}, {"roofs", roofs_json(level.roofs)}});
    return array;
}

}  // namespace

Json html_view(const Report& report) {
    const Plot plot = plot_of(report);
    const std::vector<MemoryLevel> levels = memory_levels(report, plot);
    const std::vector<std::string> kernels = kernels_of(report, plot);
    return {{"title", report_title(report)},
            {"subtitle", common_axes(report)},
            {"tally", tally(report)},
            {"warnings", warnings_json(report)},
            {"counted", plot.counted},
            {"modelled", plot.modelled},
            {"levels", levels_json(levels)},
            {"compute", roofs_json(plot.compute)},
            {"kernels", kernels_json(report, kernels)},
            {"shapes", plot.shapes},
            {"series", series_json(report, plot)},
            {"axes", axes_json(report)},
            {"quantities", quantities_json(memory_name(report))},
            {"cases", cases_json(report, levels, kernels)},
            {"lesson", lesson_json(report)}};
}

}  // namespace attnroof
