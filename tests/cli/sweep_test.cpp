// A real sweep on the CPU, through the binary.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;

namespace {

nlohmann::json small_sweep(const TemporaryFolder& folder, const std::string& counters,
                           int& exit_code, const std::string& selftest = "--selftest") {
    const Outcome outcome = run_binary(
        {"sweep", "--device", "cpu", "-N", "16", "-d", "16", "--mask", "full", "--max-seconds",
         "0.01", "--no-ceilings", "--counters", counters, selftest, "-o", "report.json"},
        folder.path());
    INFO(outcome.err);
    exit_code = outcome.exit_code;
    return nlohmann::json::parse(std::ifstream(folder.path() / "report.json"));
}

}  // namespace

TEST_CASE(
    "counters that were asked for and cannot be had fail the sweep, which is written all the "
    "same") {
    const TemporaryFolder folder;
    int exit_code = -1;
    const nlohmann::json report = small_sweep(folder, "on", exit_code);
    CHECK(report.at("complete") == true);
    const bool shut = report.at("counters").at("closed_gate").is_string();
    CHECK(exit_code == (shut ? 1 : 0));
}

TEST_CASE("a sweep says why it has no results of a self-test") {
    const TemporaryFolder folder;
    int exit_code = -1;
    const nlohmann::json off = small_sweep(folder, "auto", exit_code, "--no-selftest");
    CHECK(off.at("config").at("selftest") == false);
    CHECK(off.at("selftest").at("reason") == "not asked for");

    const nlohmann::json on = small_sweep(folder, "auto", exit_code);
    CHECK_FALSE(on.at("config").contains("selftest"));
    CHECK(on.at("selftest").at("results").empty());
    const nlohmann::json& gate = on.at("counters").at("closed_gate");
    CHECK(on.at("selftest").at("reason") ==
          (gate.is_string() ? gate : "this device has no jobs of known counts"));
}

TEST_CASE("a sweep without counters passes when every case is right") {
    const TemporaryFolder folder;
    int exit_code = -1;
    const nlohmann::json report = small_sweep(folder, "off", exit_code);
    CHECK(exit_code == 0);
    CHECK(report.at("selftest").at("reason") == "counters were switched off");
    REQUIRE(report.at("cases").size() == 2);
    for (const auto& c : report.at("cases")) {
        CHECK(c.at("status") == "ok");
        CHECK(c.at("time").at("median_s") > 0);
        CHECK(c.at("check").at("worst_ratio") <= 1);
        CHECK(c.at("roofline").at("intensity_flop_per_byte") > 0);  // needs no ceiling
        CHECK(c.at("roofline").at("bound").is_null());
    }
}
