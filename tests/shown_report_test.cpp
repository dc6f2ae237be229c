// The measured report that the README shows: it reads, its points lie under its roofs, and table
// and picture are its own.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "report/formats.h"
#include "report/read.h"
#include "report_golden.h"

using namespace attnroof;

namespace {

const std::string data = ATTNROOF_TEST_DATA;

/// The README's indented lines from the one that begins with `first` to the one before `after`,
/// less their indent.
std::vector<std::string> shown_lines(const std::string& first, const std::string& after) {
    std::istringstream readme(file_text(data + "/../../README.md"));
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string line; std::getline(readme, line);) {
        inside = inside || line.rfind(first, 0) == 0;
        if (inside && line.rfind(after, 0) == 0) break;
        if (inside && line.size() > 4) lines.push_back(line.substr(4));
    }
    return lines;
}

}  // namespace

TEST_CASE("the report that the README shows is whole and has no point above its roof", "[report]") {
    const Report report = read_report(data + "/h200/report.json");
    CHECK(report.complete);
    CHECK(report.device.name == "NVIDIA H200");
    REQUIRE(report.cases.size() == 32);
    for (const CaseResult& c : report.cases) {
        CAPTURE(c.plan.id);
        REQUIRE(c.point);
        CHECK(c.point->fraction_of_roof < 1);
        CHECK(c.point->bytes_source == Source::counted);
        CHECK(*c.counted.executed_flops() >= c.useful_flops);
        const double off = c.point->hbm_bytes / static_cast<double>(c.modelled.total()) - 1;
        CHECK(std::abs(off) < 0.05);
    }
}

TEST_CASE("the README's table of the H200 is that of its report") {
    const std::string table = to_table(read_report(data + "/h200/report.json"), false, 0);
    const auto shown = shown_lines("    device:   NVIDIA H200", "The 16 causal rows");
    REQUIRE(shown.size() == 21);  // four lines of head, the columns, 16 rows
    for (const std::string& line : shown) {
        INFO(line);
        CHECK(table.find(line + "\n") != std::string::npos);
    }
}

TEST_CASE("the picture of the H200 is that of its report") {
    check_golden("../h200/roofline.svg", to_svg(read_report(data + "/h200/report.json")));
}
