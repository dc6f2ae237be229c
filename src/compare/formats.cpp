#include "compare/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/formats.h"

namespace attnroof {
namespace {

constexpr std::array by_severity{Verdict::failed,       Verdict::missing,   Verdict::slower,
                                 Verdict::incomparable, Verdict::ambiguous, Verdict::added,
                                 Verdict::faster,       Verdict::same};

auto severity(const VerdictRow& row) {
    return std::find(by_severity.begin(), by_severity.end(), row.verdict) - by_severity.begin();
}

double ratio_of(const VerdictRow& row) { return row.time ? row.time->ratio : 1; }

std::string why(const Comparison& c) {
    switch (exit_code(c)) {
        case ExitCode::pass:
            return "";
        case ExitCode::not_comparable:
            if (!c.obstacle.empty()) return c.obstacle;
            return totals(c)[static_cast<std::size_t>(Verdict::incomparable)] > 0
                       ? "a case cannot be compared"
                       : "no case could be judged: measure longer (--max-seconds) or in several "
                         "processes a side";
        case ExitCode::missing:
            return c.incomplete ? "the new report is incomplete"
                                : "a required case is missing or failed";
        default:
            break;
    }
    const auto counts = totals(c);
    if (counts[static_cast<std::size_t>(Verdict::slower)] > 0) return "a case is slower";
    if (counts[static_cast<std::size_t>(Verdict::failed)] > 0) return "a case failed";
    return "a case is ambiguous, and --strict was given";
}

}  // namespace

std::string totals_line(const Comparison& comparison) {
    const auto counts = totals(comparison);
    std::string line =
        fmt::format("{} case{}:", comparison.rows.size(), comparison.rows.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < counts.size(); ++i)
        line += fmt::format("{} {} {}", i == 0 ? "" : ",", counts[i], verdict_names[i]);
    const std::size_t open = counts[static_cast<std::size_t>(Verdict::ambiguous)];
    if (open > 0)
        line += fmt::format(
            "; {} of {} could not be judged: measure longer (--max-seconds) or in several "
            "processes a side (--base A1 A2 A3 --new B1 B2 B3), or let --strict fail them",
            open, comparison.rows.size());
    return line;
}

std::string outcome_line(const Comparison& comparison) {
    const ExitCode code = exit_code(comparison);
    if (code == ExitCode::pass) return "PASS (exit 0)";
    return fmt::format("FAIL (exit {}): {}", static_cast<int>(code), why(comparison));
}

std::vector<const VerdictRow*> worst_first(const Comparison& comparison) {
    std::vector<const VerdictRow*> rows;
    for (const VerdictRow& row : comparison.rows) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const VerdictRow* a, const VerdictRow* b) {
        return std::pair(severity(*a), -ratio_of(*a)) < std::pair(severity(*b), -ratio_of(*b));
    });
    return rows;
}

std::string explanation(const VerdictRow& row) {
    std::string text = row.reason;
    if (!row.base_id.empty()) text += fmt::format("; was {}", row.base_id);
    for (const std::string& note : row.notes) text += "; " + note;
    return text;
}

bool fails(const VerdictRow& row, bool strict) {
    switch (row.verdict) {
        case Verdict::missing:
            return row.required;
        case Verdict::slower:
        case Verdict::failed:
        case Verdict::incomparable:
            return true;
        case Verdict::ambiguous:
            return strict;
        default:
            return false;
    }
}

const std::vector<CompareFormat>& compare_formats() {
    static const std::vector<CompareFormat> rows{
        {"md", to_markdown}, {"xml", to_junit}, {"json", to_json}, {"txt", to_text}};
    return rows;
}

const CompareFormat& compare_format_of(const std::string& path) {
    const std::string extension = lower_extension(path);
    std::string known;
    for (const CompareFormat& format : compare_formats()) {
        if (extension == format.extension) return format;
        known += (known.empty() ? "." : ", .") + format.extension;
    }
    throw UsageError(fmt::format(
        "{}: {}; known: {}", path,
        extension.empty() ? "no extension names the format" : "unknown extension ." + extension,
        known));
}

}  // namespace attnroof
