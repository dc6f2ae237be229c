#include <sstream>

#include "catch.h"
#include "findings/findings.h"
#include "report/formats.h"
#include "tests/report_fixture.h"

using namespace attnroof;

namespace {

std::vector<std::string> table_lines(const std::string& markdown) {
    std::istringstream text(markdown);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        if (line.starts_with("|")) lines.push_back(line);
    return lines;
}

/// Cells of a row; an escaped bar is none of its own.
std::ptrdiff_t bars(const std::string& line) {
    std::ptrdiff_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
        count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return count;
}

}  // namespace

TEST_CASE("markdown: one row a case, all of one width", "[report]") {
    const Report report = fixture::small_report();
    const auto lines = table_lines(to_markdown(report));
    REQUIRE(lines.size() == report.cases.size() + 2);
    for (const std::string& line : lines) {
        INFO(line);
        CHECK(bars(line) == bars(lines.front()));
    }
    const std::string all = to_markdown(report);
    CHECK(all.find("**wrong**: O differs, \"0.3\" &gt; 0.01") != std::string::npos);
    CHECK(all.find("- fused wins from N = 1024 on") != std::string::npos);
    CHECK(all.find("bytes of the model, not counted") != std::string::npos);
}

TEST_CASE("markdown: a long table is folded, the findings are not", "[report]") {
    Report report = fixture::gpu_report();
    report.findings = findings_of(report);
    const std::string all = to_markdown(report);
    const std::size_t fold = all.find("<details><summary>Every case");
    REQUIRE(fold != std::string::npos);
    CHECK(all.find("grow as N^") < fold);
    CHECK(all.size() < 65536);
}

TEST_CASE("markdown: text of the report stays text", "[report]") {
    Report report = fixture::small_report();
    report.cases.back().plan.reason = "a|b\n<script>`x`*";
    const auto lines = table_lines(to_markdown(report));
    CHECK(bars(lines.back()) == bars(lines.front()));
    CHECK(lines.back().find("a\\|b &lt;script&gt;\\`x\\`\\*") != std::string::npos);
}

TEST_CASE("markdown: a report without cases still says so", "[report]") {
    const std::string all = to_markdown(fixture::empty_gpu_report());
    CHECK(all.find("0 cases") != std::string::npos);
    CHECK(table_lines(all).empty());
}
