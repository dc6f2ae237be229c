// The comparison as a comment on a pull request.
#include <fmt/format.h>

#include "compare/formats.h"
#include "config/words.h"
#include "report/units.h"

namespace attnroof {
namespace {

constexpr std::size_t most_rows = 50;
constexpr std::size_t most_bytes = 60'000;  // GitHub refuses 65,536 characters and more
constexpr std::size_t longest_cell = 400;

/// Text that stays in its table cell.
std::string cell(std::string_view text) {
    std::string out;
    for (char c : printable(text.substr(0, longest_cell))) {
        if (c == '|' || c == '`' || c == '<' || c == '\\') out += '\\';
        out += c;
    }
    return text.size() > longest_cell ? out + " ..." : out;
}

std::string table_row(const VerdictRow& row) {
    const auto time = [&](double TimeChange::*side) {
        return row.time ? si((*row.time).*side, "s") : "";
    };
    return fmt::format("| {}{} | {} | {} | {} | {} |\n", name(row.verdict),
                       row.verdict == Verdict::missing && !row.required ? " (not required)" : "",
                       cell(row.id), time(&TimeChange::base_s), time(&TimeChange::new_s),
                       cell(explanation(row)));
}

/// "40 more rows: 2 slower, 38 same"
std::string left_out(const std::vector<const VerdictRow*>& rows, std::size_t shown) {
    std::array<std::size_t, verdict_names.size()> counts{};
    for (std::size_t i = shown; i < rows.size(); ++i)
        ++counts[static_cast<std::size_t>(rows[i]->verdict)];
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0)
            text += fmt::format("{} {} {}", text.empty() ? "" : ",", counts[i], verdict_names[i]);
    return fmt::format("\n{} more rows:{}\n", rows.size() - shown, text);
}

std::string settle_block(const std::vector<const VerdictRow*>& rows) {
    std::string commands;
    std::size_t listed = 0, found = 0;
    for (const VerdictRow* row : rows) {
        if (row->settle.empty()) continue;
        if (++found > 10) continue;
        ++listed;
        commands += row->settle + "\n";
    }
    if (commands.empty()) return "";
    return fmt::format(
        "\nTo settle the ambiguous cases, measure each again with both builds, in several "
        "processes "
        "({} of {}):\n\n```sh\n{}```\n",
        listed, found, commands);
}

std::string list_of(const std::vector<std::string>& texts, const char* before) {
    std::string out;
    for (std::size_t i = 0; i < texts.size() && i < 10; ++i)
        out += fmt::format("- {}{}\n", before, cell(texts[i]));
    if (texts.size() > 10) out += fmt::format("- and {} more\n", texts.size() - 10);
    return out.empty() ? "" : "\n" + out;
}

}  // namespace

std::string to_markdown(const Comparison& comparison) {
    const std::vector<const VerdictRow*> rows = worst_first(comparison);
    std::string out = fmt::format("### attnroof compare: {}\n\n{}\n",
                                  cell(outcome_line(comparison)), totals_line(comparison));
    out += list_of(comparison.warnings, "warning: ");
    out += list_of(comparison.unmet, "missing: no case matches the required ");
    const std::string tail = settle_block(rows);
    out += "\n| verdict | case | base | new | why |\n| --- | --- | --- | --- | --- |\n";
    std::size_t shown = 0;
    for (; shown < rows.size() && shown < most_rows; ++shown) {
        const std::string line = table_row(*rows[shown]);
        if (out.size() + line.size() + tail.size() > most_bytes) break;
        out += line;
    }
    if (shown < rows.size()) out += left_out(rows, shown);
    return out + tail;
}

}  // namespace attnroof
