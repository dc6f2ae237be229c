// compare: the words of every format.
#include "compare/formats.h"

#include <cmath>

#include "catch.h"
#include "tests/compare_fixture.h"

using namespace attnroof;
using namespace attnroof::fixture;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE("the totals say how many cases could not be judged, and what would judge them") {
    const std::vector<CaseResult> few{subject_case({0.001, 0.001, 0.001})};
    const Comparison self = compare({report_of(few)}, {report_of(few)}, {});
    REQUIRE(exit_code(self) == ExitCode::pass);
    REQUIRE(holds(totals_line(self), "1 of 2 could not be judged: measure longer"));
    REQUIRE(holds(totals_line(self), "--base A1 A2 A3 --new B1 B2 B3"));
    for (const char* extension : {"a.md", "a.txt"})
        REQUIRE(holds(compare_format_of(extension).render(self), "1 of 2 could not be judged"));
    const Report sure = report_of({subject_case(calm)});
    REQUIRE_FALSE(holds(totals_line(compare({sure}, {sure}, {})), "judged"));
}

TEST_CASE("markdown is worst first, capped, and counts the rest") {
    std::vector<CaseResult> base, fresh;
    for (int i = 0; i < 2000; ++i) {
        CaseResult c = subject_case(calm);
        c.plan.id = std::string(100, 'x') + "|" + std::to_string(i);
        base.push_back(c);
        c.time = summarize(scaled(i % 100 == 0 ? 1.2 + 1e-4 * i : 1.0));
        fresh.push_back(c);
    }
    const std::string text = to_markdown(compare({report_of(base)}, {report_of(fresh)}, {}));
    REQUIRE(text.size() < 65536);
    REQUIRE(holds(text, "FAIL (exit 1)"));
    REQUIRE(holds(text, "2001 cases: 1981 same, 0 faster, 20 slower"));
    REQUIRE(text.find("x\\|1900 ") < text.find("x\\|1800 "));
    REQUIRE(count_of(text, "| slower |") == 20);
    REQUIRE(holds(text, "1951 more rows: 1951 same"));
}

TEST_CASE("JUnit names every kind") {
    Report base = report_of({subject_case(calm)}), fresh = base;
    fresh.cases[0] = subject_case(scaled(1.3));
    const std::string slower = to_junit(compare({base}, {fresh}, {}));
    REQUIRE(holds(slower, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    REQUIRE(holds(slower, "<failure message=\"slower: +30.0 %"));

    fresh.cases[0] = subject_that(Status::failed, "a <b> & \"c\"\x01\xef\xbf\xbe");
    const std::string failed = to_junit(compare({base}, {fresh}, {}));
    REQUIRE(
        holds(failed, "<error message=\"failed: failed: a &lt;b&gt; &amp; &quot;c&quot;????\""));

    fresh.cases[0] = subject_case({0.001});
    CompareOptions options;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, options)), "<skipped message=\"ambiguous: "));
    options.strict = true;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, options)), "<failure message=\"ambiguous: "));

    fresh = base;  // no row fails, the gate does
    fresh.complete = false;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, {})), "name=\"gate\""));
}

TEST_CASE("annotations stay within what GitHub shows") {
    std::vector<CaseResult> base;
    for (int i = 0; i < 37; ++i) {
        base.push_back(subject_case(calm));
        base.back().plan.id = "case/" + std::to_string(i);
    }
    const std::string text = to_github_annotations(compare({report_of(base)}, {report_of({})}, {}));
    REQUIRE(count_of(text, "::error ") == 10);
    REQUIRE(holds(text, "::28 more of this kind"));
    REQUIRE(to_github_annotations(compare({report_of(base)}, {report_of(base)}, {})).empty());
    Report many = report_of({subject_case(calm)});
    CaseResult faster = subject_case(scaled(0.01));
    REQUIRE(holds(to_github_annotations(compare({many}, {report_of({faster})}, {})),
                  "::warning title=attnroof faster::"));
}

TEST_CASE("comparison as JSON") {
    const Comparison c =
        compare({report_of({subject_case(calm)})}, {report_of({subject_case(scaled(1.2))})}, {});
    const auto json = nlohmann::json::parse(to_json(c));
    REQUIRE(json["exit_code"] == 1);
    REQUIRE(json["totals"]["cases"] == 2);
    REQUIRE(json["totals"]["slower"] == 1);
    REQUIRE(json["cases"][0]["verdict"] == "slower");
    REQUIRE(std::abs(json["cases"][0]["time"]["ratio"].get<double>() - 1.2) < 1e-9);
    REQUIRE(json["cases"][0]["settle"].is_null());
}
