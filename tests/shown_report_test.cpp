// What the README shows of the H200 is what the report beside it says.
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
