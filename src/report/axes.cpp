#include "report/axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace attnroof {
namespace {

/// True when `value` differs between two cases of the report.
template <class Value>
bool varies(const Report& report, Value value) {
    return std::any_of(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
        return value(c.plan) != value(report.cases.front().plan);
    });
}

void add(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ");
    list += item;
}

}  // namespace

VaryingAxes varying_axes(const Report& report) {
    VaryingAxes axes;
    axes.pass = varies(report, [](const Case& c) { return c.problem.pass; });
    axes.dtype = varies(report, [](const Case& c) { return c.problem.dtype; });
    axes.mask = varies(report, [](const Case& c) { return c.problem.mask; });
    axes.head_dim = varies(report, [](const Case& c) { return c.problem.head_dim; });
    axes.cache = varies(report, [](const Case& c) { return c.cache; });
    const bool derived = report.config.tokens || report.config.hidden;
    axes.batch_heads = !derived && varies(report, [](const Case& c) {
        return std::array{c.problem.batch, c.problem.heads, c.problem.kv_heads};
    });
    return axes;
}

std::string common_axes(const Report& report) {
    if (report.cases.empty()) return "";
    const VaryingAxes axes = varying_axes(report);
    const Case& first = report.cases.front().plan;
    const AttentionProblem& p = first.problem;
    std::string list;
    if (!axes.pass) add(list, name(p.pass));
    if (!axes.dtype) add(list, name(p.dtype));
    if (!axes.mask) add(list, fmt::format("{} mask", name(p.mask)));
    if (!axes.head_dim) add(list, fmt::format("d = {}", p.head_dim));
    if (report.config.tokens) add(list, fmt::format("{} tokens", *report.config.tokens));
    if (report.config.hidden) add(list, fmt::format("hidden {}", *report.config.hidden));
    if (!axes.batch_heads && !report.config.tokens && !report.config.hidden)
        add(list, fmt::format("batch x heads {}", batch_heads_text(p)));
    if (!axes.cache) add(list, fmt::format("{} cache", name(first.cache)));
    return list;
}

std::string length_text(const AttentionProblem& p) {
    return p.q_len == p.kv_len ? std::to_string(p.q_len)
                               : fmt::format("{} x {}", p.q_len, p.kv_len);
}

std::string batch_heads_text(const AttentionProblem& p) {
    return p.heads == p.kv_heads ? fmt::format("{} x {}", p.batch, p.heads)
                                 : fmt::format("{} x {}/{}", p.batch, p.heads, p.kv_heads);
}

std::string kernels_text(const Report& report) {
    std::vector<std::string> kernels;
    for (const CaseResult& c : report.cases) {
        if (variant_of(c).empty()) continue;
        const std::string kernel = fmt::format("{} ({})", c.plan.asked.name, variant_of(c));
        if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
            kernels.push_back(kernel);
    }
    return fmt::format("{}", fmt::join(kernels, ", "));
}

std::string tally(const Report& report) {
    std::string text =
        fmt::format("{} case{}", report.cases.size(), report.cases.size() == 1 ? "" : "s");
    std::string separator = ": ";
    for (std::size_t s = 0; s < status_names.size(); ++s) {
        const auto count = std::count_if(
            report.cases.begin(), report.cases.end(),
            [&](const CaseResult& c) { return c.plan.status == static_cast<Status>(s); });
        if (count == 0) continue;
        text += fmt::format("{}{} {}", separator, count, status_names[s]);
        separator = ", ";
    }
    return text;
}

std::string report_title(const Report& report) {
    return (report.prediction ? "Predicted attention roofline, " : "Attention roofline, ") +
           report.device.name;
}

}  // namespace attnroof
