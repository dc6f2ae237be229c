// The comparison as JSON. Units stand in key names; what is not there is null, and `reason` and
// `notes` of the case say why.
#include <cmath>

#include "compare/formats.h"
#include "report/json_layout.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

constexpr int compare_schema_version = 1;

Json number(std::optional<double> value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json change_json(const std::optional<TimeChange>& t) {
    if (!t) return nullptr;
    return {{"base_median_s", number(t->base_s)},
            {"new_median_s", number(t->new_s)},
            {"ratio", number(t->ratio)},
            {"ratio_ci95", {number(t->ratio_ci95.low), number(t->ratio_ci95.high)}}};
}

Json row_json(const VerdictRow& row) {
    Json counted = Json::array();
    for (const CountedPair& pair : row.counted)
        counted.push_back(
            {{"what", pair.what}, {"base", number(pair.base)}, {"new", number(pair.fresh)}});
    return {{"id", row.id},
            {"base_id", row.base_id.empty() ? Json(nullptr) : Json(row.base_id)},
            {"verdict", name(row.verdict)},
            {"required", row.required},
            {"reason", row.reason},
            {"notes", row.notes},
            {"time", change_json(row.time)},
            {"time_at_base_clock", change_json(row.cycles)},
            {"counted", std::move(counted)},
            {"settle", row.settle.empty() ? Json(nullptr) : Json(row.settle)}};
}

}  // namespace

std::string to_json(const Comparison& comparison) {
    const auto counts = totals(comparison);
    Json totals_json = {{"cases", comparison.rows.size()}};
    for (std::size_t i = 0; i < counts.size(); ++i) totals_json[verdict_names[i]] = counts[i];
    Json cases = Json::array();
    for (const VerdictRow& row : comparison.rows) cases.push_back(row_json(row));
    return layout({{"compare_schema_version", compare_schema_version},
                   {"exit_code", static_cast<int>(exit_code(comparison))},
                   {"outcome", outcome_line(comparison)},
                   {"strict", comparison.strict},
                   {"base", comparison.base_files},
                   {"new", comparison.new_files},
                   {"totals", std::move(totals_json)},
                   {"warnings", comparison.warnings},
                   {"required_without_case", comparison.unmet},
                   {"cases", std::move(cases)}});
}

}  // namespace attnroof
