// attnroof compare as a process: exit codes, outputs, and one line for each mistake.
#include <algorithm>

#include "catch.h"
#include "compare/settle.h"
#include "tests/cli/run_binary.h"
#include "tests/compare_fixture.h"

using namespace attnroof;
using namespace attnroof::fixture;

namespace {

std::vector<double> slow() { return {0.00121, 0.0012, 0.00119, 0.0012, 0.00122}; }

/// base.json and new.json in the folder, the new one 20 % slower.
void write_regression(const TemporaryFolder& folder) {
    folder.write("base.json", to_json(report_of({subject_case(calm)})));
    folder.write("new.json", to_json(report_of({subject_case(slow())})));
}

}  // namespace

TEST_CASE("every gate case of the data file, through the binary") {
    for (const GatePair& pair : gate_pairs()) {
        INFO(pair.row.at("name").get<std::string>());
        const TemporaryFolder folder;
        folder.write("base.json", pair.base);
        folder.write("new.json", pair.fresh);
        const Outcome plain = run_binary({"compare", "base.json", "new.json"}, folder.path());
        INFO(plain.out << plain.err);
        const int exit = pair.row.at("exit");
        REQUIRE(plain.exit_code == exit);
        if (exit == 2) {
            REQUIRE(plain.out.empty());
            REQUIRE(holds(plain.err, "schema_version"));
            REQUIRE(std::count(plain.err.begin(), plain.err.end(), '\n') == 1);
            continue;
        }
        REQUIRE(holds(plain.out, exit == 0 ? "PASS" : "FAIL (exit"));
        REQUIRE(holds(plain.out, " same, "));
        if (const std::string verdict = pair.row.at("verdict"); verdict != "none")
            REQUIRE(holds(plain.out, verdict));
        for (const std::string& word : pair.row.value("says", std::vector<std::string>{}))
            REQUIRE(holds(plain.out, word));
        const Outcome strict =
            run_binary({"compare", "base.json", "new.json", "--strict"}, folder.path());
        REQUIRE(strict.exit_code == pair.row.value("strict_exit", exit));
    }
}

TEST_CASE("a quiet comparison leaves the table out and nothing else") {
    const TemporaryFolder folder;
    write_regression(folder);
    const Outcome outcome =
        run_binary({"compare", "base.json", "new.json", "-q", "-o", "gate.txt"}, folder.path());
    REQUIRE(outcome.exit_code == 1);
    REQUIRE(outcome.out.empty());
    REQUIRE(outcome.err.empty());
    REQUIRE(holds(read_text(folder.path() / "gate.txt"), "1 slower"));
}

TEST_CASE("every output is written before a failing exit") {
    const TemporaryFolder folder;
    write_regression(folder);
    const Outcome outcome =
        run_binary({"compare", "base.json", "new.json", "-o", "gate.MD", "-o", "gate.xml", "-o",
                    "gate.json", "-o", "gate.txt", "--annotations", "github"},
                   folder.path());
    REQUIRE(outcome.exit_code == 1);
    REQUIRE(outcome.err.empty());
    REQUIRE(holds(outcome.out, "::error title=attnroof slower::" + subject));
    REQUIRE(holds(read_text(folder.path() / "gate.MD"), "FAIL (exit 1): a case is slower"));
    REQUIRE(holds(read_text(folder.path() / "gate.xml"), "<failure message=\"slower"));
    REQUIRE(holds(read_text(folder.path() / "gate.txt"), "2 cases: 1 same, 0 faster, 1 slower"));
    const auto json = nlohmann::json::parse(read_text(folder.path() / "gate.json"));
    REQUIRE(json["base"] == nlohmann::json{"base.json"});
    REQUIRE(json["exit_code"] == 1);
}

TEST_CASE("a prediction is refused in one line, and the outputs say so") {
    const TemporaryFolder folder;
    write_regression(folder);
    const Outcome made =
        run_binary({"predict", "--device-spec", "h200", "-N", "4096", "-d", "128", "-o", "p.json"},
                   folder.path());
    REQUIRE(made.exit_code == 0);
    const Outcome outcome =
        run_binary({"compare", "base.json", "p.json", "-o", "gate.xml"}, folder.path());
    REQUIRE(outcome.exit_code == 3);
    const std::string says = "the new report is a prediction: nothing of it was measured";
    REQUIRE(holds(outcome.out, "FAIL (exit 3): " + says));
    REQUIRE(std::count(outcome.out.begin(), outcome.out.end(), '\n') < 12);
    REQUIRE(holds(read_text(folder.path() / "gate.xml"), says));
}

TEST_CASE("limits, the config's gate and required patterns") {
    const TemporaryFolder folder;
    write_regression(folder);
    const auto exit_of = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"compare", "base.json", "new.json"});
        return run_binary(more, folder.path()).exit_code;
    };
    REQUIRE(exit_of({"--limit-percent", "30"}) == 0);
    REQUIRE(exit_of({"--limit-seconds", "0.001"}) == 0);
    REQUIRE(exit_of({"--require", "*naive*"}) == 4);
    folder.write("gate.json", R"({"gate": {"limits": [{"cases": "*q4096*", "percent": 30}]}})");
    REQUIRE(exit_of({"--config", "gate.json"}) == 0);
    REQUIRE(exit_of({"--config", "gate.json", "--limit-percent", "5"}) == 1);
    REQUIRE(exit_of({"--config", "ci"}) == 4);  // asks for naive cases
}

TEST_CASE("several reports a side") {
    const TemporaryFolder folder;
    write_regression(folder);
    const Outcome outcome = run_binary(
        {"compare", "--base", "base.json", "base.json", "--new", "new.json", "base.json"},
        folder.path());
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(holds(outcome.out, "1 ambiguous"));
    REQUIRE(holds(outcome.out, "attnroof sweep --device cuda --kernels fused"));
    REQUIRE(holds(outcome.out, "warning: base.json stands twice on the base side"));
    REQUIRE_FALSE(holds(outcome.out, "on the new side"));
}

TEST_CASE("the command that settles a case is understood and runs that case") {
    CaseResult c = subject_case(calm);
    c.plan.problem.q_len = 128;
    std::string command = settle_command(c, DeviceKind::cpu);
    std::vector<std::string> args;
    for (std::size_t at = command.find(' ') + 1; at < command.size();) {
        const std::size_t end = std::min(command.find(' ', at), command.size());
        args.push_back(command.substr(at, end - at));
        at = end + 1;
    }
    args.resize(args.size() - 2);  // the plan writes no -o settle.json
    args.push_back("--dry-run");
    const TemporaryFolder folder;
    const Outcome outcome = run_binary(args, folder.path());
    INFO(command << "\n" << outcome.out << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(holds(outcome.out, "forward/fused/bf16/full/b4/h16/kv16/q128/k4096/d128/cold"));
}

TEST_CASE("mistakes of compare are one line and exit code 2") {
    const TemporaryFolder folder;
    write_regression(folder);
    folder.write("broken.json", R"({"schema_version": 1, "complete": tr)");
    folder.write("gateless.json", R"({"axes": {"seq_len": 512, "head_dim": 64}})");
    folder.write("typo.json", R"({"gate": {"limits": [{"case": "*"}]}})");
    const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> rows{
        {{}, {"BASE NEW"}},
        {{"base.json"}, {"base.json", "two reports"}},
        {{"base.json", "new.json", "new.json"}, {"got 3", "--base"}},
        {{"base.json", "--new", "new.json"}, {"base.json", "--base"}},
        {{"--new", "new.json"}, {"--base"}},
        {{"base.json", "none.json"}, {"none.json"}},
        {{"base.json", "broken.json"}, {"broken.json", "line 1"}},
        {{"base.json", "new.json", "-o", "gate.html"}, {"html", ".md"}},
        {{"base.json", "new.json", "-o", "base.json"}, {"base.json", "reports compared"}},
        {{"base.json", "new.json", "-o", "no/such/gate.md"}, {"no/such"}},
        {{"base.json", "new.json", "-o", "a.md", "-o", "a.md"}, {"a.md", "twice"}},
        {{"base.json", "new.json", "--annotations", "gitlab"}, {"gitlab", "github"}},
        {{"base.json", "new.json", "--alias", "a"}, {"--alias", "OLD=NEW"}},
        {{"base.json", "new.json", "--alias", "a=b"}, {"--alias", "a is not a case"}},
        {{"base.json", "new.json", "--limit-percent", "0"}, {"limit-percent", "0"}},
        {{"base.json", "new.json", "--limit-percent", "nan"}, {"limit-percent", "nan"}},
        {{"base.json", "new.json", "--config", "gateless.json"}, {"gateless.json", "gate"}},
        {{"base.json", "new.json", "--config", "typo.json"}, {"gate.limits[0].case", "cases"}},
        {{"base.json", "new.json", "--require", ""}, {"required", "empty"}},
        {{"base.json", "/dev/null"}, {"/dev/null", "empty"}},
        {{"base.json", "/dev/zero"}, {"/dev/zero", "larger than"}},
        {{"base.json", "new.json", "--stric"}, {"--stric", "--strict"}},
    };
    for (const auto& [given, says] : rows) {
        std::vector<std::string> args{"compare"};
        args.insert(args.end(), given.begin(), given.end());
        const Outcome outcome = run_binary(args, folder.path());
        INFO((given.empty() ? "no arguments" : given.back()) << ": " << outcome.err);
        REQUIRE(outcome.exit_code == 2);
        REQUIRE(outcome.out.empty());
        REQUIRE(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        for (const std::string& word : says) REQUIRE(holds(outcome.err, word));
    }
}
