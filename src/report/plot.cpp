#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "kernels/model.h"
#include "report/axes.h"
#include "report/units.h"

namespace attnroof {
namespace {

/// A second roof closer than this to the main one would only blur it.
constexpr double worth_drawing = 1.3;

/// "hbm.copy" -> "HBM copy", "tensor.bf16" -> "tensor bf16".
std::string title_of(const std::string& id) {
    std::string title = id;
    std::replace(title.begin(), title.end(), '.', ' ');
    for (const auto& [from, to] : {std::pair{"hbm", "HBM"}, {"dram", "DRAM"}, {"fma", "FMA"}})
        if (title.starts_with(from)) title.replace(0, std::string(from).size(), to);
    return title;
}

std::string label_of(const Ceiling& c) {
    return fmt::format("{} {}", title_of(c.id), spoken(c.value, c.unit));
}

bool usable(const Ceiling& c) { return std::isfinite(c.value) && c.value > 0; }

const Ceiling* find(const Report& report, const std::string& id, CeilingMode mode) {
    for (const Ceiling& c : report.ceilings)
        if (c.id == id && c.mode == mode && usable(c)) return &c;
    return nullptr;
}

std::vector<Roof> memory_roofs(const Report& report) {
    std::vector<Roof> roofs;
    for (const char* id : {"hbm.copy", "dram.copy", "hbm.read", "dram.read"}) {
        const Ceiling* c = find(report, id, CeilingMode::burst);
        if (!c) continue;
        if (roofs.empty())
            roofs.push_back({label_of(*c), c->value, true});
        else if (c->value > worth_drawing * roofs.front().value)
            roofs.push_back({label_of(*c), c->value, false});
    }
    return roofs;
}

/// Roofs that the cases' dtypes are held against, burst and sustained, and FMA for comparison.
std::vector<Roof> dtype_roofs(const Report& report) {
    std::set<std::string> ids;
    for (const CaseResult& c : report.cases)
        if (const auto id = compute_ceiling(report.ceilings, c.plan.problem.dtype); !id.empty())
            ids.insert(id);
    if (ids.empty())
        for (DType dtype : report.config.dtypes)
            ids.insert(compute_ceiling(report.ceilings, dtype));
    std::vector<Roof> roofs;
    for (const std::string& id : ids) {
        if (const Ceiling* c = find(report, id, CeilingMode::burst))
            roofs.push_back({label_of(*c), c->value, false});
        if (const Ceiling* c = find(report, id, CeilingMode::sustained))
            roofs.push_back({fmt::format("{}sustained {}",
                                         ids.size() > 1 ? id.substr(id.find('.') + 1) + " " : "",
                                         spoken(c->value, c->unit)),
                             c->value, false});
    }
    const Ceiling* fma = find(report, "fma.fp32", CeilingMode::burst);
    if (fma && !ids.contains(fma->id)) roofs.push_back({label_of(*fma), fma->value, false});
    return roofs;
}

/// One exponential a visible score: rate x FLOPs per score. Only where it comes near the others.
std::vector<Roof> exp_roofs(const Report& report, double highest) {
    const Ceiling* exp = find(report, "exp", CeilingMode::burst);
    std::vector<Roof> roofs;
    std::set<std::pair<Pass, std::int64_t>> seen;
    for (const CaseResult& c : report.cases) {
        const AttentionProblem& p = c.plan.problem;
        if (!exp || !drawable(c) || !seen.emplace(p.pass, p.head_dim).second) continue;
        AttentionProblem score = p;
        score.batch = score.heads = score.q_len = score.kv_len = 1;
        const double value = exp->value * useful_flops(score);
        if (value > worth_drawing * highest) continue;
        roofs.push_back(
            {fmt::format("exp, d={} {}", p.head_dim, si(value, "FLOP/s")), value, false});
    }
    return roofs;
}

std::vector<Roof> compute_roofs(const Report& report) {
    std::vector<Roof> roofs = dtype_roofs(report);
    const auto higher = [](const Roof& a, const Roof& b) { return a.value > b.value; };
    std::sort(roofs.begin(), roofs.end(), higher);
    if (roofs.empty()) return roofs;
    roofs.front().main = true;
    for (Roof& roof : exp_roofs(report, roofs.front().value)) roofs.push_back(std::move(roof));
    std::sort(roofs.begin(), roofs.end(), higher);
    return roofs;
}

std::size_t index_of(std::vector<std::string>& list, const std::string& item) {
    const auto found = std::find(list.begin(), list.end(), item);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    list.push_back(item);
    return list.size() - 1;
}

std::string shape_of(const CaseResult& c, const VaryingAxes& axes) {
    const AttentionProblem& p = c.plan.problem;
    return axes.dtype ? fmt::format("{} {}", name(p.dtype), name(p.mask)) : name(p.mask);
}

std::string series_label(const CaseResult& c, const VaryingAxes& axes) {
    const AttentionProblem& p = c.plan.problem;
    std::string label;
    const auto add = [&](bool shown, const std::string& text) {
        if (shown) label.append(label.empty() ? 0 : 1, ' ') += text;
    };
    add(axes.pass, name(p.pass));
    add(axes.head_dim, fmt::format("d={}", p.head_dim));
    add(axes.batch_heads, batch_heads_text(p));
    add(axes.cache, name(c.plan.cache));
    return label;
}

void add_to_series(Plot& plot, const CaseResult& c, const VaryingAxes& axes) {
    const std::size_t kernel = index_of(plot.kernels, c.plan.asked.text());
    const std::size_t shape = index_of(plot.shapes, shape_of(c, axes));
    const std::string label = series_label(c, axes);
    for (Series& s : plot.series)
        if (std::tie(s.kernel, s.shape, s.label) == std::tie(kernel, shape, label)) {
            s.cases.push_back(&c);
            return;
        }
    plot.series.push_back({{&c}, {}, kernel, shape, label});
}

const Roof* main_of(const std::vector<Roof>& roofs) {
    const auto found =
        std::find_if(roofs.begin(), roofs.end(), [](const Roof& roof) { return roof.main; });
    return found == roofs.end() ? nullptr : &*found;
}

}  // namespace

const Roof* Plot::memory_roof() const { return main_of(memory); }
const Roof* Plot::compute_roof() const { return main_of(compute); }

double Plot::ridge() const {
    return memory_roof() && compute_roof() ? compute_roof()->value / memory_roof()->value : 0;
}

bool drawable(const CaseResult& c) {
    if (c.plan.status != Status::ok || !c.point) return false;
    const double x = c.point->intensity_flop_per_byte, y = shown_flops_per_s(*c.point);
    return std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0;
}

Plot plot_of(const Report& report) {
    Plot plot;
    plot.memory = memory_roofs(report);
    plot.compute = compute_roofs(report);
    const VaryingAxes axes = varying_axes(report);
    for (const CaseResult& c : report.cases) {
        if (!drawable(c)) continue;
        add_to_series(plot, c, axes);
        (c.point->bytes_source == Source::counted ? plot.counted : plot.modelled) = true;
    }
    const auto shorter = [](const CaseResult* a, const CaseResult* b) {
        return a->plan.problem.score_elements() / (a->plan.problem.batch * a->plan.problem.heads) <
               b->plan.problem.score_elements() / (b->plan.problem.batch * b->plan.problem.heads);
    };
    for (Series& s : plot.series) {
        std::stable_sort(s.cases.begin(), s.cases.end(), shorter);
        for (const CaseResult* c : s.cases) s.points.push_back(*c->point);
    }
    return plot;
}

}  // namespace attnroof
