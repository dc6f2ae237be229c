// The JSON Schema takes every report that is written, and refuses what is not one.
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "report/formats.h"
#include "report/schema.h"
#include "report_fixture.h"
#include "report_validator.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;
using nlohmann::json;

namespace {

Report without_numbers() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Report r = fixture::small_report();
    r.complete = false;
    r.duration_s = nan;
    r.tool = {};
    r.tool.version = "0.1.0";
    r.cases[0].time->median_s = nan;
    r.cases[0].time->samples_s[1] = nan;
    r.cases[0].check->max_abs_error = nan;
    r.cases[0].point->intensity_flop_per_byte = nan;
    r.cases[0].counted.in_range[Counter::ffma].value = nan;
    r.findings[0].value = nan;
    return r;
}

}  // namespace

TEST_CASE("the schema takes every report of the fixtures", "[schema]") {
    const TemporaryFolder folder;
    const std::vector<Report> reports{fixture::gpu_report(), fixture::small_report(),
                                      fixture::cpu_report(), fixture::empty_gpu_report(),
                                      without_numbers()};
    std::vector<std::string> paths{ATTNROOF_TEST_DATA "/golden/report.json",
                                   ATTNROOF_TEST_DATA "/h200/report.json"};
    for (const Report& report : reports)
        paths.push_back(folder.write(fmt::format("{}.json", paths.size()), to_json(report)));
    if (const auto errors = schema_errors(paths)) REQUIRE(*errors == "");
}

TEST_CASE("the schema refuses what no report may hold", "[schema]") {
    struct Fault {
        const char* place;  // JSON pointer
        json value;         // discarded: the key is taken out
    };
    const json out(json::value_t::discarded);
    const std::vector<Fault> faults{
        {"/schema_version", 2},
        {"/complete", "yes"},
        {"/complete", out},
        {"/surprise", 1},
        {"/started_at", "yesterday"},
        {"/duration_s", -1},
        {"/tool/name", "other"},
        {"/device/kind", "tpu"},
        {"/device/compute_capability", 9.0},
        {"/device/l2_bytes", out},
        {"/config/axes/seq_len", json::array()},
        {"/config/axes/seqlen", json::array({1})},
        {"/config/timing/warmup", out},
        {"/ceilings/0/unit", "GB/s"},
        {"/ceilings/0/source", "guessed"},
        {"/cases/0/id", "fused"},
        {"/cases/0/problem/q_len", 0},
        {"/cases/0/problem/q_len", 1.5},
        {"/cases/0/problem/dtype", "fp8"},
        {"/cases/0/status", "fine"},
        {"/cases/0/time", nullptr},
        {"/cases/0/time/median_ms", 1},
        {"/cases/0/time/samples_s", json::array()},
        {"/cases/0/time/ci95_s", json::array({1})},
        {"/cases/0/counters/hbm_reads", {{"value", nullptr}, {"reason", ""}}},
        {"/cases/0/counters/ffma", {{"value", nullptr}}},
        {"/cases/0/counters/ffma", {{"value", 1}, {"reason", "both"}}},
        {"/cases/0/roofline/bytes_kind", "about"},
        {"/cases/0/roofline/bound", "luck"},
        {"/cases/0/model/source", "counted"},
        {"/cases/4/reason", nullptr},  // skipped, and nothing says why
        {"/cases/4/roofline", {{"flops", 1}}},
        {"/findings/0/value", "many"},
        {"/findings/0/interval", json::array({1})},
        {"/selftest/tolerance", 0},
        {"/prediction", {{"source", "counted"}, {"ceilings_from", "a datasheet"}}},
    };
    const json whole = json::parse(to_json(fixture::small_report()));
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (const Fault& fault : faults) {
        json report = whole;
        const json::json_pointer place(fault.place);
        if (fault.value.is_discarded())
            report[place.parent_pointer()].erase(place.back());
        else
            report[place] = fault.value;
        paths.push_back(folder.write(fmt::format("{}.json", paths.size()), report.dump()));
    }
    const auto errors = schema_errors(paths);
    if (!errors) return;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        INFO(faults[i].place << " " << i);
        REQUIRE(errors->find(paths[i] + ":") != std::string::npos);
    }
}

TEST_CASE("the schema that is compiled in is the file's", "[schema]") {
    REQUIRE(read_text(ATTNROOF_TEST_DATA "/../../schema/report.schema.json") == report_schema());
    REQUIRE(json::parse(report_schema())["properties"]["schema_version"]["const"] ==
            schema_version);
}

TEST_CASE("the schema takes what the binary writes", "[schema]") {
    const std::vector<std::vector<std::string>> commands{
        {"sweep", "--device", "cpu", "-N", "64", "-d", "64", "--dtype", "fp32,bf16", "--batch", "1",
         "--max-seconds", "0.01"},
        {"sweep", "--device", "cpu", "-N", "64,4194304", "-d", "64", "--pass", "forward,backward",
         "--kernels", "naive,fused:sm80", "--batch", "1", "--no-ceilings"},
        {"predict", "--device-spec", "h200", "-N", "4096", "-d", "128"}};
    for (std::vector<std::string> args : commands) {
        args.insert(args.end(), {"-o", "report.json"});
        const TemporaryFolder folder;
        const Outcome outcome = run_binary(args, folder.path());
        INFO(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        require_valid((folder.path() / "report.json").string());
    }
}

TEST_CASE("the schema and the help say what each status means", "[schema]") {
    const std::string schema =
        json::parse(report_schema()).at("/$defs/case/properties/status/description"_json_pointer);
    const TemporaryFolder folder;
    const std::string help = run_binary({"sweep", "--help"}, folder.path()).out;
    for (const char* said :
         {"unsupported", "skipped", "fit in memory", "reached", "failed", "wrong"})
        for (const std::string& text : {schema, help}) {
            INFO(said);
            REQUIRE(text.find(said) != std::string::npos);
        }
}

TEST_CASE("attnroof schema prints the schema", "[schema]") {
    const TemporaryFolder folder;
    REQUIRE(run_binary({"schema"}, folder.path()).out == report_schema());
}
