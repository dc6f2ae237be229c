// The page as text; how it behaves in a browser is tested by html/page_test.py.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "findings/findings.h"
#include "report/formats.h"
#include "report/html_view.h"
#include "report/lesson.h"
#include "report/memory_levels.h"
#include "tests/report_fixture.h"

using namespace attnroof;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// The JSON of one of the page's data elements.
nlohmann::json data(const std::string& html, const std::string& id) {
    const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
    const std::size_t start = html.find(open);
    REQUIRE(start != html.npos);
    const std::size_t end = html.find("</script>", start);
    return nlohmann::json::parse(html.substr(start + open.size(), end - start - open.size()));
}

constexpr const char* hostile = "</script><!-- {{script}} \"'& \xff";

}  // namespace

TEST_CASE("the page holds the whole report as JSON", "[report]") {
    const Report report = fixture::small_report();
    const std::string html = to_html(report);
    CHECK(data(html, "report-data") == nlohmann::json::parse(to_json(report)));
    CHECK(html.find("{{") == html.npos);
}

TEST_CASE("the page names no other resource", "[report]") {
    const std::string html = to_html(fixture::gpu_report());
    CHECK(count(html, "://") == count(html, "http://www.w3.org/2000/svg"));
    CHECK(html.find(" src=") == html.npos);
    CHECK(html.find("@import") == html.npos);
    CHECK(html.find("url(") == html.npos);
    CHECK(html.find("default-src 'none'") != html.npos);
}

TEST_CASE("hostile text neither ends a script nor is filled in", "[report]") {
    Report report = fixture::small_report();
    const std::size_t scripts = count(to_html(report), "</script>");
    report.device.name = report.cases[0].plan.id = hostile;
    report.cases[0].warnings = {hostile};
    report.findings[0].text = hostile;
    const std::string html = to_html(report);
    CHECK(count(html, "</script>") == scripts);
    CHECK(count(html, "<!--") == 0);
    const std::string id = data(html, "report-data")["cases"][0]["id"];
    CHECK(id.starts_with("</script><!-- {{script}} \"'& "));
}

TEST_CASE("series and points of the page stand for the cases of the report", "[report]") {
    const Report report = fixture::gpu_report();
    const auto view = html_view(report);
    REQUIRE(view["cases"].size() == report.cases.size());
    CHECK(view["series"].size() == 8);
    for (const auto& series : view["series"])
        for (const std::size_t index : series["cases"]) {
            const CaseResult& c = report.cases[index];
            CHECK(view["kernels"][series["kernel"].get<std::size_t>()]["name"] ==
                  c.plan.asked.name);
            const auto& point = view["cases"][index]["levels"][0];
            CHECK(point["intensity"] == c.point->intensity_flop_per_byte);
            CHECK(point["source"] == "counted");
        }
    CHECK(view["lesson"].empty());
}

TEST_CASE("a cache is a level of its own when it has a roof and counted bytes", "[report]") {
    Report report = fixture::gpu_report({1024, 4096}, {128}, {Mask::full});
    CHECK(memory_levels(report, plot_of(report)).size() == 1);  // no l2_bytes in the fixture
    CaseResult& c = report.cases[1];
    c.counted.in_range[Counter::l2_bytes] = fixture::counted(c.point->flops / 50, "lts__t_bytes");
    const auto levels = memory_levels(report, plot_of(report));
    REQUIRE(levels.size() == 2);
    CHECK(levels[1].name == "L2");
    CHECK_FALSE(levels[1].points[0].point);
    REQUIRE(levels[1].points[1].point);
    const Point& p = *levels[1].points[1].point;
    CHECK(p.intensity_flop_per_byte == Approx(50));
    CHECK(p.bound == Bound::memory);  // 50 FLOP/byte x 8.4 TB/s is below the tensor roof
    CHECK(p.fraction_of_roof == Approx(p.achieved_flops_per_s / (50 * 8.4e12)));
    report.ceilings.clear();
    CHECK(memory_levels(report, plot_of(report)).size() == 1);
}

TEST_CASE("the lesson walks through the claims and says what was not measured", "[report]") {
    Report report = fixture::gpu_report();
    CHECK(lesson_of(report).empty());
    report.config.lesson = true;
    report.findings = findings_of(report);
    const auto steps = lesson_of(report);
    REQUIRE(steps.size() == 5);
    for (const LessonStep& step : steps) CHECK_FALSE(step.findings.empty());
    CHECK(steps[0].verdict.starts_with("Holds here"));
    CHECK(steps[3].verdict.starts_with("Holds here"));
    CHECK(steps[4].verdict.starts_with("Holds here"));

    Report cpu = fixture::cpu_report();
    cpu.config.lesson = true;
    cpu.findings = findings_of(cpu);
    CHECK(lesson_of(cpu)[0].verdict.find("counted nothing") != std::string::npos);
    Report slow = cpu;
    for (CaseResult& c : slow.cases) c.point->bound = Bound::neither;
    slow.findings = findings_of(slow);
    CHECK(lesson_of(slow)[2].verdict.starts_with("Not shown here"));
    slow.cases[0].point->bound = Bound::latency;  // no roof either
    slow.findings = findings_of(slow);
    CHECK(lesson_of(slow)[2].verdict.starts_with("Not shown here"));
    cpu.cases.clear();
    cpu.findings.clear();
    for (const LessonStep& step : lesson_of(cpu)) CHECK(step.verdict == "Not measured here.");
}
