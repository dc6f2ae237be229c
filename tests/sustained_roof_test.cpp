// A throttled case is held against a sustained roof: every format says so, at every level.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

#include "catch.h"
#include "findings/findings.h"
#include "report/formats.h"
#include "report/html_view.h"
#include "report_fixture.h"

using namespace attnroof;

namespace {

constexpr const char* levels[] = {"hbm", "l2", "l1"};

/// One throttled case, on the sustained tensor roof at every level.
Report sustained_report() {
    Report r = fixture::gpu_report({4096}, {128}, {Mask::full});
    r.cases.erase(r.cases.begin());
    r.config.levels = {Level::hbm, Level::l2, Level::l1};
    r.ceilings.push_back(fixture::ceiling("l1.read", 33e12, "byte/s"));
    CaseResult& c = r.cases.front();
    fixture::throttle(c, 668e12);
    for (Counter counter : {Counter::l2_bytes, Counter::l1_bytes})
        c.counted.in_range[counter] = fixture::counted(c.useful_flops / 1000, "bytes");
    return r;
}

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++times;
    return times;
}

std::vector<std::string> split(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
}

/// The cell of the only case, and the name of the column that follows it.
std::pair<std::string, std::string> csv_cell(const std::string& csv, const std::string& column) {
    const std::size_t end = csv.find("\r\n");
    const auto names = split(csv.substr(0, end)), cells = split(csv.substr(end + 2));
    const auto found = std::find(names.begin(), names.end(), column);
    INFO("column " << column);
    REQUIRE(found + 1 < names.end());
    return {cells.at(static_cast<std::size_t>(found - names.begin())), *(found + 1)};
}

}  // namespace

TEST_CASE("a roof is named with its mode, and a point without one has neither", "[sustained]") {
    CHECK(roof_name("tensor.bf16", CeilingMode::burst) == "tensor.bf16");
    CHECK(roof_name("tensor.bf16", CeilingMode::sustained) == "tensor.bf16 sustained");
    Point p;
    p.ceiling_mode = CeilingMode::sustained;
    CHECK(roof_name(p).empty());
    CHECK(std::string(mode_name(p)).empty());
    p.ceiling = "tensor.fp16";
    CHECK(roof_name(p) == "tensor.fp16 sustained");
    CHECK(std::string(mode_name(p)) == "sustained");
}

TEST_CASE("the table names the sustained roof at every level", "[sustained]") {
    const std::string table = to_table(sustained_report(), false, 0);
    INFO(table);
    CHECK(occurrences(table, "% tensor.bf16 sustained") == std::size(levels));
    CHECK(occurrences(table, "% tensor.bf16") == std::size(levels));
}

TEST_CASE("markdown names the sustained roof at every level", "[sustained]") {
    const std::string markdown = to_markdown(sustained_report());
    INFO(markdown);
    CHECK(occurrences(markdown, "% tensor.bf16 sustained |") == std::size(levels));
}

TEST_CASE("CSV tells the mode of a roof beside its id", "[sustained]") {
    const std::string csv = to_csv(sustained_report());
    for (const std::string block : {"roofline", "levels_hbm", "levels_l2", "levels_l1"}) {
        CHECK(csv_cell(csv, block + "_ceiling") ==
              std::pair<std::string, std::string>("tensor.bf16", block + "_ceiling_mode"));
        CHECK(csv_cell(csv, block + "_ceiling_mode").first == "sustained");
    }
    Report r = sustained_report();
    r.cases.front().time->clocks.throttled = false;  // by which the caches' points are placed
    CHECK(csv_cell(to_csv(r), "levels_l2_ceiling_mode").first == "burst");
    r.cases.front().point->ceiling.clear();
    CHECK(csv_cell(to_csv(r), "roofline_ceiling_mode").first.empty());
}

TEST_CASE("a picture's tooltips name the sustained roof, timed or not", "[sustained]") {
    Report r = sustained_report();
    const std::string svg = to_svg(r);
    CHECK(occurrences(svg, " % of tensor.bf16 sustained, bound by compute") == std::size(levels));
    CHECK(occurrences(svg, " % of tensor.bf16") == std::size(levels));
    r.cases.front().time.reset();
    CHECK(occurrences(to_svg(r), "bound by compute, tensor.bf16 sustained&#10;") == 1);
}

TEST_CASE("the page's data name the sustained roof, and its filter finds it", "[sustained]") {
    const auto shown = html_view(sustained_report())["cases"][0];
    REQUIRE(shown["levels"].size() == std::size(levels));
    for (const auto& level : shown["levels"]) CHECK(level["roof"] == "tensor.bf16 sustained");
    CHECK_THAT(shown["search"].get<std::string>(), ContainsSubstring("tensor.bf16 sustained"));
}

TEST_CASE("JSON has the mode as a field of its own", "[sustained]") {
    const auto shown = nlohmann::json::parse(to_json(sustained_report()))["cases"][0];
    CHECK(shown["roofline"]["ceiling"] == "tensor.bf16");
    CHECK(shown["roofline"]["ceiling_mode"] == "sustained");
    for (const char* level : levels) CHECK(shown["levels"][level]["ceiling_mode"] == "sustained");
}

TEST_CASE("warnings and findings name the sustained roof", "[sustained]") {
    Report r = sustained_report();
    r.cases.front().point->fraction_of_roof = 1.25;
    CHECK_THAT(above_roof_warning(*r.cases.front().point).value(),
               ContainsSubstring("125.0 % of tensor.bf16 sustained: above the roof"));
    for (Ceiling& c : r.ceilings) c.spread = 0.45;
    const std::vector<Finding> all = findings_of(r);
    const auto found = std::find_if(all.begin(), all.end(), [](const Finding& f) {
        return f.id == "ceilings.unsteady.tensor.bf16.sustained";
    });
    REQUIRE(found != all.end());
    CHECK_THAT(found->text, ContainsSubstring("tensor.bf16 sustained: half of its samples"));
}
