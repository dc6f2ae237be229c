// The comparison as a terminal table.
#include <fmt/format.h>

#include "compare/formats.h"
#include "config/words.h"
#include "report/text_grid.h"
#include "report/units.h"

namespace attnroof {
namespace {

constexpr const char* red = "\x1b[31m";
constexpr const char* green = "\x1b[32m";
constexpr const char* yellow = "\x1b[33m";

const char* style_of(const VerdictRow& row, bool strict) {
    if (fails(row, strict)) return red;
    if (row.verdict == Verdict::faster) return green;
    return row.verdict == Verdict::same ? "" : yellow;
}

GridRow grid_row(const VerdictRow& row, bool strict) {
    GridRow out{{row.id, name(row.verdict), "", ""}, explanation(row), style_of(row, strict)};
    if (row.time)
        out.cells = {row.id, name(row.verdict), si(row.time->base_s, "s"),
                     si(row.time->new_s, "s")};
    return out;
}

/// Ambiguous rows, each with the command that measures it again.
std::string next_steps(const Comparison& comparison) {
    std::string text;
    for (const VerdictRow& row : comparison.rows)
        if (!row.settle.empty()) text += fmt::format("  {}\n", printable(row.settle));
    if (text.empty()) return "";
    return "\nTo settle an ambiguous case, measure it again with both builds, in several processes "
           "each,\nand give all the reports: attnroof compare --base A1 A2 A3 --new B1 B2 B3\n" +
           text;
}

}  // namespace

std::string to_table(const Comparison& comparison, bool colour, int width) {
    std::vector<GridColumn> columns{
        {"case", false}, {"verdict", false}, {"base", true}, {"new", true}};
    std::vector<GridRow> rows;
    for (const VerdictRow& row : comparison.rows) rows.push_back(grid_row(row, comparison.strict));
    std::string out;
    // What forbids every comparison is said once, at the end.
    if (comparison.obstacle.empty())
        out = layout_grid(std::move(columns), std::move(rows), width, colour);
    for (const std::string& warning : comparison.warnings)
        out += fmt::format("warning: {}\n", printable(warning));
    for (const std::string& pattern : comparison.unmet)
        out += fmt::format("missing: no case matches the required {}\n", printable(pattern));
    out += next_steps(comparison);
    return out +
           fmt::format("{}\n{}\n", totals_line(comparison), printable(outcome_line(comparison)));
}

std::string to_text(const Comparison& comparison) { return to_table(comparison, false, 0); }

}  // namespace attnroof
