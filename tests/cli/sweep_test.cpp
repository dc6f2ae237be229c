// A real sweep on the CPU, through the binary.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "report/formats.h"
#include "tests/cli/run_binary.h"
#include "tests/report_validator.h"

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

TEST_CASE("a sweep names on stderr the files that it replaces and those that it wrote") {
    const TemporaryFolder folder;
    const std::vector<std::string> args{"sweep",      "--device",
                                        "cpu",        "-N",
                                        "16",         "-d",
                                        "16",         "--mask",
                                        "full",       "--max-seconds",
                                        "0.01",       "--no-ceilings",
                                        "--counters", "off",
                                        "-o",         "report.json",
                                        "-o",         "report.csv",
                                        "-o",         "/dev/null"};
    const auto lines_with = [](const std::string& text, const std::string& part) {
        std::size_t lines = 0;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) lines += line.starts_with(part);
        return lines;
    };
    const std::string here = std::filesystem::canonical(folder.path()).string();
    const Outcome first = run_binary(args, folder.path());
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(first.err.ends_with("\nattnroof: wrote report.json, report.csv in " + here + "\n"));
    CHECK(lines_with(first.err, "attnroof: replaces") == 0);
    CHECK(first.out.find("wrote") == std::string::npos);

    std::filesystem::remove(folder.path() / "report.csv");
    const Outcome second = run_binary(args, folder.path());
    INFO(second.err);
    CHECK(lines_with(second.err, "attnroof: replaces report.json, last written 2") == 1);

    std::vector<std::string> quiet = args;
    quiet.push_back("-q");
    const Outcome third = run_binary(quiet, folder.path());
    CHECK(third.err.find("replaces") == std::string::npos);
    CHECK(third.err.find("wrote") == std::string::npos);
}

TEST_CASE("a sweep of which no case can run writes a valid report without ceilings") {
    const TemporaryFolder folder;
    std::vector<std::string> args{"sweep", "--kernels", "fused:sm90", "--device",
                                  "cpu",   "-N",        "256"};
    for (const Format& format : formats()) {
        args.push_back("-o");
        args.push_back("report." + format.extension);
    }
    const Outcome outcome = run_binary(args, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 3);
    CHECK(outcome.out.find("unsupported: ") != std::string::npos);
    for (const Format& format : formats())
        CHECK(std::filesystem::file_size(folder.path() / ("report." + format.extension)) > 0);
    const std::string path = (folder.path() / "report.json").string();
    require_valid(path);
    const auto report = nlohmann::json::parse(read_text(path));
    CHECK(report.at("complete") == true);
    CHECK(report.at("ceilings").empty());
    CHECK(report.at("findings").empty());
    CHECK(run_binary({"export", "report.json"}, folder.path()).out == outcome.out);
    const Outcome compared = run_binary({"compare", "report.json", "report.json"}, folder.path());
    CHECK(compared.exit_code == 3);
    INFO(compared.out << compared.err);
    CHECK(compared.out.find("FAIL (exit 3)") != std::string::npos);
}
