// One case of a JSON report, and what its parts share with the rest of the report. Not for callers
// outside the reader.
#pragma once

#include <optional>
#include <string>

#include "report/json_node.h"
#include "report/report.h"

namespace attnroof {

/// Throws UsageError, as parse_report, also for figures that contradict each other: a median that
/// is not that of its samples, a block whose source is not what the block is.
CaseResult read_case(const JsonNode& node);

inline std::string text_or_empty(const JsonNode& node, const char* key) {
    return node.has(key) ? node.at(key).text() : "";
}
inline std::int64_t count_or_zero(const JsonNode& node, const char* key) {
    return node.has(key) ? node.at(key).count() : 0;
}
inline std::optional<double> optional_amount(const JsonNode& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).amount()) : std::nullopt;
}
inline std::optional<double> optional_number(const JsonNode& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).number()) : std::nullopt;
}
inline std::optional<bool> optional_boolean(const JsonNode& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).boolean()) : std::nullopt;
}
inline std::vector<std::string> texts(const JsonNode& node) {
    std::vector<std::string> all;
    for (const JsonNode& item : node.items()) all.push_back(item.text());
    return all;
}

}  // namespace attnroof
