// The comparison as JUnit XML.
#include <fmt/format.h>

#include "compare/formats.h"
#include "config/words.h"

namespace attnroof {
namespace {

/// Text of an attribute or element; what XML 1.0 cannot hold becomes '?'.
std::string escape(std::string_view text) {
    std::string out;
    for (char c : printable(text)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

/// The element that a verdict becomes; empty for a plain pass.
const char* element_of(const VerdictRow& row, bool strict) {
    switch (row.verdict) {
        case Verdict::failed:
        case Verdict::incomparable:
            return "error";
        case Verdict::same:
        case Verdict::faster:
            return "";
        default:
            return fails(row, strict) ? "failure" : "skipped";
    }
}

std::string test_case(const VerdictRow& row, bool strict) {
    const std::string_view element = element_of(row, strict);
    std::string text = explanation(row);
    if (!row.settle.empty()) text += "; to settle it: " + row.settle;
    const std::string head =
        fmt::format("    <testcase classname=\"attnroof.compare\" name=\"{}\" time=\"{:.9g}\"",
                    escape(row.id), row.time ? row.time->new_s : 0.0);
    if (element.empty())
        return fmt::format("{}>\n      <system-out>{}: {}</system-out>\n    </testcase>\n", head,
                           name(row.verdict), escape(text));
    const std::string type =
        element == "skipped" ? "" : fmt::format(" type=\"{}\"", name(row.verdict));
    return fmt::format("{}>\n      <{} message=\"{}: {}\"{}/>\n    </testcase>\n", head, element,
                       name(row.verdict), escape(text), type);
}

std::string broken_promise(const std::string& name, const std::string& message) {
    return fmt::format(
        "    <testcase classname=\"attnroof.compare\" name=\"{}\" time=\"0\">\n"
        "      <failure message=\"{}\" type=\"missing\"/>\n    </testcase>\n",
        escape(name), escape(message));
}

}  // namespace

std::string to_junit(const Comparison& comparison) {
    std::string body;
    std::size_t tests = comparison.rows.size(), failures = 0, errors = 0, skipped = 0;
    for (const VerdictRow& row : comparison.rows) {
        const std::string_view element = element_of(row, comparison.strict);
        failures += element == "failure";
        errors += element == "error";
        skipped += element == "skipped";
        body += test_case(row, comparison.strict);
    }
    const auto add_failure = [&](const std::string& name, const std::string& message) {
        body += broken_promise(name, message);
        ++tests;
        ++failures;
    };
    for (const std::string& pattern : comparison.unmet)
        add_failure(pattern, "missing: no case matches this required pattern");
    // A gate that fails without a failing row still has to show red.
    if (exit_code(comparison) != ExitCode::pass && failures + errors == 0)
        add_failure("gate", outcome_line(comparison));
    std::string properties;
    for (const std::string& warning : comparison.warnings)
        properties +=
            fmt::format("      <property name=\"warning\" value=\"{}\"/>\n", escape(warning));
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"attnroof compare\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\">\n    <properties>\n      <property name=\"totals\" value=\"{}\"/>\n{}"
        "    </properties>\n{}  </testsuite>\n</testsuites>\n",
        tests, failures, errors, skipped, escape(totals_line(comparison)), properties, body);
}

}  // namespace attnroof
