// The comparison as workflow commands of GitHub Actions.
#include <fmt/format.h>

#include "compare/formats.h"

namespace attnroof {
namespace {

constexpr std::size_t shown_by_github = 10;

/// Percent, line ends; in a property colon and comma too.
std::string escape(std::string_view text, bool property) {
    std::string out;
    for (char c : text) {
        if (c == '%' || c == '\n' || c == '\r' || (property && (c == ':' || c == ',')))
            out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            out += c;
    }
    return out;
}

struct Annotation {
    std::string title, text;
};

std::string lines(const char* level, const std::vector<Annotation>& all) {
    const std::size_t shown = all.size() > shown_by_github ? shown_by_github - 1 : all.size();
    std::string out;
    for (std::size_t i = 0; i < shown; ++i)
        out += fmt::format("::{} title={}::{}\n", level, escape(all[i].title, true),
                           escape(all[i].text, false));
    if (shown < all.size())
        out += fmt::format("::{} title=attnroof::{} more of this kind, see the report\n", level,
                           all.size() - shown);
    return out;
}

}  // namespace

std::string to_github_annotations(const Comparison& comparison) {
    std::vector<Annotation> errors, warnings;
    for (const std::string& pattern : comparison.unmet)
        errors.push_back({"attnroof missing", "no case matches the required " + pattern});
    for (const VerdictRow* row : worst_first(comparison)) {
        if (row->verdict == Verdict::same) continue;
        if (row->verdict == Verdict::faster && !row->implausible) continue;
        std::string text = fmt::format("{}: {}", row->id, explanation(*row));
        if (!row->settle.empty()) text += "; to settle it: " + row->settle;
        (fails(*row, comparison.strict) ? errors : warnings)
            .push_back({fmt::format("attnroof {}", name(row->verdict)), std::move(text)});
    }
    for (const std::string& warning : comparison.warnings)
        warnings.push_back({"attnroof", warning});
    if (exit_code(comparison) != ExitCode::pass && errors.empty())
        errors.push_back({"attnroof", outcome_line(comparison)});
    return lines("error", errors) + lines("warning", warnings);
}

}  // namespace attnroof
