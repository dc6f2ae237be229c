// The comparison as JUnit XML.
#include <fmt/format.h>

#include "compare/formats.h"
#include "report/svg_canvas.h"

namespace attnroof {
namespace {

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
                    xml_text(row.id), row.time ? row.time->new_s : 0.0);
    if (element.empty())
        return fmt::format("{}>\n      <system-out>{}: {}</system-out>\n    </testcase>\n", head,
                           name(row.verdict), xml_text(text));
    const std::string type =
        element == "skipped" ? "" : fmt::format(" type=\"{}\"", name(row.verdict));
    return fmt::format("{}>\n      <{} message=\"{}: {}\"{}/>\n    </testcase>\n", head, element,
                       name(row.verdict), xml_text(text), type);
}

std::string broken_promise(const std::string& name, const std::string& message) {
    return fmt::format(
        "    <testcase classname=\"attnroof.compare\" name=\"{}\" time=\"0\">\n"
        "      <failure message=\"{}\" type=\"missing\"/>\n    </testcase>\n",
        xml_text(name), xml_text(message));
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
            fmt::format("      <property name=\"warning\" value=\"{}\"/>\n", xml_text(warning));
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"attnroof compare\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\">\n    <properties>\n      <property name=\"totals\" value=\"{}\"/>\n{}"
        "    </properties>\n{}  </testsuite>\n</testsuites>\n",
        tests, failures, errors, skipped, xml_text(totals_line(comparison)), properties, body);
}

}  // namespace attnroof
