#include <limits>
#include <sstream>

#include "catch.h"
#include "report/formats.h"
#include "report/text_grid.h"
#include "report/units.h"
#include "report_fixture.h"
#include "report_golden.h"

using namespace attnroof;
using Catch::Matchers::Contains;

namespace {

std::size_t widest(const std::string& text) {
    std::istringstream lines(text);
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
}

}  // namespace

TEST_CASE("the table of a small report is as it was", "[report]") {
    check_golden("report.txt", to_table(fixture::small_report(), false, 100));
}

TEST_CASE("a table keeps to the width that it is given", "[report]") {
    for (int width : {100, 80, 60})
        for (const Report& r :
             {fixture::gpu_report(), fixture::cpu_report(), fixture::empty_gpu_report()})
            CHECK(widest(to_table(r, false, width)) <= static_cast<std::size_t>(width));
    CHECK(widest(to_table(fixture::gpu_report(), false, 0)) > 100);
}

TEST_CASE("a table says what was modelled, what was not counted and what went wrong", "[report]") {
    const std::string gpu = to_table(fixture::small_report(), false, 0);
    CHECK_THAT(gpu, Contains("0.269*"));
    CHECK_THAT(gpu, Contains("* bytes of the model, not counted"));
    CHECK_THAT(gpu, Contains("us!") && Contains("the device was throttled"));
    CHECK_THAT(gpu, Contains("skipped: needs 35.2 TB, 148 GB can be allocated"));
    CHECK_THAT(gpu, Contains("wrong: O differs"));
    CHECK_THAT(gpu, Contains("- fused wins from N = 1024 on"));
    CHECK_THAT(gpu, Contains("84% hbm.copy") && Contains("TFLOP/s") && Contains("HBM GB"));
    CHECK_THAT(gpu, Contains("7 cases: 4 ok, 1 unsupported, 1 skipped, 1 wrong"));
    const std::string cpu = to_table(fixture::cpu_report(), false, 100);
    CHECK_THAT(cpu, Contains("no counters: this CPU backend has no memory counters"));
    CHECK_THAT(cpu, Contains("GFLOP/s") && Contains("DRAM MB"));
}

TEST_CASE("without ceilings a table shows rates, bytes and intensity", "[report]") {
    const std::string table = to_table(fixture::unroofed_report(), false, 0);
    CHECK_THAT(table, Contains("ceilings: none measured") && Contains("naive"));
    for (const char* cell : {"TFLOP/s", "HBM GB", "FLOP/byte"}) CHECK_THAT(table, Contains(cell));
    CHECK_THAT(table, !Contains("nan") && !Contains("?") && !Contains("hbm."));
}

TEST_CASE("an unsteady ceiling is named as such", "[report]") {
    Report r = fixture::small_report();
    r.ceilings.front().spread = 0.45;
    CHECK_THAT(to_table(r, false, 0), Contains("(spread 45 %)"));
    r.ceilings.front().spread = 0.05;
    CHECK_THAT(to_table(r, false, 0), !Contains("spread"));
}

TEST_CASE("text from a file neither colours nor moves a terminal", "[report]") {
    Report r = fixture::small_report();
    r.device.name = "\x1b[31mred\x07";
    r.ceilings[0].id = "a\nb";
    r.cases[0].plan.reason = r.cases[0].warnings.emplace_back("\x1b[2J");
    r.cases[0].plan.status = Status::failed;
    const std::string table = to_table(r, false, 100);
    CHECK_THAT(table, Contains("?[31mred?") && Contains("a?b") && Contains("failed: ?[2J"));
    CHECK(table.find('\x1b') == std::string::npos);
}

TEST_CASE("colour is there only when asked for", "[report]") {
    CHECK(to_table(fixture::small_report(), false, 100).find('\x1b') == std::string::npos);
    CHECK_THAT(to_table(fixture::small_report(), true, 100), Contains("\x1b[31m"));
}

TEST_CASE("an incomplete report says so", "[report]") {
    Report r = fixture::small_report();
    r.complete = false;
    CHECK_THAT(to_table(r, false, 0), Contains("incomplete"));
}

TEST_CASE("lengths that differ are written as queries by keys", "[report]") {
    Report r = fixture::gpu_report({4096}, {128}, {Mask::full});
    for (CaseResult& c : r.cases) c.plan.problem.q_len = 1;
    CHECK_THAT(to_table(r, false, 0), Contains("1 x 4096"));
}

TEST_CASE("a table keeps its layout with any finite number", "[report]") {
    const double most = std::numeric_limits<double>::max(),
                 least = std::numeric_limits<double>::denorm_min();
    for (const double value : {most, 1e308, 1e18, 1e-18, least}) {
        Report r = fixture::gpu_report({1024}, {128}, {Mask::full});
        for (Ceiling& c : r.ceilings) c.value = value;
        r.device.power_limit_w = value;
        Point& p = *r.cases[0].point;
        for (double* figure : {&p.hbm_bytes, &p.intensity_flop_per_byte, &p.achieved_flops_per_s,
                               &p.attainable_flops_per_s, &p.fraction_of_roof})
            *figure = value;
        r.cases[0].time = summarize({value, value});
        const std::string whole = to_table(r, false, 0), cells = whole.substr(whole.find("\n\n"));
        INFO(whole);
        CHECK(widest(to_table(r, false, 100)) <= 100);
        CHECK(widest(cells) < 120);
        CHECK(r.cases[0].time->median_s == value);
    }
}

TEST_CASE("numbers for people have three significant digits", "[report]") {
    CHECK(si(5.87e14, "FLOP/s") == "587 TFLOP/s");
    CHECK(si(1.5e-6, "s") == "1.50 us");
    CHECK(si(999.6e6, "B") == "1.00 GB");
    CHECK(si(999.4e6, "B") == "999 MB");
    CHECK(si(0, "s") == "0 s");
    CHECK(si(-2e3, "B") == "-2.00 kB");
    CHECK(si(std::nan(""), "s") == "? s");
    CHECK(significant(9.996) == "10.0");
    CHECK(significant(0.02521) == "0.0252");
    CHECK(significant(12345) == "12345");
    CHECK(significant(1e308) == "1.00e+308");
    CHECK(significant(1.234e-7) == "1.23e-07");
    CHECK(percent(0.857) == "86");
    CHECK(percent(1e30) == "1.00e+32");
    CHECK(spoken(4.28e12, "byte/s") == "4.28 TB/s");
    CHECK(short_length(16384) == "16k");
    CHECK(short_length(1000) == "1000");
    CHECK(short_length(1 << 20) == "1M");
}

TEST_CASE("text wraps at spaces", "[report]") {
    CHECK(wrap("one two three", 8, 2) == std::vector<std::string>{"one two", "  three"});
    CHECK(wrap("unbreakable", 4, 0) == std::vector<std::string>{"unbreakable"});
    CHECK(wrap("", 10, 0).empty());
}
