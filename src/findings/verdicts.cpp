#include "findings/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "findings/series.h"
#include "report/units.h"

namespace attnroof {
namespace {

struct Range {
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    FindingInterval interval() const { return {low, high}; }
};

std::string percents(const Range& range) {
    const std::string low = percent(range.low);
    const std::string high = percent(range.high);
    return low == high ? low + " %" : fmt::format("{} to {} %", low, high);
}

/// "2.54x", or "2.54x to 8.03x".
std::string factors(const Range& range) {
    const std::string low = significant(range.low) + "x", high = significant(range.high) + "x";
    return low == high ? low : low + " to " + high;
}

/// Two cases of one problem: how much faster the second is.
struct Pair {
    const CaseResult* base;
    const CaseResult* other;
    double speedup() const { return base->time->median_s / other->time->median_s; }
};

const CaseResult* partner(const std::vector<const CaseResult*>& bases, const CaseResult& other) {
    const auto found = std::find_if(bases.begin(), bases.end(), [&](const CaseResult* c) {
        return c->plan.problem == other.plan.problem && c->plan.cache == other.plan.cache;
    });
    return found == bases.end() ? nullptr : *found;
}

std::vector<Pair> pairs(const std::vector<const CaseResult*>& bases, const Series& series) {
    std::vector<Pair> all;
    for (const CaseResult* c : series.cases)
        if (const CaseResult* base = partner(bases, *c); base && square(*c)) {
            const Pair pair{base, c};
            if (std::isfinite(pair.speedup())) all.push_back(pair);
        }
    return all;
}

/// The length from which on every pair is won; empty when the last one is lost.
const Pair* first_of_wins(const std::vector<Pair>& all) {
    const Pair* first = nullptr;
    for (auto pair = all.rbegin(); pair != all.rend() && pair->speedup() > 1; ++pair)
        first = &*pair;
    return first;
}

/// One kernel against naive, all its series together.
struct Contest {
    std::vector<std::vector<Pair>> series;
    Range wins_from, speedup;  // over the series; speedup at each one's largest N
    std::size_t won = 0;       // series that are won at their largest N
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max(), largest = 0;
};

Contest contest(const std::vector<const CaseResult*>& bases,
                const std::vector<const Series*>& others) {
    Contest c;
    for (const Series* s : others) {
        std::vector<Pair> all = pairs(bases, *s);
        if (all.empty()) continue;
        c.smallest = std::min(c.smallest, length(*all.front().other));
        c.largest = std::max(c.largest, length(*all.back().other));
        c.speedup.include(all.back().speedup());
        if (const Pair* first = first_of_wins(all)) {
            c.wins_from.include(static_cast<double>(length(*first->other)));
            ++c.won;
        }
        c.series.push_back(std::move(all));
    }
    return c;
}

std::string wins_text(const std::string& kernel, const Contest& c) {
    if (c.won == 0)
        return fmt::format("{}: not faster than naive at the largest N, {}", kernel, c.largest);
    const std::string low = fmt::format("{:.0f}", c.wins_from.low);
    const std::string high = fmt::format("{:.0f}", c.wins_from.high);
    std::string text = kernel + ": faster than naive ";
    if (c.wins_from.high <= static_cast<double>(c.smallest))
        text += fmt::format("at every N, from {} up", low);
    else if (low == high)
        text += fmt::format("from N={} up", low);
    else
        text += fmt::format("from N={} up at best, from N={} up at worst", low, high);
    if (c.series.size() > 1) text += fmt::format(", in {} of {} series", c.won, c.series.size());
    return text;
}

void add_contest(std::vector<Finding>& all, const std::string& kernel, const Contest& c) {
    if (c.series.empty()) return;
    Finding from{"wins_from." + kernel, wins_text(kernel, c),
                 std::numeric_limits<double>::quiet_NaN(), "N", std::nullopt};
    if (c.won > 0) {
        from.value = c.wins_from.high;
        from.interval = c.wins_from.interval();
    }
    all.push_back(std::move(from));
    all.push_back({"speedup." + kernel,
                   fmt::format("{}: {} the speed of naive at the largest N, {}", kernel,
                               factors(c.speedup), c.largest),
                   c.speedup.low, "x", c.speedup.interval()});
}

std::optional<Finding> excess(const Plot& plot, std::size_t kernel) {
    const CaseResult* worst = nullptr;
    const auto ratio = [](const CaseResult& c) {
        return c.point->hbm_bytes / static_cast<double>(c.modelled.total());
    };
    for (const CaseResult* c : cases_of(plot, kernel))
        if (c->point->bytes_source == Source::counted && c->modelled.total() > 0 &&
            (!worst || ratio(*c) > ratio(*worst)))
            worst = c;
    if (!worst) return std::nullopt;
    return Finding{"excess_bytes." + plot.kernels[kernel],
                   fmt::format("{}: at most {}x the bytes of the model ({}: {} counted, {} "
                               "modelled)",
                               plot.kernels[kernel], significant(ratio(*worst)),
                               case_text(plot, *worst), si(worst->point->hbm_bytes, "B"),
                               si(static_cast<double>(worst->modelled.total()), "B")),
                   ratio(*worst), "counted/modelled", std::nullopt};
}

/// Tile waste: FLOPs that were executed and that nobody needs.
std::optional<Finding> waste(const Plot& plot, std::size_t kernel) {
    const CaseResult* worst = nullptr;
    Range range;
    for (const CaseResult* c : cases_of(plot, kernel)) {
        const auto executed = c->counted.executed_flops();
        if (!executed || *executed <= 0) continue;
        const double useful = c->useful_flops / *executed;
        if (useful < range.low) worst = c;
        range.include(useful);
    }
    if (!worst) return std::nullopt;
    return Finding{"useful_per_executed." + plot.kernels[kernel],
                   fmt::format("{}: {} of the executed FLOPs are useful, least at {}",
                               plot.kernels[kernel], percents(range), case_text(plot, *worst)),
                   range.low, "useful/executed", range.interval()};
}

std::string bound_text(Bound bound) {
    if (bound == Bound::latency) return "bound by latency (the launch of a kernel)";
    if (bound == Bound::neither)
        return fmt::format("bound by neither roof (below {} %)", percent(bound_share));
    return std::string("bound by ") + name(bound);
}

constexpr double unsteady_spread = 0.2;  // shares of a roof are read to a few per cent

bool holds_a_point(const Report& report, const Ceiling& ceiling) {
    return std::any_of(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
        return c.point && c.point->ceiling == ceiling.id && c.point->ceiling_mode == ceiling.mode;
    });
}

/// Ceilings whose own samples lie far apart (spread_of), of those that a point is held to.
std::vector<Finding> unsteady_ceilings(const Report& report) {
    std::vector<Finding> all;
    for (const Ceiling& c : report.ceilings) {
        if (c.spread <= unsteady_spread || !holds_a_point(report, c)) continue;
        const bool sustained = c.mode == CeilingMode::sustained;
        all.push_back({"ceilings.unsteady." + c.id + (sustained ? ".sustained" : ""),
                       fmt::format("{}: half of its samples lie more than {:.0f} % off; on a "
                                   "machine as busy as that, shares of this roof say little",
                                   roof_name(c.id, c.mode), 100 * c.spread),
                       c.spread, "of the fastest", std::nullopt});
    }
    return all;
}

}  // namespace

std::vector<Finding> ceiling_findings(const Report& report) {
    const auto text = [&](const std::string& id, CeilingMode mode) {
        for (const Ceiling& c : report.ceilings)
            if (c.id == id && c.mode == mode)
                return fmt::format("{} {}", id, spoken(c.value, c.unit));
        return id;
    };
    std::vector<Finding> all;
    for (const Contradiction& doubt : contradictions(report.ceilings)) {
        const bool sustained = doubt.lower == "its burst";
        all.push_back(
            {"ceilings.contradict." + doubt.higher,
             fmt::format(
                 "ceilings contradict each other: {}{} is above {}, which cannot "
                 "be; the machine was disturbed or hides its memory (a virtual "
                 "machine), and shares of these roofs are doubtful",
                 text(doubt.higher, sustained ? CeilingMode::sustained : CeilingMode::burst),
                 sustained ? " sustained" : "",
                 text(sustained ? doubt.higher : doubt.lower, CeilingMode::burst)),
             doubt.ratio, "x", std::nullopt});
    }
    const std::vector<Finding> unsteady = unsteady_ceilings(report);
    all.insert(all.end(), unsteady.begin(), unsteady.end());
    return all;
}

std::vector<Finding> bound_findings(const Plot& plot) {
    std::vector<Finding> all;
    for (std::size_t k = 0; k < plot.kernels.size(); ++k) {
        const std::vector<const CaseResult*> cases = cases_of(plot, k);
        for (Bound bound :
             {Bound::memory, Bound::compute, Bound::exp, Bound::latency, Bound::neither}) {
            Range fraction;
            std::size_t count = 0;
            for (const CaseResult* c : cases) {
                if (c->point->bound != bound || !std::isfinite(c->point->fraction_of_roof))
                    continue;
                fraction.include(c->point->fraction_of_roof);
                ++count;
            }
            if (count == 0) continue;
            all.push_back(
                {fmt::format("bound.{}.{}", plot.kernels[k], name(bound)),
                 fmt::format("{}: {} of {} points {}, at {} of their roof", plot.kernels[k], count,
                             cases.size(), bound_text(bound), percents(fraction)),
                 static_cast<double>(count), "points", std::nullopt});
        }
    }
    return all;
}

std::vector<Finding> compute_roof_findings(const Report& report, const Plot& plot) {
    std::vector<Finding> all;
    for (std::size_t k = 0; k < plot.kernels.size(); ++k) {
        Range first, last;
        std::string roof;
        std::int64_t smallest = 0, largest = 0;
        for (const Series* s : series_of(plot, k)) {
            const CaseResult &from = *s->cases.front(), &to = *s->cases.back();
            const std::string id = compute_ceiling(report.ceilings, to.plan.problem.dtype);
            const auto ceiling = std::find_if(
                report.ceilings.begin(), report.ceilings.end(),
                [&](const Ceiling& c) { return c.id == id && c.mode == CeilingMode::burst; });
            if (ceiling == report.ceilings.end() || s->cases.size() < 2 || !square(to)) continue;
            const double at_first = from.point->achieved_flops_per_s / ceiling->value;
            const double at_last = to.point->achieved_flops_per_s / ceiling->value;
            if (!std::isfinite(at_first + at_last)) continue;
            first.include(at_first);
            last.include(at_last);
            roof = roof.empty() || roof == id ? id : "the compute roof";
            smallest = length(from);
            largest = std::max(largest, length(to));
        }
        if (roof.empty()) continue;
        all.push_back({"compute_roof." + plot.kernels[k],
                       fmt::format("{}: from {} of {} at N={} to {} at N={}", plot.kernels[k],
                                   percents(first), roof, smallest, percents(last), largest),
                       last.high, "fraction", last.interval()});
    }
    return all;
}

std::vector<Finding> speed_findings(const Plot& plot) {
    std::vector<const CaseResult*> bases;
    for (std::size_t k = 0; k < plot.kernels.size(); ++k)
        if (plot.kernels[k] == "naive") bases = cases_of(plot, k);
    std::vector<Finding> all;
    for (std::size_t k = 0; k < plot.kernels.size(); ++k)
        if (plot.kernels[k] != "naive")
            add_contest(all, plot.kernels[k], contest(bases, series_of(plot, k)));
    return all;
}

std::vector<Finding> model_findings(const Plot& plot) {
    std::vector<Finding> all;
    for (const auto& of : {excess, waste})
        for (std::size_t k = 0; k < plot.kernels.size(); ++k)
            if (auto finding = of(plot, k)) all.push_back(std::move(*finding));
    return all;
}

}  // namespace attnroof
