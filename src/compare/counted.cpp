#include "compare/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "compare/words.h"

namespace attnroof {
namespace {

/// Counters see a little of what else the machine does: fewer bytes than this are no change.
constexpr double bytes_floor = 1e6;

/// A counted quantity and how far it may move.
struct Quantity {
    const char* what;
    std::function<std::optional<double>(const CaseResult&)> count;
    double percent, floor;
};

std::optional<double> total_bytes(const CounterSet& set) {
    const auto read = set.find(Counter::hbm_read_bytes), write = set.find(Counter::hbm_write_bytes);
    if (read == set.end() || write == set.end() || !read->second.value || !write->second.value)
        return std::nullopt;
    return *read->second.value + *write->second.value;
}

/// The median over the reports of a side that counted it.
std::optional<double> counted(const Results& results, const Quantity& quantity) {
    std::vector<double> values;
    for (const CaseResult* r : results)
        if (const std::optional<double> value = quantity.count(*r)) values.push_back(*value);
    if (values.empty()) return std::nullopt;
    return centre({values});
}

/// The first reason that a counter without a value gives; empty when none does.
std::string reason_of(const Results& results) {
    for (const CaseResult* r : results)
        for (const CounterSet* set : {&r->counted.settled, &r->counted.in_range})
            for (const auto& [counter, value] : *set)
                if (!value.value && !value.reason.empty()) return " (" + value.reason + ")";
    return "";
}

std::string not_counted(const char* what, const char* side) {
    return fmt::format("{} not counted in the {} report", what, side);
}

/// "HBM bytes +30 % (limit 2 %)" when the pair moved beyond the limit.
std::string change_beyond(const CountedPair& pair, const Quantity& quantity) {
    const double beyond = std::max(*pair.base * quantity.percent / 100, quantity.floor);
    if (std::abs(*pair.fresh - *pair.base) <= beyond) return "";
    return fmt::format("{} {} (limit {:g} %)", pair.what, change_text(*pair.base, *pair.fresh),
                       quantity.percent);
}

void hold(VerdictRow& row, CountedVerdict& verdict, const Quantity& quantity, const Results& base,
          const Results& fresh) {
    const CountedPair pair{quantity.what, counted(base, quantity), counted(fresh, quantity)};
    if (!pair.base && !pair.fresh) return;
    row.counted.push_back(pair);
    if (!pair.base) return row.notes.push_back(not_counted(pair.what, "base"));
    if (!pair.fresh) {
        if (verdict.lost.empty()) verdict.lost = not_counted(pair.what, "new") + reason_of(fresh);
        return;
    }
    std::string change = change_beyond(pair, quantity);
    if (change.empty()) return;
    if (*pair.fresh > *pair.base && verdict.grew.empty())
        verdict.grew = std::move(change);
    else
        row.notes.push_back(std::move(change));
}

/// With settled bytes on both sides, those in the range depend on when the write-back happened, up
/// to the settled ones: what is beyond those is more work.
bool write_back_explains(std::optional<double> base_settled, std::optional<double> settled,
                         std::optional<double> in_range, double percent) {
    if (!base_settled || !settled) return false;
    return !in_range || *in_range <= *settled + std::max(*settled * percent / 100, bytes_floor);
}

}  // namespace

CountedVerdict judge_counted(VerdictRow& row, const Results& base, const Results& fresh,
                             const Limits& limits) {
    const Quantity settled{"HBM bytes",
                           [](const CaseResult& r) { return total_bytes(r.counted.settled); },
                           limits.bytes_percent, bytes_floor};
    const Quantity in_range{"HBM bytes in range",
                            [](const CaseResult& r) { return total_bytes(r.counted.in_range); },
                            limits.bytes_percent, bytes_floor};
    const Quantity flops{"executed FLOPs",
                         [](const CaseResult& r) { return r.counted.executed_flops(); },
                         limits.flops_percent, 0};
    CountedVerdict verdict;
    hold(row, verdict, settled, base, fresh);
    if (!write_back_explains(counted(base, settled), counted(fresh, settled),
                             counted(fresh, in_range), limits.bytes_percent))
        hold(row, verdict, in_range, base, fresh);
    hold(row, verdict, flops, base, fresh);
    return verdict;
}

}  // namespace attnroof
