// formats of a comparison: pure functions to text.
#pragma once

#include <string>
#include <vector>

#include "compare/compare.h"

namespace attnroof {

/// "12 cases: 10 same, 0 faster, 1 slower, ...": all eight, so that the sum can be checked; then
/// how many could not be judged, and what would judge them.
std::string totals_line(const Comparison& comparison);
/// "PASS (exit 0)", "FAIL (exit 4): a required case is missing or failed"
std::string outcome_line(const Comparison& comparison);
/// Rows that need a look first: failed, missing, slower, incomparable, ambiguous, new, faster,
/// same; within a verdict the largest slowdown first.
std::vector<const VerdictRow*> worst_first(const Comparison& comparison);
/// Reason and notes in one line.
std::string explanation(const VerdictRow& row);
/// True when the row alone makes the exit code other than 0.
bool fails(const VerdictRow& row, bool strict);

/// The terminal table, in the order of the reports; `width` 0 means no limit.
std::string to_table(const Comparison& comparison, bool colour, int width);
std::string to_text(const Comparison& comparison);  // the same, plain
/// For a comment on a pull request: worst first, capped in rows and under 65,536 characters.
std::string to_markdown(const Comparison& comparison);
/// JUnit XML: slower and missing are failures, failed and incomparable errors, new and ambiguous
/// skipped with text (failures where they fail the gate).
std::string to_junit(const Comparison& comparison);
std::string to_json(const Comparison& comparison);
/// Workflow commands of GitHub Actions: ::error and ::warning, ten of each at most, since more are
/// not shown; the tenth then says how many are left out.
std::string to_github_annotations(const Comparison& comparison);

struct CompareFormat {
    std::string extension;  // "md"
    std::string (*render)(const Comparison&);
};

/// One row a format.
const std::vector<CompareFormat>& compare_formats();
/// Throws UsageError that names the extension and the known ones.
const CompareFormat& compare_format_of(const std::string& path);

}  // namespace attnroof
