#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "config/parse.h"
#include "report/formats.h"
#include "report_fixture.h"
#include "report_golden.h"

using namespace attnroof;
using nlohmann::json;

TEST_CASE("the JSON of a small report is as it was", "[report]") {
    check_golden("report.json", to_json(fixture::small_report()));
}

TEST_CASE("a JSON report holds the documented keys", "[report]") {
    const json report = json::parse(to_json(fixture::small_report()));
    CHECK(report["schema_version"] == 1);
    CHECK(report["complete"] == true);
    CHECK(report["device"]["compute_capability"] == "9.0");
    CHECK(report["config"]["axes"]["seq_len"] == json({1024, 4096}));
    const json& first = report["cases"][0];
    CHECK(first["time"]["samples_s"].size() == 5);
    CHECK(first["time"]["source"] == "measured");
    const json& read = first["counters"]["hbm_read_bytes"];
    CHECK(read["unit"] == "byte");
    CHECK(read["source"] == "counted");
    CHECK(read["metric"] == "dram__bytes_read.sum");
    CHECK(read["passes"] == 4);
    CHECK(first["counters"]["settled_hbm_write_bytes"]["value"] ==
          first["model"]["hbm_write_bytes"]);
    CHECK(first["counters"]["l2_bytes"]["value"].is_null());
    CHECK(first["counters"]["l2_bytes"]["reason"] == "GH100 has no such metric");
    CHECK(first["model"]["hbm_bytes"] == first["model"]["hbm_read_bytes"].get<double>() +
                                             first["model"]["hbm_write_bytes"].get<double>());
    CHECK(first["executed"]["useful_per_executed"].get<double>() == Approx(1 / 1.02));
    CHECK(first["roofline"]["bytes_source"] == "counted");
    CHECK(report["cases"][1]["roofline"]["bytes_source"] == "modelled");
    CHECK(report["cases"][2]["steps"][1]["name"] == "softmax");
}

TEST_CASE("the config in a report can be given to --config", "[report]") {
    Report r = fixture::small_report();
    r.config.kernels = {{"naive", ""}, {"fused", "sm80"}};
    r.config.caches = {CacheMode::cold, CacheMode::warm};
    const ConfigLayer layer = parse_config(json::parse(to_json(r))["config"].dump(), "report.json");
    CHECK(layer.kernels == r.config.kernels);
    CHECK(layer.seq_lens == r.config.seq_lens);
    CHECK(layer.head_dims == r.config.head_dims);
    CHECK(layer.caches == r.config.caches);
    CHECK(layer.tokens == r.config.tokens);
    CHECK(layer.max_seconds == r.config.timing.max_seconds);
    CHECK(layer.seed == r.config.seed);
}

TEST_CASE("a case without a time says why", "[report]") {
    const json report = json::parse(to_json(fixture::small_report()));
    const json& skipped = report["cases"][4];
    CHECK(skipped["status"] == "skipped");
    CHECK(skipped["time"].is_null());
    CHECK(skipped["roofline"].is_null());
    CHECK(skipped["missing"]["time"] == skipped["reason"]);
    CHECK(skipped["counters"]["hbm_read_bytes"]["reason"] == skipped["reason"]);
}

TEST_CASE("without ceilings what needs none keeps its value", "[report]") {
    const json point = json::parse(to_json(fixture::unroofed_report()))["cases"][0]["roofline"];
    for (const char* key : {"flops", "hbm_bytes", "intensity_flop_per_byte", "achieved_flops_per_s",
                            "achieved_bytes_per_s"})
        CHECK(point.at(key).get<double>() > 0);
    for (const char* key : {"ceiling", "ceiling_mode", "attainable_flops_per_s", "attainable_s",
                            "fraction_of_roof", "bound"}) {
        CHECK(point.at(key).is_null());
        CHECK(point.at("missing").at(key) == "no ceiling to hold it against");
    }
}

TEST_CASE("a shut counter gate is the reason of every counter", "[report]") {
    const json report = json::parse(to_json(fixture::cpu_report()));
    CHECK(report["counters"]["closed_gate"] == "this CPU backend has no memory counters");
    CHECK(report["counters"]["remedy"] == "bytes are those of the model");
    for (const auto& [name, counter] : report["cases"][0]["counters"].items()) {
        CHECK(counter["value"].is_null());
        CHECK(counter["reason"] == "this CPU backend has no memory counters");
    }
    CHECK(report["device"]["l2_bytes"].is_null());
    CHECK(report["device"]["l3_bytes"] == 33554432);
    CHECK(report["device"]["missing"].contains("driver"));
}

TEST_CASE("numbers that are not finite become null with a reason", "[report]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    Report r = fixture::small_report();
    r.duration_s = nan;
    r.cases[0].time->median_s = nan;
    r.cases[0].time->samples_s[1] = infinite;
    r.cases[0].counted.in_range[Counter::ffma].value = -infinite;
    r.cases[0].check->max_abs_error = infinite;
    r.findings[0].value = nan;
    const std::string text = to_json(r);
    const json report = json::parse(text);
    CHECK(report["duration_s"].is_null());
    const json& first = report["cases"][0];
    CHECK(first["time"]["median_s"].is_null());
    CHECK(first["time"]["missing"]["median_s"] == "not a finite number");
    CHECK(first["time"]["samples_s"][1].is_null());
    CHECK(first["counters"]["ffma"] ==
          json({{"value", nullptr}, {"reason", "not a finite number"}}));
    CHECK(first["check"]["missing"]["max_abs_error"] == "not a finite number");
    CHECK(report["findings"][0]["value"].is_null());
}

TEST_CASE("bytes that are not UTF-8 do not break a report", "[report]") {
    Report r = fixture::small_report();
    r.command = {"attnroof", "\xff\xfe/\"x\"\n"};
    CHECK(json::parse(to_json(r))["command"][1] == "\xEF\xBF\xBD\xEF\xBF\xBD/\"x\"\n");
}

TEST_CASE("samples stand on one line and counts have no fraction", "[report]") {
    const std::string text = to_json(fixture::small_report());
    const std::size_t at = text.find("\"samples_s\": [");
    REQUIRE(at != std::string::npos);
    CHECK(text.find('\n', at) > text.find(']', at));
    CHECK(text.find("\"useful_flops\": 137438953472,") != std::string::npos);
}
