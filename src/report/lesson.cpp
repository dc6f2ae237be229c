#include "report/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/units.h"

namespace attnroof {
namespace {

/// The report's findings, asked by id.
class Found {
  public:
    explicit Found(const Report& report) : report_(report) {}

    const Finding* one(const std::string& id) const {
        const auto found = std::find_if(report_.findings.begin(), report_.findings.end(),
                                        [&](const Finding& f) { return f.id == id; });
        return found == report_.findings.end() ? nullptr : &*found;
    }
    std::vector<const Finding*> all(const std::vector<std::string>& prefixes) const {
        std::vector<const Finding*> list;
        for (const std::string& prefix : prefixes)
            for (const Finding& f : report_.findings)
                if (f.id.starts_with(prefix)) list.push_back(&f);
        return list;
    }
    double value(const std::string& id) const {
        const Finding* f = one(id);
        return f ? f->value : std::nan("");
    }
    bool counted() const { return report_.counters_closed_gate.empty() && any_counted(); }
    double points(const std::string& kernel) const {
        return static_cast<double>(
            std::count_if(report_.cases.begin(), report_.cases.end(), [&](const CaseResult& c) {
                return c.point && c.point->bound && c.plan.asked.text() == kernel;
            }));
    }

  private:
    bool any_counted() const {
        return std::any_of(report_.cases.begin(), report_.cases.end(), [](const CaseResult& c) {
            return c.point && c.point->bytes_source == Source::counted;
        });
    }
    const Report& report_;
};

constexpr const char* not_counted =
    "This machine counted nothing: these figures are closed forms, not measurements.";
constexpr const char* not_measured = "Not measured here.";

std::string exponent_verdict(const Found& found, const std::string& id, double claimed,
                             double slack) {
    const double exponent = found.value(id);
    if (std::isnan(exponent)) return not_measured;
    if (!found.counted()) return not_counted;
    if (std::abs(exponent - claimed) <= slack)
        return fmt::format("Holds here: N^{:.2f}, as counted.", exponent);
    return fmt::format("Only in part here: the counters saw N^{:.2f}.", exponent);
}

std::string scores_verdict(const Found& found) {
    const double exponent = found.value("exponent.footprint.naive");
    if (std::isnan(exponent)) return not_measured;
    return fmt::format("What naive allocates here grows as N^{:.2f}.", exponent);
}

std::string memory_verdict(const Found& found) {
    const double points = found.points("naive");
    const double memory = found.one("bound.naive.memory") ? found.value("bound.naive.memory") : 0;
    if (points == 0) return not_measured;
    if (memory == 0 && !found.one("bound.naive.compute") && !found.one("bound.naive.exp"))
        return "Not shown here: naive attention stays far below every roof of this machine, and "
               "neither memory nor arithmetic holds it up.";
    if (memory == 0)
        return "Not so on this machine: its compute roof is low against its bandwidth, so even "
               "naive attention is not held up by memory. A GPU's tensor cores turn this around.";
    return fmt::format("Holds here for {:.0f} of {:.0f} naive points{}.", memory, points,
                       found.counted() ? ", as counted" : "; their bytes are modelled");
}

/// The best FLOP/s of a kernel's cases at its smallest or largest N.
struct Ends {
    const CaseResult* first = nullptr;
    const CaseResult* last = nullptr;
};

Ends ends_of(const Report& report, const std::string& kernel) {
    Ends ends;
    const auto speed = [](const CaseResult& c) { return c.point->achieved_flops_per_s; };
    const auto length = [](const CaseResult& c) { return c.plan.problem.q_len; };
    for (const CaseResult& c : report.cases) {
        if (!c.point || c.plan.asked.text() != kernel) continue;
        const auto better = [&](const CaseResult* best, bool further) {
            return !best || further || (length(c) == length(*best) && speed(c) > speed(*best));
        };
        if (better(ends.first, ends.first && length(c) < length(*ends.first))) ends.first = &c;
        if (better(ends.last, ends.last && length(c) > length(*ends.last))) ends.last = &c;
    }
    return ends;
}

std::string climb_verdict(const Report& report, const Found& found) {
    const auto [first, last] = ends_of(report, "fused");
    if (!first || first == last) return not_measured;
    const double from = first->point->achieved_flops_per_s;
    const double to = last->point->achieved_flops_per_s;
    std::string text =
        fmt::format("{}: fused goes from {} at N={} to {} at N={}",
                    to > from ? "Holds here" : "Not so on this machine", si(from, "FLOP/s"),
                    first->plan.problem.q_len, si(to, "FLOP/s"), last->plan.problem.q_len);
    const double speedup = found.value("speedup.fused");
    if (!std::isnan(speedup))
        text += fmt::format(", where it is {}x as fast as naive", significant(speedup));
    return text + ".";
}

}  // namespace

std::vector<LessonStep> lesson_of(const Report& report) {
    if (!report.config.lesson) return {};
    const Found found(report);
    return {
        {"The work grows with the square of N.",
         "Every query meets every key: two GEMMs of N x N x d, 4 N^2 d FLOPs a head. Both kernels "
         "do the same work; neither can do with less.",
         exponent_verdict(found, "exponent.flops.naive", 2, 0.1), "flops",
         found.all({"exponent.flops."})},
        {"Standard attention also stores the square of N.",
         "It writes the scores S = Q K^T to memory, reads them for the softmax, writes P and reads "
         "it again. S alone has N x N elements a head.",
         scores_verdict(found), "footprint", found.all({"score_bytes.", "exponent.footprint."})},
        {"So it waits for memory.",
         "In 16 bit about d / 2 FLOPs come on each byte, whatever N is. That is left of the ridge: "
         "the "
         "bandwidth "
         "roof, not the tensor cores, sets the pace once S has left the cache.",
         memory_verdict(found), "roofline",
         found.all({"exponent.bytes.naive", "score_leaves_cache.naive", "bound.naive."})},
        {"Fused attention moves bytes in proportion to N.",
         "FlashAttention keeps a tile of S on the chip, rescales a running softmax and never "
         "stores "
         "S. What must cross memory is Q, K, V and O: 4 N d elements a head.",
         exponent_verdict(found, "exponent.bytes.fused", 1, 0.1), "bytes",
         found.all({"exponent.bytes.fused", "excess_bytes.fused"})},
        {"So it climbs towards the compute roof.",
         "FLOPs grow with N^2 and bytes with N, so the intensity grows with N: the same exact "
         "result crosses the ridge and is bound by arithmetic.",
         climb_verdict(report, found), "rate",
         found.all(
             {"compute_roof.", "bound.fused.", "wins_from.", "speedup.", "useful_per_executed."})},
    };
}

}  // namespace attnroof
