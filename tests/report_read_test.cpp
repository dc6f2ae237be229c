#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "errors.h"
#include "report/formats.h"
#include "report/read.h"
#include "report_fixture.h"

using namespace attnroof;
using nlohmann::json;

namespace {

/// The one-line message that reading `text` ends in.
std::string error_of(const std::string& text) {
    try {
        parse_report(text, "r.json");
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

/// The small report with one value replaced.
std::string with(const std::string& pointer, const json& value) {
    json report = json::parse(to_json(fixture::small_report()));
    report.at(json::json_pointer(pointer)) = value;
    return report.dump(2);
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("a report survives being written and read", "[report]") {
    for (const Report& report :
         {fixture::small_report(), fixture::gpu_report(), fixture::cpu_report(),
          fixture::empty_gpu_report(), fixture::unroofed_report()}) {
        const std::string text = to_json(report);
        const Report back = parse_report(text, "r.json");
        CHECK(to_json(back) == text);
        CHECK(to_csv(back) == to_csv(report));
        CHECK(to_svg(back) == to_svg(report));
        CHECK(to_table(back, false, 100) == to_table(report, false, 100));
    }
}

TEST_CASE("what compare needs is read back", "[report]") {
    Report from = fixture::small_report();
    from.config.seed = 18446744073709551615u;
    const Report r = parse_report(to_json(from), "r.json");
    REQUIRE(r.cases.size() == from.cases.size());
    const CaseResult& c = r.cases[3];
    CHECK(c.plan.id == from.cases[3].plan.id);
    CHECK(c.plan.problem == from.cases[3].plan.problem);
    CHECK(c.time->samples_s == from.cases[3].time->samples_s);
    CHECK(c.time->clocks.throttle_reasons == 4u);
    CHECK(c.time->clocks.throttled == true);
    CHECK(c.counted.passes == 4);
    CHECK(c.counted.executed_flops() == from.cases[3].counted.executed_flops());
    CHECK(c.counted.in_range.at(Counter::l2_bytes).reason == "GH100 has no such metric");
    CHECK(r.cases[4].plan.status == Status::skipped);
    CHECK_FALSE(r.cases[4].time);
    CHECK(r.device.uuid == from.device.uuid);
    CHECK(r.config.tokens == 16384);
    CHECK(r.config.seed == from.config.seed);
    CHECK(r.ceilings[5].mode == CeilingMode::sustained);
    CHECK(r.findings[1].value == 1024);
}

TEST_CASE("kernels are looked up, and kept when this build lacks them", "[report]") {
    const Report r = parse_report(to_json(fixture::small_report()), "r.json");
    REQUIRE(r.cases[0].plan.kernel);
    CHECK(r.cases[0].plan.kernel->name == "naive");
    CHECK(variant_of(r.cases[0]) == "sm80");

    const Report other = parse_report(with("/cases/1/kernel/variant", "sm130"), "r.json");
    CHECK(other.cases[1].plan.kernel == nullptr);
    CHECK(other.cases[1].plan.asked.name == "fused");
    CHECK(variant_of(other.cases[1]) == "sm130");
}

TEST_CASE("a variant that was asked for is told from one that was chosen", "[report]") {
    Report from = fixture::small_report();
    from.cases[1].plan.asked.variant = "sm90";
    from.cases[1].plan.id.replace(from.cases[1].plan.id.find("fused"), 5, "fused:sm90");
    const Report r = parse_report(to_json(from), "r.json");
    CHECK(r.cases[1].plan.asked.text() == "fused:sm90");
    CHECK(r.cases[3].plan.asked.text() == "fused");
}

TEST_CASE("null numbers are read as NaN and written as null again", "[report]") {
    Report from = fixture::small_report();
    from.cases[0].time->median_s = std::numeric_limits<double>::infinity();
    const std::string text = to_json(from);
    const Report r = parse_report(text, "r.json");
    CHECK(std::isnan(r.cases[0].time->median_s));
    CHECK(to_json(r) == text);
}

TEST_CASE("a self-test's error without a count is no verdict", "[report]") {
    const std::string text = with("/selftest/results/1/counted", nullptr);
    CHECK(parse_report(text, "r.json").selftest.unusable().empty());
}

TEST_CASE("text that is no report ends in one line that says why", "[report]") {
    CHECK_THAT(error_of(""), Contains("r.json: the file is empty"));
    CHECK_THAT(error_of(" \n"), Contains("empty"));
    CHECK_THAT(error_of("[1, 2]"), Contains("not a report"));
    CHECK_THAT(error_of("{}"), Contains("no schema_version"));
    CHECK_THAT(error_of("{\"schema_version\": 1,\n  oops"),
               Contains("not JSON at line 2, column 3"));
    CHECK(error_of("{\"schema_version\":\n 1e999}") ==
          "r.json: line 2, column 6: '1e999' is too large for a number");
}

TEST_CASE("a truncated report is called that, with the place", "[report]") {
    const std::string text = to_json(fixture::small_report());
    const std::string message = error_of(text.substr(0, text.find("\"device\"") + 4));
    CHECK_THAT(message, Contains("truncated") && Contains("line 9, column 6"));
    // Wherever it was cut, the message is one line and blames the file.
    for (std::size_t size = 1; size + 2 < text.size(); size += 997) {
        const std::string cut = error_of(text.substr(0, size));
        CHECK_THAT(cut, Contains("r.json: truncated"));
        CHECK(cut.find('\n') == std::string::npos);
    }
}

TEST_CASE("another schema_version says what to do", "[report]") {
    CHECK_THAT(error_of(with("/schema_version", 0)),
               Contains("older") && Contains("attnroof sweep"));
    CHECK_THAT(error_of(with("/schema_version", 999)), Contains("newer") && Contains("update"));
    CHECK_THAT(error_of(with("/schema_version", "1")),
               Contains("schema_version: expected a whole"));
    CHECK_THAT(error_of("{\"schema_version\": 2}"), Contains("newer"));
}

TEST_CASE("a value of the wrong type is named by its path", "[report]") {
    CHECK_THAT(error_of(with("/cases/3/time/median_s", "fast")),
               Contains("r.json: cases[3].time.median_s: expected a number, got \"fast\""));
    CHECK_THAT(error_of(with("/cases/0/status", "fine")),
               Contains("cases[0].status: unknown value \"fine\"; known: ok, unsupported"));
    CHECK_THAT(error_of(with("/cases/0/problem/q_len", 1.5)), Contains("cases[0].problem.q_len"));
    CHECK_THAT(error_of(with("/cases/0/problem/q_len", 0)), Contains("at least 1"));
    CHECK_THAT(error_of(with("/cases/0/problem/heads", 18446744073709551615u)),
               Contains("cases[0].problem.heads: expected a whole number of 64 bits"));
    CHECK_THAT(error_of(with("/cases/0/time/ci95_s", {1, 2, 3})), Contains("two numbers"));
    CHECK_THAT(error_of(with("/cases", 7)), Contains("cases: expected an array, got 7"));
    CHECK_THAT(error_of(with("/device/compute_capability", "new")), Contains("MAJOR.MINOR"));
    json lacking = json::parse(to_json(fixture::small_report()));
    lacking["cases"][2].erase("id");
    CHECK_THAT(error_of(lacking.dump()), Contains("cases[2].id: missing"));
}

TEST_CASE("figures that cannot be are named by file and path", "[report]") {
    const auto refused = [](const std::string& pointer, const json& value,
                            const std::string& says) {
        const std::string message = error_of(with(pointer, value));
        INFO(pointer << " " << value);
        CHECK_THAT(message, Contains(says));
        CHECK_THAT(message, Catch::Matchers::StartsWith("r.json: "));
        CHECK(message.find('\n') == std::string::npos);
    };
    for (const char* key : {"median_s", "min_s", "ci95_s/0", "ci95_s/1", "samples_s/2"})
        for (const double value : {0.0, -1e-3})
            refused(std::string("/cases/0/time/") + key, value, "expected a number above 0");
    refused("/cases/2/steps/0/time/median_s", -1, "cases[2].steps[0].time.median_s");
    refused("/cases/0/time/median_s", 7, "cases[0].time.median_s: 7 is not the median of");
    refused("/cases/0/time/min_s", 1e-9, "cases[0].time.min_s: 1e-09 is not the least of");
    refused("/cases/0/time/ci95_s/0", 7, "cases[0].time.ci95_s: 7 to");
    refused("/cases/0/time/samples_s", json::array(), "cases[0].time.samples_s: holds no sample");

    refused("/cases/0/time/source", "guessed", "cases[0].time.source: unknown value \"guessed\"");
    refused("/cases/0/time/source", "modelled", "cases[0].time.source: expected \"measured\" here");
    refused("/cases/0/model/source", "counted", "cases[0].model.source");
    refused("/cases/0/executed/source", "measured", "cases[0].executed.source");
    refused("/cases/0/roofline/flops_source", "counted", "cases[0].roofline.flops_source");
    refused("/cases/0/roofline/bytes_source", "known", "cases[0].roofline.bytes_source");
    refused("/cases/2/memory/source", "modelled", "cases[2].memory.source");
    refused("/cases/0/counters/ffma/source", "modelled", "cases[0].counters.ffma.source");
    refused("/cases/2/steps/0/model/source", "counted", "cases[2].steps[0].model.source");

    for (const char* place :
         {"/cases/0/roofline/fraction_of_roof", "/cases/0/roofline/hbm_bytes",
          "/cases/0/roofline/attainable_s", "/cases/0/model/useful_flops",
          "/cases/0/model/hbm_read_bytes", "/cases/0/model/footprint_bytes",
          "/cases/0/counters/ffma/value", "/cases/0/check/tolerance", "/cases/0/time/sm_clock_mhz",
          "/ceilings/0/value", "/ceilings/0/spread", "/device/memory_bytes", "/duration_s"})
        refused(place, -1, "expected 0 ");
    refused("/cases/0/kernel/name", "naive; reboot", "cases[0].kernel.name: expected letters");
    refused("/ceilings/0/unit", "GB/s", "ceilings[0].unit: unknown unit \"GB/s\"");
    refused("/cases/0/problem/q_len", std::int64_t{1} << 40, "do not fit in 64 bits");
    refused("/cases/0/model/hbm_read_bytes", std::int64_t{1} << 62 | 1, "2^62");
}

TEST_CASE("cases that contradict each other or the report are named", "[report]") {
    json report = json::parse(to_json(fixture::small_report()));
    report["cases"][3]["id"] = report["cases"][1]["id"];
    CHECK_THAT(error_of(report.dump()), Contains("r.json: cases[3].id: forward/fused/") &&
                                            Contains("is the id of cases[1] too"));
    CHECK_THAT(error_of(with("/cases/0/time", nullptr)),
               Contains("cases[0].time: a case that is ok has a time"));
    json predicted = json::parse(to_json(fixture::small_report()));
    predicted["prediction"] = {{"source", "modelled"}, {"ceilings_from", "datasheet"}};
    CHECK_THAT(error_of(predicted.dump()), Contains("a prediction holds no measured time"));
}

TEST_CASE("a file that cannot be read is named", "[report]") {
    CHECK_THROWS_WITH(read_report("no/such/report.json"),
                      Contains("no/such/report.json") && Contains("No such file"));
    CHECK_THROWS_WITH(read_report("/"), Contains("is a directory, not a report"));
}
