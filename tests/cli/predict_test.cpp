// attnroof predict: a device by name, file or report; nothing touched, bad input named.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("predict writes every format, and a report of it serves as a spec again") {
    const TemporaryFolder folder;
    const Outcome first =
        run_binary({"predict", "--device-spec", "A100", "-N", "1024,2048", "-d", "64", "-o",
                    "p.json", "-o", "p.csv", "-o", "p.svg", "-o", "p.html", "-o", "p.md"},
                   folder.path());
    INFO(first.err);
    REQUIRE(first.exit_code == 0);
    CHECK(holds(first.out, "NVIDIA A100"));
    CHECK(holds(first.out, "fused (sm80)"));
    CHECK(holds(read_text(folder.path() / "p.csv"), "roofline_attainable_s"));
    CHECK(first.out.starts_with("Predicted attention roofline, NVIDIA A100"));
    for (const char* file : {"p.svg", "p.html"})
        CHECK(holds(read_text(folder.path() / file),
                    "<title>Predicted attention roofline, NVIDIA A100"));
    CHECK(holds(read_text(folder.path() / "p.html"), "\"title\":\"Predicted attention roofline"));
    CHECK(read_text(folder.path() / "p.md").starts_with("### Predicted attention roofline"));
    CHECK(run_binary({"export", "p.json"}, folder.path()).out == first.out);
    const Outcome again = run_binary(
        {"predict", "--device-spec", "p.json", "-N", "1024,2048", "-d", "64"}, folder.path());
    REQUIRE(again.exit_code == 0);
    CHECK(holds(again.out, "NVIDIA A100"));
}

TEST_CASE("predict has no bytes at the caches and says so") {
    const TemporaryFolder folder;
    const Outcome outcome = run_binary({"predict", "--device-spec", "h200", "-N", "1024", "-d",
                                        "64", "--levels", "hbm,l2,l1", "-o", "p.json"},
                                       folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(holds(outcome.out, "no L1 roofline: the model covers device memory alone"));
    const auto report = nlohmann::json::parse(read_text(folder.path() / "p.json"));
    const auto& levels = report.at("cases").at(0).at("levels");
    CHECK(levels.at("hbm").at("bytes_source") == "modelled");
    CHECK(levels.at("hbm").at("fraction_of_roof").is_null());
    CHECK(levels.at("l2").is_null());
    CHECK(levels.at("missing").at("l1") == "the model covers device memory alone");
}

TEST_CASE("predict refuses what it cannot use with one line") {
    const TemporaryFolder folder;
    folder.write("bad.json", "{\"name\": 3}");
    folder.write("empty.json", "");
    folder.write("list.json", "[1, 2]");
    folder.write("huge.json", "{\"name\": 1e999}");
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
        {{"predict"}, "--device-spec"},
        {{"predict", "--device-spec", "h20"}, "did you mean h200"},
        {{"predict", "--device-spec", "bad.json"}, "bad.json"},
        {{"predict", "--device-spec", "empty.json"},
         "empty.json: is empty; expected a device spec"},
        {{"predict", "--device-spec", "/dev/null"}, "/dev/null: is empty; expected a device spec"},
        {{"predict", "--device-spec", "list.json"}, "list.json: is neither a device spec nor a"},
        {{"predict", "--device-spec", "huge.json"}, "huge.json: line 1, column 14: '1e999' is too"},
        {{"predict", "--device-spec", "."}, ".: is a directory"},
        {{"predict", "--device-spec", "h200", "-o", "x.png"}, ".png"},
        {{"predict", "--device-spec", "h200", "--device", "cpu"}, "--device"},
        {{"predict", "--device-spec", "h200", "-N", "0"}, "-N"}};
    for (const auto& [args, says] : rows) {
        const Outcome outcome = run_binary(args, folder.path());
        INFO(outcome.err);
        CHECK(outcome.exit_code == 2);
        CHECK(holds(outcome.err, says));
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
}
