#include "compare/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/counted.h"
#include "compare/words.h"

namespace attnroof {
namespace {

/// A gain beyond this is more likely a kernel that skips its work.
constexpr double implausible_gain = 3;

void conclude(VerdictRow& row, Verdict verdict, std::string reason) {
    row.verdict = verdict;
    row.reason = std::move(reason);
}

Results with_status(const Results& results, auto... status) {
    Results found;
    for (const CaseResult* r : results)
        if (((r->plan.status == status) || ...)) found.push_back(r);
    return found;
}

std::string status_text(const CaseResult& r) {
    const char* status = name(r.plan.status);
    return r.plan.reason.empty() ? status : fmt::format("{}: {}", status, r.plan.reason);
}

/// True when the status alone decides. Failed and wrong results of any report count.
bool judge_status(VerdictRow& row, const Results& base, const Results& fresh,
                  bool required_by_name) {
    const Results base_ok = with_status(base, Status::ok), ok = with_status(fresh, Status::ok);
    const Results bad = with_status(fresh, Status::failed, Status::wrong);
    const bool base_bad = !with_status(base, Status::failed, Status::wrong).empty();
    if (!bad.empty()) {
        conclude(row, Verdict::failed, status_text(*bad.front()));
    } else if (fresh.empty()) {
        conclude(row, Verdict::missing, "not in the new report");
    } else if (ok.empty() && (!base_ok.empty() || base_bad || required_by_name)) {
        conclude(row, Verdict::missing, "did not run: " + status_text(*fresh.front()));
    } else if (base.empty()) {
        conclude(row, Verdict::added,
                 ok.empty() ? "did not run: " + status_text(*fresh.front()) : "not in the base");
    } else if (ok.empty()) {
        conclude(row, Verdict::same, "ran on neither side: " + status_text(*fresh.front()));
    } else if (base_ok.empty()) {
        conclude(row, Verdict::added, "no baseline: " + status_text(*base.front()));
    } else {
        if (ok.size() < fresh.size())
            row.notes.push_back(
                fmt::format("ran in {} of {} new reports", ok.size(), fresh.size()));
        return false;
    }
    return true;
}

/// An alias may join cases that are not the same work.
std::string problem_difference(const Results& base, const Results& fresh) {
    const CaseResult& b = *base.front();
    for (const Results* side : {&base, &fresh})
        for (const CaseResult* r : *side) {
            if (!(r->plan.problem == b.plan.problem))
                return fmt::format("another problem: {} against {}", describe(b.plan.problem),
                                   describe(r->plan.problem));
            if (r->plan.cache != b.plan.cache)
                return fmt::format("another timing mode: cache {} against {}", name(b.plan.cache),
                                   name(r->plan.cache));
        }
    return "";
}

/// A process' usable samples, and the SM clock beside them.
struct Timed {
    Processes samples;
    std::vector<double> clocks_mhz;  // empty unless every process has one
};

Timed timed(const Results& results) {
    Timed side;
    for (const CaseResult* r : results) {
        if (!r->time) continue;
        std::vector<double> samples;
        for (double s : r->time->samples_s)
            if (std::isfinite(s) && s > 0) samples.push_back(s);
        if (samples.empty()) continue;
        side.samples.push_back(std::move(samples));
        if (const auto clock = r->time->clocks.sm_clock_mhz; clock && *clock > 0)
            side.clocks_mhz.push_back(*clock);
    }
    if (side.clocks_mhz.size() < side.samples.size()) side.clocks_mhz.clear();
    return side;
}

std::size_t sample_count(const Timed& side) {
    std::size_t count = 0;
    for (const std::vector<double>& process : side.samples) count += process.size();
    return count;
}

/// Times as they would have been at `clock_mhz`, were the case bound by the SM clock.
Processes at_clock(const Timed& side, double clock_mhz) {
    Processes scaled = side.samples;
    for (std::size_t p = 0; p < scaled.size(); ++p)
        for (double& s : scaled[p]) s *= side.clocks_mhz[p] / clock_mhz;
    return scaled;
}

/// The same text gives the same resamples, whatever else is compared.
std::uint64_t seed_of(const std::string& id) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (unsigned char c : id) hash = (hash ^ c) * 0x100000001b3u;
    return hash;
}

std::string interval_text(const TimeChange& t) {
    return fmt::format("{} [{}, {}]", percent_text(t.ratio), percent_text(t.ratio_ci95.low),
                       percent_text(t.ratio_ci95.high));
}

/// True when the SM clock sets the time on both sides; false too when the bound is not known.
bool clock_bound(const Results& base, const Results& fresh) {
    const auto bound = [](const CaseResult* r) {
        return r->point && (r->point->bound == Bound::compute || r->point->bound == Bound::exp);
    };
    return std::all_of(base.begin(), base.end(), bound) &&
           std::all_of(fresh.begin(), fresh.end(), bound);
}

/// What cycles make of a verdict on time. They clear a kernel that the SM clock binds when nothing
/// is left of the change; one that memory binds is judged by time alone. A clock is read a few
/// times beside the samples, so that a rest of half the limit is not held against it.
void judge_against_clock(VerdictRow& row, double base_mhz, double fresh_mhz, bool clock_bound,
                         bool vanishes) {
    const Change time = row.time->change, cycles = row.cycles->change;
    const std::string text =
        fmt::format("time {}, SM clock from {:.0f} to {:.0f} MHz: {} in cycles",
                    interval_text(*row.time), base_mhz, fresh_mhz, interval_text(*row.cycles));
    if (!clock_bound || (time == Change::same && cycles == Change::slower))
        row.notes.push_back(text);
    else if (vanishes && time != Change::same)
        conclude(row, Verdict::same,
                 fmt::format("{}, the clock {}", text, fresh_mhz < base_mhz ? "fell" : "rose"));
    else if ((time == Change::slower && cycles == Change::faster) ||
             (time == Change::faster && cycles == Change::slower))
        conclude(row, Verdict::ambiguous, text + "; lock the clock (nvidia-smi -lgc)");
}

void judge_clocks(VerdictRow& row, const Timed& base, const Timed& fresh, const Limits& limits,
                  bool clock_bound) {
    if (base.clocks_mhz.empty() || fresh.clocks_mhz.empty()) return;
    const double base_mhz = centre({base.clocks_mhz}), fresh_mhz = centre({fresh.clocks_mhz});
    // A clock read on an idle device says nothing about the kernel.
    if (fresh_mhz < base_mhz / 2 || fresh_mhz > base_mhz * 2) {
        row.notes.push_back(fmt::format("SM clocks {:.0f} and {:.0f} MHz are too far apart to use",
                                        base_mhz, fresh_mhz));
        return;
    }
    const auto other = [&](double mhz) { return mhz != base_mhz; };
    const bool varied = std::any_of(base.clocks_mhz.begin(), base.clocks_mhz.end(), other) ||
                        std::any_of(fresh.clocks_mhz.begin(), fresh.clocks_mhz.end(), other);
    row.cycles = !varied ? row.time
                         : judge_time(at_clock(base, base_mhz), at_clock(fresh, base_mhz),
                                      limits.percent / 100, limits.seconds, seed_of(row.id));
    if (row.cycles->change == row.time->change) return;
    const TimeChange half = judge_time(at_clock(base, base_mhz), at_clock(fresh, base_mhz),
                                       limits.percent / 200, limits.seconds, seed_of(row.id));
    judge_against_clock(row, base_mhz, fresh_mhz, clock_bound, half.change == Change::same);
}

std::string time_reason(const VerdictRow& row, const Limits& limits) {
    const TimeChange& t = *row.time;
    const double difference = std::abs(t.new_s - t.base_s);
    if (t.change == Change::unclear)
        return fmt::format("{}: the 95 % interval reaches across the limit of {:g} %",
                           interval_text(t), limits.percent);
    if (t.change == Change::same &&
        std::abs(std::log(t.ratio)) > std::log1p(limits.percent / 100) &&
        difference <= limits.seconds)
        return fmt::format("{}, but below the absolute floor of {}", interval_text(t),
                           seconds_text(limits.seconds));
    if (t.change == Change::slower)
        return fmt::format("{}, limit {:g} % and {}", interval_text(t), limits.percent,
                           seconds_text(limits.seconds));
    if (row.implausible)
        return fmt::format("{}: implausible, check that the kernel still does its work",
                           interval_text(t));
    return interval_text(t);
}

Verdict verdict_of(Change change) {
    switch (change) {
        case Change::same:
            return Verdict::same;
        case Change::faster:
            return Verdict::faster;
        case Change::slower:
            return Verdict::slower;
        default:
            return Verdict::ambiguous;
    }
}

/// Time in seconds, confirmed in cycles. `decided`: the verdict stands, time is there to be read.
void judge_times(VerdictRow& row, const Results& base, const Results& fresh, const Limits& limits,
                 bool decided) {
    const Timed b = timed(base), n = timed(fresh);
    if (!b.samples.empty() && !n.samples.empty())
        row.time =
            judge_time(b.samples, n.samples, limits.percent / 100, limits.seconds, seed_of(row.id));
    if (decided) return;
    const std::size_t base_count = sample_count(b), fresh_count = sample_count(n);
    if (base_count > 0 && fresh_count == 0)
        return conclude(row, Verdict::incomparable, "not timed in the new report");
    if (std::min(base_count, fresh_count) < least_samples)
        return conclude(row, Verdict::ambiguous,
                        fmt::format("too few samples: {} against {}, {} a side are needed",
                                    base_count, fresh_count, least_samples));
    row.implausible = row.time->change == Change::faster && row.time->ratio * implausible_gain < 1;
    conclude(row, verdict_of(row.time->change), time_reason(row, limits));
    judge_clocks(row, b, n, limits, clock_bound(base, fresh));
}

void note_throttling(VerdictRow& row, const Results& base, const Results& fresh) {
    const auto throttled = [](const Results& results) {
        return std::any_of(results.begin(), results.end(), [](const CaseResult* r) {
            return r->time && r->time->clocks.throttled.value_or(false);
        });
    };
    const bool b = throttled(base), n = throttled(fresh);
    if (b || n)
        row.notes.push_back(fmt::format("the device was throttled in {}", b && n ? "both reports"
                                                                          : b    ? "the base report"
                                                                              : "the new report"));
}

/// A quantity that the base counted and the new side did not is no quantity that stayed.
void note_loss(VerdictRow& row, const std::string& lost, bool counts) {
    if (!counts || row.verdict == Verdict::slower)
        row.notes.push_back(lost);
    else
        conclude(row, Verdict::incomparable, lost);
}

}  // namespace

void judge_case(VerdictRow& row, const Results& base, const Results& fresh,
                const CaseRules& rules) {
    if (judge_status(row, base, fresh, rules.required_by_name)) return;
    const Results b = with_status(base, Status::ok), n = with_status(fresh, Status::ok);
    if (std::string difference = problem_difference(b, n); !difference.empty())
        return conclude(row, Verdict::incomparable, std::move(difference));
    row.judged = true;
    const std::string before = variant_of(*b.front()), after = variant_of(*n.front());
    if (before != after) row.notes.push_back(fmt::format("ran {}, was {}", after, before));
    const CountedVerdict counted = judge_counted(row, b, n, rules.limits);
    if (!counted.grew.empty()) conclude(row, Verdict::slower, counted.grew);
    judge_times(row, b, n, rules.limits, !counted.grew.empty());
    if (!counted.lost.empty()) note_loss(row, counted.lost, rules.losses_count);
    note_throttling(row, b, n);
}

}  // namespace attnroof
