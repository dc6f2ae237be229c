// Interrupted and resumed sweeps on the CPU: what is left is a report, and --resume completes it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "tests/cli/background.h"
#include "tests/cli/run_binary.h"
#include "tests/report_validator.h"

using namespace attnroof;
using nlohmann::json;

namespace {

using Args = std::vector<std::string>;

Args sweep_of(const std::string& sizes, const Args& more = {}) {
    Args args{"sweep",      "--device",
              "cpu",        "-N",
              sizes,        "-d",
              "64",         "--mask",
              "full",       "--dtype",
              "fp32",       "--batch",
              "1",          "--heads",
              "1",          "--cache",
              "warm",       "--counters",
              "off",        "--max-seconds",
              "0.02",       "--no-ceilings",
              "-q",         "-o",
              "report.json"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

json report_in(const TemporaryFolder& folder) {
    return json::parse(read_text(folder.path() / "report.json"));
}

std::size_t count_status(const json& report, const std::string& status) {
    return static_cast<std::size_t>(
        std::count_if(report["cases"].begin(), report["cases"].end(),
                      [&](const json& c) { return c["status"] == status; }));
}

/// A complete report of 4 cases in which the last two are made such that never ran.
json interrupted_report(const TemporaryFolder& folder) {
    const Outcome outcome = run_binary(sweep_of("64,128"), folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    json report = report_in(folder);
    REQUIRE(count_status(report, "ok") == 4);
    report["complete"] = false;
    for (std::size_t i : {2, 3}) {
        json& c = report["cases"][i];
        c["status"] = "skipped";
        c["reason"] = "not run: the sweep ended before it";
        for (const char* part : {"time", "check", "roofline"}) {
            c[part] = nullptr;
            c["missing"][part] = c["reason"];
        }
    }
    folder.write("report.json", report.dump());
    return report;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a signal in the middle leaves a valid report", "[resume]") {
    const auto [signal, exit_code] = GENERATE(
        table<int, int>({{SIGINT, 130}, {SIGTERM, 130}, {SIGHUP, 130}, {SIGKILL, -SIGKILL}}));
    INFO("signal " << signal);
    const TemporaryFolder folder;
    // Hundreds of cases: the signal comes after the first and long before the last.
    BackgroundRun run(sweep_of("16:4096:+16"), folder.path());
    REQUIRE(run.wait_until([&] { return std::filesystem::exists(folder.path() / "report.json"); }));
    run.send(signal);
    REQUIRE(run.wait() == exit_code);
    const json report = report_in(folder);
    REQUIRE(report["complete"] == false);
    REQUIRE(report["cases"].size() == 512);
    REQUIRE(count_status(report, "ok") >= 1);
    REQUIRE(count_status(report, "skipped") >= 1);
    REQUIRE(holds(report["cases"].back()["reason"], "not run"));
    require_valid((folder.path() / "report.json").string());
}

TEST_CASE("a prediction is no sweep to resume", "[resume]") {
    const TemporaryFolder folder;
    REQUIRE(run_binary({"predict", "--device-spec", "h200", "-N", "64", "-d", "64", "-o", "p.json"},
                       folder.path())
                .exit_code == 0);
    const Outcome outcome = run_binary({"sweep", "--resume", "-o", "p.json"}, folder.path());
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.err == "attnroof: p.json: a prediction: there is no sweep to go on with\n");
}

TEST_CASE("resume runs what is missing and keeps what is there", "[resume]") {
    const TemporaryFolder folder;
    const json before = interrupted_report(folder);
    require_valid((folder.path() / "report.json").string());
    const bool options_repeated = GENERATE(true, false);
    const Outcome outcome =
        options_repeated ? run_binary(sweep_of("64,128", {"--resume"}), folder.path())
                         : run_binary({"sweep", "--resume", "--no-ceilings", "-o", "report.json"},
                                      folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json after = report_in(folder);
    REQUIRE(after["complete"] == true);
    REQUIRE(count_status(after, "ok") == 4);
    for (const char* part : {"time", "check", "counters"})
        for (std::size_t i : {0, 1}) REQUIRE(after["cases"][i][part] == before["cases"][i][part]);
    REQUIRE(after["cases"][2]["time"]["samples_s"].size() >= 1);
    REQUIRE(after["started_at"] == before["started_at"]);
    REQUIRE(after["command"] == before["command"]);
    require_valid((folder.path() / "report.json").string());

    const Outcome again =
        run_binary({"sweep", "--resume", "-o", "report.json", "-o", "report.csv"}, folder.path());
    REQUIRE(again.exit_code == 0);
    REQUIRE(again.out == "nothing to do: report.json is complete\n");
    REQUIRE(report_in(folder) == after);
    REQUIRE(read_text(folder.path() / "report.csv").starts_with("id,"));
}

TEST_CASE("resume warns by the ceilings and cases of the report that it ends with", "[resume]") {
    const TemporaryFolder folder;
    json report = interrupted_report(folder);
    const std::string stale = "139.1 % of fma.fp32: above the roof; suspect: the ceiling is low";
    report["cases"][0]["warnings"] = {"another warning", stale};
    folder.write("report.json", report.dump());
    REQUIRE(run_binary(sweep_of("64,128", {"--resume"}), folder.path()).exit_code == 0);
    REQUIRE(report_in(folder)["cases"][0]["warnings"] == json({"another warning"}));
}

TEST_CASE("resume measures again what is other work under the same id", "[resume]") {
    const TemporaryFolder folder;
    json report = interrupted_report(folder);
    report["cases"][0]["problem"]["q_len"] = 999;
    report["cases"][1]["kernel"]["variant"] = "sm90";
    folder.write("report.json", report.dump());
    REQUIRE(run_binary(sweep_of("64,128", {"--resume"}), folder.path()).exit_code == 0);
    const json after = report_in(folder);
    REQUIRE(count_status(after, "ok") == 4);
    for (std::size_t i : {0, 1}) REQUIRE(after["cases"][i]["time"] != report["cases"][i]["time"]);
    REQUIRE(after["cases"][0]["problem"]["q_len"] == 64);
    REQUIRE(after["cases"][1]["kernel"]["variant"] == "cpu");
}

TEST_CASE("resume starts a report that is not there yet", "[resume]") {
    const TemporaryFolder folder;
    const Outcome outcome = run_binary(sweep_of("64", {"--resume"}), folder.path());
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(holds(outcome.err, "report.json"));
    REQUIRE(report_in(folder)["complete"] == true);
}

TEST_CASE("resume refuses another device, tool or config with one line", "[resume]") {
    const TemporaryFolder folder;
    const json whole = interrupted_report(folder);
    struct Row {
        const char* place;
        json value;
        std::vector<std::string> says;
    };
    const std::vector<Row> rows{
        {"/device/name", "Other CPU", {"device.name", "Other CPU"}},
        {"/device/sm_count", 4096, {"device.sm_count", "4096"}},
        {"/tool/git_sha", "0123456789ab", {"tool.git_sha", "0123456789ab"}},
        {"/config/axes/seq_len", {64, 256}, {"config.axes.seq_len", "[64,256]", "[64,128]"}},
        {"/config/seed", 7, {"config.seed is 7 there and 1 here"}},
        {"/config/lesson", true, {"config.lesson is true there and not given here"}},
        {"/config/levels", {"hbm", "l1"}, {"config.levels", "\"l1\"", "not given here"}},
    };
    for (const Row& row : rows) {
        json other = whole;
        other[json::json_pointer(row.place)] = row.value;
        folder.write("report.json", other.dump());
        const Outcome outcome = run_binary(sweep_of("64,128", {"--resume"}), folder.path());
        INFO(row.place << ": " << outcome.err);
        REQUIRE(outcome.exit_code == 3);
        REQUIRE(outcome.out.empty());
        REQUIRE(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        REQUIRE(holds(outcome.err, "cannot resume report.json"));
        for (const std::string& word : row.says) REQUIRE(holds(outcome.err, word));
        REQUIRE(read_text(folder.path() / "report.json") == other.dump());
    }
}

TEST_CASE("resume needs one whole JSON report", "[resume]") {
    const TemporaryFolder folder;
    folder.write("report.json", R"({"schema_version": 1, "complete": fal)");
    const std::vector<std::pair<Args, std::string>> rows{
        {{"sweep", "--resume"}, "-o FILE.json"},
        {{"sweep", "--resume", "-o", "report.csv"}, "-o FILE.json"},
        {{"sweep", "--resume", "-o", "a.json", "-o", "b.json"}, "once"},
        {{"sweep", "--resume", "-o", "report.json"}, "truncated"},
        {{"sweep", "--resume", "--dry-run", "-o", "report.json"}, "--dry-run"},
    };
    for (const auto& [args, says] : rows) {
        const Outcome outcome = run_binary(args, folder.path());
        INFO(outcome.err);
        REQUIRE(outcome.exit_code == 2);
        REQUIRE(holds(outcome.err, says));
    }
    REQUIRE(holds(read_text(folder.path() / "report.json"), "fal"));
}

TEST_CASE("a full disk is named before measuring, or leaves a whole file", "[resume]") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "disk");
    // In a mount namespace of its own: nothing is left behind, whatever happens.
    const auto on_disk = [&](const std::string& size, const std::string& script) {
        folder.write("script",
                     "mount -t tmpfs -o size=" + size + " none disk || exit 99\n" + script);
        const int status = std::system(
            fmt::format("cd '{}' && unshare -m sh script >out 2>err", folder.path().string())
                .c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    if (on_disk("4k", "true") != 0) {
        WARN("skipped: a small file system can be mounted by root alone");
        return;
    }
    const std::string sweep = fmt::format(
        "{} sweep --device cpu -N 16:512:+16 -d 64 --mask full --dtype fp32 --batch 1 --heads 1 "
        "--cache warm "
        "--counters off --max-seconds 0.01 --no-ceilings -q -o disk/report.json\n",
        ATTNROOF_BINARY);
    SECTION("full from the start") {
        REQUIRE(
            on_disk("64k", "echo old >disk/report.json; cat /dev/zero >disk/filler 2>/dev/null\n" +
                               sweep + "code=$?; cp disk/report.json after; exit $code") == 2);
        REQUIRE(read_text(folder.path() / "after") == "old\n");
        REQUIRE(read_text(folder.path() / "out").empty());
        REQUIRE(holds(read_text(folder.path() / "err"),
                      "cannot write disk/report.json: No space left on device"));
    }
    SECTION("full while measuring") {
        // A report of 64 cases takes more than the 100 kB that are free.
        REQUIRE(on_disk("100k", "echo old >disk/report.json\n" + sweep +
                                    "code=$?; cp disk/report.json after; ls -A disk >left; exit "
                                    "$code") == 2);
        REQUIRE(read_text(folder.path() / "after") == "old\n");
        REQUIRE(read_text(folder.path() / "left") == "report.json\n");
        REQUIRE(
            holds(read_text(folder.path() / "err"), "No space left on device; the sweep goes on"));
        REQUIRE(holds(read_text(folder.path() / "out"), "64 cases"));  // the table is there
    }
}

TEST_CASE("a read-only folder is named before measuring", "[resume]") {
    const TemporaryFolder folder;
    if (geteuid() == 0) {
        WARN("skipped: root writes into every folder");
        return;
    }
    std::filesystem::permissions(
        folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const Outcome outcome = run_binary(sweep_of("64"), folder.path());
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(outcome.out.empty());
    REQUIRE(holds(outcome.err, "cannot write report.json: Permission denied"));
}
