#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compare/identity.h"
#include "compare/judge.h"
#include "compare/settle.h"

namespace attnroof {
namespace {

/// The cases of one side by id, in the order of first sight.
struct Side {
    std::vector<std::string> ids;
    std::unordered_map<std::string, Results> results;

    bool has(const std::string& id) const { return results.count(id) > 0; }
    Results of(const std::string& id) const {
        const auto found = results.find(id);
        return found == results.end() ? Results{} : found->second;
    }
};

Side gather(const std::vector<Report>& reports) {
    Side side;
    for (const Report& report : reports) {
        std::unordered_set<std::string> seen;
        for (const CaseResult& result : report.cases) {
            const std::string& id = result.plan.id;
            if (!seen.insert(id).second)
                throw UsageError(fmt::format("a report holds two cases of the id {}", id));
            if (!side.has(id)) side.ids.push_back(id);
            side.results[id].push_back(&result);
        }
    }
    return side;
}

void check_aliases(const CompareOptions& options, const Side& base) {
    for (const auto& [old_id, new_id] : options.aliases) {
        if (!base.has(old_id))
            throw UsageError(fmt::format("--alias: {} is not a case of the base", old_id));
        if (base.has(new_id) && options.aliases.count(new_id) == 0)
            throw UsageError(fmt::format("--alias: {} is a case of the base itself", new_id));
    }
}

/// Every case of either side, once: the base's order, then what only the new side has.
std::vector<VerdictRow> pair_ids(const Side& base, const Side& fresh,
                                 const CompareOptions& options) {
    std::vector<VerdictRow> rows;
    std::unordered_set<std::string> taken;
    for (const std::string& id : base.ids) {
        const auto alias = options.aliases.find(id);
        VerdictRow& row = rows.emplace_back();
        row.id = alias == options.aliases.end() ? id : alias->second;
        if (row.id != id) row.base_id = id;
        if (!taken.insert(row.id).second)
            throw UsageError(fmt::format("--alias: two cases become {}", row.id));
    }
    for (const std::string& id : fresh.ids)
        if (taken.count(id) == 0) rows.emplace_back().id = id;
    return rows;
}

const std::string& base_id_of(const VerdictRow& row) {
    return row.base_id.empty() ? row.id : row.base_id;
}

/// True when counters worked, or had to: where nothing at all was counted, and nothing asked for
/// it, bytes and FLOPs are not compared, and each row says so.
bool counts(const Report& report) {
    const auto any_value = [](const CounterSet& set) {
        return std::any_of(set.begin(), set.end(),
                           [](const auto& entry) { return entry.second.value.has_value(); });
    };
    return report.config.counters == CounterMode::on ||
           std::any_of(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
               return any_value(c.counted.in_range) || any_value(c.counted.settled);
           });
}

/// A prediction holds what the roofs allow, not what ran.
std::string prediction_on(const std::vector<Report>& reports, const char* side) {
    const bool any = std::any_of(reports.begin(), reports.end(),
                                 [](const Report& r) { return r.prediction.has_value(); });
    return any ? fmt::format("the {} report is a prediction: nothing of it was measured", side)
               : "";
}

/// The first reason why all times of one side cannot stand beside those of the other.
std::string report_difference(const std::vector<Report>& base, const std::vector<Report>& fresh,
                              const CompareOptions& options, std::vector<std::string>& warnings) {
    for (const std::string& predicted : {prediction_on(base, "base"), prediction_on(fresh, "new")})
        if (!predicted.empty()) return predicted;
    for (const auto* side : {&base, &fresh})
        for (const Report& report : *side) {
            const std::string device = device_difference(base.front().device, report.device);
            if (!device.empty() && !options.any_device)
                return device + "; --any-device compares all the same";
            const std::string timing = timing_difference(base.front().config, report.config);
            if (!timing.empty()) return timing;
            if (!device.empty()) warnings.push_back(device + "; compared as asked (--any-device)");
        }
    return "";
}

void add_warnings(Comparison& comparison, const std::vector<Report>& base,
                  const std::vector<Report>& fresh) {
    std::vector<std::string>& warnings = comparison.warnings;
    if (comparison.obstacle.empty())  // else what differs besides is no news
        for (const auto* side : {&base, &fresh})
            for (const Report& report : *side)
                for (std::string& text : lesser_differences(base.front(), report))
                    warnings.push_back(std::move(text));
    const auto ended_early = [](const Report& report) { return !report.complete; };
    if (std::any_of(base.begin(), base.end(), ended_early))
        warnings.push_back("the base is incomplete: its sweep ended early");
    comparison.incomplete = std::any_of(fresh.begin(), fresh.end(), ended_early);
    if (comparison.incomplete)
        warnings.push_back("the new report is incomplete: its sweep ended early");
    // Several reports a side tell the same difference several times.
    std::vector<std::string> once;
    for (std::string& text : warnings)
        if (std::find(once.begin(), once.end(), text) == once.end())
            once.push_back(std::move(text));
    warnings = std::move(once);
}

void judge_rows(Comparison& comparison, const Side& base, const Side& fresh,
                const CompareOptions& options, DeviceKind device, bool losses_count) {
    const std::vector<std::string>& required = options.gate.required;
    for (VerdictRow& row : comparison.rows) {
        const bool by_name =
            matches_any(required, row.id) || matches_any(required, base_id_of(row));
        row.required = required.empty() || by_name;
        if (!comparison.obstacle.empty()) {
            row.verdict = Verdict::incomparable;
            row.reason = comparison.obstacle;
            continue;
        }
        const Results results = fresh.of(row.id);
        judge_case(row, base.of(base_id_of(row)), results,
                   {limits_for(options.gate, row.id), by_name, losses_count});
        if (row.verdict == Verdict::ambiguous)
            row.settle = settle_command(*results.front(), device);
    }
}

/// True when the sides have cases but not one in common. A new side without any case at all is not
/// another selection: its cases are missing.
bool nothing_in_common(const std::vector<VerdictRow>& rows, const Side& base, const Side& fresh) {
    if (fresh.ids.empty() && !base.ids.empty()) return false;
    return std::none_of(rows.begin(), rows.end(), [&](const VerdictRow& row) {
        return base.has(base_id_of(row)) && fresh.has(row.id);
    });
}

}  // namespace

std::array<std::size_t, verdict_names.size()> totals(const Comparison& comparison) {
    std::array<std::size_t, verdict_names.size()> counts{};
    for (const VerdictRow& row : comparison.rows) ++counts[static_cast<std::size_t>(row.verdict)];
    return counts;
}

ExitCode exit_code(const Comparison& comparison) {
    if (!comparison.obstacle.empty()) return ExitCode::not_comparable;
    const auto any = [&](auto test) {
        return std::any_of(comparison.rows.begin(), comparison.rows.end(), test);
    };
    const auto is = [](Verdict verdict) {
        return [verdict](const VerdictRow& row) { return row.verdict == verdict; };
    };
    const auto required_gap = [](const VerdictRow& row) {
        return row.required && (row.verdict == Verdict::missing || row.verdict == Verdict::failed);
    };
    if (comparison.incomplete || !comparison.unmet.empty() || any(required_gap))
        return ExitCode::missing;
    if (any(is(Verdict::slower)) || any(is(Verdict::failed))) return ExitCode::failed;
    if (any(is(Verdict::incomparable))) return ExitCode::not_comparable;
    if (comparison.strict && any(is(Verdict::ambiguous))) return ExitCode::failed;
    // A gate that could judge nothing has not been passed.
    const bool decided =
        any([](const VerdictRow& row) { return row.judged && row.verdict != Verdict::ambiguous; });
    return decided ? ExitCode::pass : ExitCode::not_comparable;
}

Comparison compare(const std::vector<Report>& base, const std::vector<Report>& fresh,
                   const CompareOptions& options) {
    const Side old_side = gather(base), new_side = gather(fresh);
    Comparison comparison;
    comparison.strict = options.strict;
    comparison.obstacle = report_difference(base, fresh, options, comparison.warnings);
    add_warnings(comparison, base, fresh);
    check_aliases(options, old_side);
    comparison.rows = pair_ids(old_side, new_side, options);
    judge_rows(comparison, old_side, new_side, options, fresh.front().device.kind,
               std::any_of(fresh.begin(), fresh.end(), counts));
    if (comparison.obstacle.empty() && nothing_in_common(comparison.rows, old_side, new_side))
        comparison.obstacle = "no case in common";
    for (const std::string& pattern : options.gate.required)
        if (std::none_of(comparison.rows.begin(), comparison.rows.end(), [&](const VerdictRow& r) {
                return matches(pattern, r.id) || matches(pattern, base_id_of(r));
            }))
            comparison.unmet.push_back(pattern);
    return comparison;
}

}  // namespace attnroof
