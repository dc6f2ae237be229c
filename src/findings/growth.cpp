#include "findings/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "findings/fit.h"
#include "findings/series.h"
#include "kernels/registry.h"
#include "report/units.h"

namespace attnroof {
namespace {

/// Something that grows with N, as counted and as modelled. No value: not known.
struct Quantity {
    const char* id;
    const char* counted_name;
    const char* modelled_name;
    const char* verb;
    bool steps_at_cache;
    std::optional<double> (*counted)(const CaseResult&);
    double (*modelled)(const CaseResult&);
};

std::optional<double> counted_bytes(const CaseResult& c) {
    if (!c.point || c.point->bytes_source != Source::counted) return std::nullopt;
    return c.point->hbm_bytes;
}

constexpr Quantity quantities[] = {
    {"flops", "executed FLOPs", "FLOPs", "grow", false,
     [](const CaseResult& c) { return c.counted.executed_flops(); },
     [](const CaseResult& c) { return c.useful_flops; }},
    {"bytes", "bytes through memory", "bytes through memory", "grow", true, counted_bytes,
     [](const CaseResult& c) { return static_cast<double>(c.modelled.total()); }},
    {"footprint", "footprint", "footprint", "grows", false,
     [](const CaseResult&) -> std::optional<double> { return std::nullopt; },
     [](const CaseResult& c) { return static_cast<double>(c.footprint_bytes); }},
};

/// False where a kernel's scores stay in the cache, wholly or in part: bytes take a step where they
/// leave it, and a fit across the step is the exponent of neither side. The model says which; the
/// smaller cache that it is asked about still holds the keys and values of a head.
bool scores_leave(const CaseResult& c, std::int64_t cache) {
    const KernelRow* kernel = c.plan.kernel;
    const AttentionProblem& p = c.plan.problem;
    if (!kernel || kernel->workspace_bytes(p) == 0) return true;
    if (kernel->workspace_bytes(p) <= cache) return false;
    const std::int64_t head = 2 * kv_bytes(p) / (p.batch * p.kv_heads);
    return modelled_traffic(*kernel, p, cache).total() ==
           modelled_traffic(*kernel, p, std::min(cache, head)).total();
}

/// How many lengths were asked for, whatever came of their cases.
std::size_t lengths_asked(const Report& report) {
    std::set<std::int64_t> lengths;
    for (const CaseResult& c : report.cases)
        if (square(c)) lengths.insert(length(c));
    return lengths.size();
}

template <class Value>
std::optional<Exponent> fit(const std::vector<const Series*>& series, Value value) {
    std::vector<std::vector<Sample>> groups;
    for (const Series* s : series) {
        std::vector<Sample>& group = groups.emplace_back();
        for (const CaseResult* c : s->cases)
            if (const std::optional<double> y = value(*c); y && *y > 0 && square(*c))
                group.push_back({static_cast<double>(length(*c)), *y / heads_of(*c)});
    }
    return fit_exponent(groups);
}

/// What is said in place of an exponent when the points that one could be fitted to are too few.
Finding no_exponent(const std::string& id, const std::string& kernel) {
    return {id,
            fmt::format("{}: no exponent of its bytes through memory: they take a step where the "
                        "scores leave the cache, and no series has three lengths beyond it",
                        kernel),
            std::numeric_limits<double>::quiet_NaN(), "exponent of N", std::nullopt};
}

std::optional<Finding> growth(const Quantity& q, const std::string& kernel,
                              const std::vector<const Series*>& series, std::int64_t cache) {
    std::size_t left_out = 0;
    const auto one_side = [&](const CaseResult& c) {
        return !q.steps_at_cache || scores_leave(c, cache);
    };
    const auto modelled = fit(series, [&](const CaseResult& c) -> std::optional<double> {
        if (one_side(c)) return q.modelled(c);
        ++left_out;
        return std::nullopt;
    });
    const auto counted =
        fit(series, [&](const CaseResult& c) { return one_side(c) ? q.counted(c) : std::nullopt; });
    const std::string id = fmt::format("exponent.{}.{}", q.id, kernel);
    const auto& shown = counted ? counted : modelled;
    if (!shown) return left_out > 0 ? std::optional(no_exponent(id, kernel)) : std::nullopt;
    std::string note = counted ? "counted" : "modelled, not counted";
    if (counted && modelled) note += fmt::format("; the model: {:.2f}", modelled->value);
    // Points of a formula are no sample of anything.
    const std::string interval =
        counted ? fmt::format("95 % interval {:.2f} to {:.2f}, ", shown->low, shown->high) : "";
    return Finding{
        id,
        fmt::format("{}: {} of one head {} as N^{:.2f} ({}{} points{}; {})", kernel,
                    counted ? q.counted_name : q.modelled_name, q.verb, shown->value, interval,
                    shown->points, left_out > 0 ? " whose scores leave the cache" : "", note),
        shown->value, "exponent of N",
        counted ? std::optional(FindingInterval{shown->low, shown->high}) : std::nullopt};
}

std::vector<Finding> exponents(const Report& report, const Plot& plot) {
    std::vector<Finding> all;
    if (lengths_asked(report) < 3) return all;
    for (const Quantity& q : quantities)
        for (std::size_t k = 0; k < plot.kernels.size(); ++k)
            if (auto finding =
                    growth(q, plot.kernels[k], series_of(plot, k), report.device.cache_bytes))
                all.push_back(std::move(*finding));
    return all;
}

/// How much of the scores' traffic went through memory: 0 they stayed in the cache, 1 all of it.
std::optional<double> spilled_share(const CaseResult& c) {
    const auto bytes = counted_bytes(c);
    if (!bytes || !c.plan.kernel || !square(c)) return std::nullopt;
    constexpr auto endless = std::numeric_limits<std::int64_t>::max();
    const auto total = [&](std::int64_t cache) {
        return static_cast<double>(modelled_traffic(*c.plan.kernel, c.plan.problem, cache).total());
    };
    const double inside = total(endless), outside = total(0);
    if (c.plan.kernel->workspace_bytes(c.plan.problem) == 0 || outside <= inside)
        return std::nullopt;
    return (*bytes - inside) / (outside - inside);
}

/// Where a series crosses one half: the last N below it and the first above.
struct Crossing {
    const CaseResult* before = nullptr;
    const CaseResult* after = nullptr;
};

Crossing crossing(const Series& series) {
    Crossing found;
    for (const CaseResult* c : series.cases) {
        const auto share = spilled_share(*c);
        if (!share) continue;
        if (*share > 0.5) {
            found.after = c;
            break;
        }
        found.before = c;
    }
    return found;
}

std::string size_of_scores(const CaseResult& c) {
    return si(static_cast<double>(score_bytes(c.plan.problem, bytes_of(c.plan.problem.dtype))),
              "B");
}

/// The earliest crossing of a kernel's series.
std::optional<Finding> leaves_cache(const Report& report, const std::string& kernel,
                                    const std::vector<const Series*>& series) {
    Crossing first;
    for (const Series* s : series) {
        const Crossing here = crossing(*s);
        const bool earlier =
            here.after && (!first.after || length(*here.after) < length(*first.after));
        if (earlier || (!first.after && here.before)) first = here;
    }
    if (!first.before && !first.after) return std::nullopt;
    const bool gpu = report.device.kind == DeviceKind::cuda;
    const std::string cache = fmt::format(
        "the {} {}", si(static_cast<double>(report.device.cache_bytes), "B"), gpu ? "L2" : "L3");
    Finding finding{"score_leaves_cache." + kernel, "", std::numeric_limits<double>::quiet_NaN(),
                    "N", std::nullopt};
    if (!first.after) {
        finding.text = fmt::format("{}: the score matrix stays in {} up to N={} ({})", kernel,
                                   cache, length(*first.before), size_of_scores(*first.before));
        return finding;
    }
    finding.value = static_cast<double>(length(*first.after));
    finding.text = fmt::format("{}: the score matrix ({} at N={}) has left {} ", kernel,
                               size_of_scores(*first.after), length(*first.after), cache);
    if (first.before) {
        finding.interval =
            FindingInterval{static_cast<double>(length(*first.before)), finding.value};
        finding.text += fmt::format("between N={} and N={}, as counted", length(*first.before),
                                    length(*first.after));
    } else {
        finding.text += "at the smallest N already, as counted";
    }
    return finding;
}

/// The claim's own size, and what the counters saw the first step write at the largest N.
std::vector<Finding> score_sizes(const Plot& plot) {
    AttentionProblem p;
    p.dtype = DType::bf16;
    const auto bytes = [&](std::int64_t n) {
        p.q_len = p.kv_len = n;
        return static_cast<double>(score_bytes(p, bytes_of(p.dtype)));
    };
    const double decimal = bytes(64000), binary = bytes(65536);
    std::vector<Finding> all{
        {"score_bytes.64k",
         fmt::format("S of 64,000 x 64,000 in 16 bit takes {:.1f} GB a head, of 65,536 x 65,536 "
                     "{:.1f} GB (N x N x 2 bytes)",
                     decimal / 1e9, binary / 1e9),
         decimal, "byte", FindingInterval{decimal, binary}}};
    const CaseResult* largest = nullptr;
    for (const Series& s : plot.series)
        for (const CaseResult* c : s.cases)
            if (!c->counted.steps.empty() && (!largest || length(*c) > length(*largest)))
                largest = c;
    if (!largest) return all;
    const CounterSet& scores = largest->counted.steps.front().counters;
    const auto written = scores.find(Counter::hbm_write_bytes);
    if (written == scores.end() || !written->second.value) return all;
    all.push_back({"score_bytes.counted",
                   fmt::format("{}: at N={} the step \"{}\" wrote {} to memory, as counted; S of "
                               "{:.0f} heads is {}",
                               largest->plan.asked.text(), length(*largest),
                               largest->counted.steps.front().name, si(*written->second.value, "B"),
                               heads_of(*largest), size_of_scores(*largest)),
                   *written->second.value, "byte", std::nullopt});
    return all;
}

}  // namespace

std::vector<Finding> growth_findings(const Report& report, const Plot& plot) {
    std::vector<Finding> all = exponents(report, plot);
    if (!report.config.lesson) return all;
    for (Finding& finding : score_sizes(plot)) all.push_back(std::move(finding));
    return all;
}

std::vector<Finding> cache_findings(const Report& report, const Plot& plot) {
    std::vector<Finding> all;
    for (std::size_t k = 0; k < plot.kernels.size(); ++k)
        if (auto finding = leaves_cache(report, plot.kernels[k], series_of(plot, k)))
            all.push_back(std::move(*finding));
    return all;
}

}  // namespace attnroof
