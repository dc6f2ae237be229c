// attnroof export: a saved report in every format, offline.
#include "catch.h"
#include "report/formats.h"
#include "report/read.h"
#include "tests/cli/run_binary.h"
#include "tests/report_fixture.h"

using namespace attnroof;

TEST_CASE("export writes every format that sweep writes") {
    const TemporaryFolder folder;
    write_report(fixture::small_report(), (folder.path() / "report.json").string());
    std::vector<std::string> args{"export", "report.json"};
    for (const Format& format : formats()) {
        args.push_back("-o");
        args.push_back("out." + format.extension);
    }
    const Outcome outcome = run_binary(args, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.out.empty());
    const Report read = read_report((folder.path() / "report.json").string());
    for (const Format& format : formats()) {
        INFO(format.extension);
        CHECK(read_text(folder.path() / ("out." + format.extension)) == format.render(read));
    }
}

TEST_CASE("export without -o prints the table") {
    const TemporaryFolder folder;
    const Report report = fixture::small_report();
    write_report(report, (folder.path() / "report.json").string());
    const Outcome outcome = run_binary({"export", "report.json"}, folder.path());
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == to_table(report, false, 0));
}

TEST_CASE("export draws the levels of memory that it is asked for") {
    const TemporaryFolder folder;
    Report report = fixture::small_report();
    for (CaseResult& c : report.cases)
        if (c.point) c.counted.in_range[Counter::l2_bytes] = fixture::counted(3e9, "lts");
    write_report(report, (folder.path() / "report.json").string());
    const auto table = [&](const std::vector<std::string>& more) {
        std::vector<std::string> args{"export", "report.json"};
        args.insert(args.end(), more.begin(), more.end());
        const Outcome outcome = run_binary(args, folder.path());
        REQUIRE(outcome.exit_code == 0);
        return outcome.out;
    };
    CHECK(table({}).find("FLOP/byte L2") == std::string::npos);
    CHECK(table({"--levels", "hbm,l2"}).find("FLOP/byte L2") != std::string::npos);
    CHECK(run_binary({"export", "report.json", "--levels", "l3"}, folder.path()).exit_code == 2);
}

TEST_CASE("export gives findings to a report that was saved without them") {
    const TemporaryFolder folder;
    write_report(fixture::gpu_report(), (folder.path() / "report.json").string());
    const Outcome outcome = run_binary({"export", "report.json", "-o", "new.json"}, folder.path());
    REQUIRE(outcome.exit_code == 0);
    const Report read = read_report((folder.path() / "new.json").string());
    REQUIRE_FALSE(read.findings.empty());
    CHECK(read.findings.front().interval);
}

TEST_CASE("export refuses what it cannot do, in one line with exit code 2") {
    const TemporaryFolder folder;
    write_report(fixture::small_report(), (folder.path() / "report.json").string());
    folder.write("half.json", "{\"schema_version\": 1, ");
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
        {{"export"}, "needs a report"},
        {{"export", "missing.json"}, "missing.json"},
        {{"export", "half.json"}, "half.json"},
        {{"export", "report.json", "-o", "out.pdf"}, ".pdf"},
        {{"export", "report.json", "-o", "a.md", "-o", "a.md"}, "twice"},
        {{"export", "report.json", "-o", "a.md", "-o", "./b/../a.md"}, "twice"},
        {{"export", "report.json", "-o", ""}, "-o: the path is empty"},
        {{"export", "report.json", "other.json"}, "other.json"},
        {{"export", "report.json", "-o", "no/such/folder/a.md"}, "no/such/folder"},
    };
    for (const auto& [args, says] : rows) {
        const Outcome outcome = run_binary(args, folder.path());
        INFO(outcome.err);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.err.find(says) != std::string::npos);
    }
}
