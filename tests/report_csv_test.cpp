#include <algorithm>
#include <limits>

#include "catch.h"
#include "report/formats.h"
#include "report_fixture.h"
#include "report_golden.h"

using namespace attnroof;

namespace {

using Row = std::vector<std::string>;

/// A reader of RFC 4180 that knows nothing of the writer.
std::vector<Row> parse_csv(const std::string& text) {
    std::vector<Row> rows;
    Row row;
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                field += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                field += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            row.push_back(std::exchange(field, ""));
        } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            row.push_back(std::exchange(field, ""));
            rows.push_back(std::exchange(row, {}));
            ++i;
        } else {
            field += c;
        }
    }
    CHECK(field.empty());
    return rows;
}

std::string cell(const std::vector<Row>& rows, std::size_t row, const std::string& column) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), column);
    REQUIRE(found != rows[0].end());
    return rows[row][static_cast<std::size_t>(found - rows[0].begin())];
}

}  // namespace

TEST_CASE("the CSV of a small report is as it was", "[report]") {
    check_golden("report.csv", to_csv(fixture::small_report()));
}

TEST_CASE("CSV has one row a case, all as long as the head, no column twice", "[report]") {
    const Report r = fixture::small_report();
    std::vector<Row> rows = parse_csv(to_csv(r));
    REQUIRE(rows.size() == r.cases.size() + 1);
    for (const Row& row : rows) CHECK(row.size() == rows[0].size());
    Row names = rows[0];
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("CSV cells hold base units and full precision", "[report]") {
    const Report r = fixture::small_report();
    const std::vector<Row> rows = parse_csv(to_csv(r));
    CHECK(std::stod(cell(rows, 1, "time_median_s")) == r.cases[0].time->median_s);
    CHECK(cell(rows, 1, "q_len") == "1024");
    CHECK(cell(rows, 1, "kernel_variant") == "sm80");
    CHECK(cell(rows, 1, "roofline_bytes_source") == "counted");
    CHECK(std::stod(cell(rows, 1, "counters_settled_hbm_write_bytes")) ==
          static_cast<double>(r.cases[0].modelled.write_bytes));
    CHECK(cell(rows, 4, "time_throttled") == "true");
}

TEST_CASE("what has no value is an empty cell, and the reason is told", "[report]") {
    const std::vector<Row> rows = parse_csv(to_csv(fixture::small_report()));
    CHECK(cell(rows, 5, "status") == "skipped");
    CHECK(cell(rows, 5, "time_median_s").empty());
    CHECK(cell(rows, 5, "roofline_flops").empty());
    CHECK(cell(rows, 5, "reason") == "needs 35.2 TB, 148 GB can be allocated");
    CHECK(cell(rows, 1, "counters_l2_bytes").empty());
    CHECK(cell(rows, 2, "executed_flops").empty());

    Report r = fixture::small_report();
    r.cases[0].time->median_s = std::numeric_limits<double>::quiet_NaN();
    CHECK(cell(parse_csv(to_csv(r)), 1, "time_median_s").empty());
}

TEST_CASE("CSV quotes commas, quotes and line ends", "[report]") {
    Report r = fixture::small_report();
    for (const char* reason : {"a,b", "say \"no\"", "two\r\nlines", "\"", " plain "}) {
        r.cases[0].plan.reason = reason;
        CHECK(cell(parse_csv(to_csv(r)), 1, "reason") == reason);
    }
}
