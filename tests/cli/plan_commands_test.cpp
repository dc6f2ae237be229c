// sweep --dry-run and --list-kernels: what would run, with nothing measured.
#include "catch.h"
#include "tests/cli/run_binary.h"

using namespace attnroof;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("dry-run prints every case with its needs and writes nothing") {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_binary({"sweep", "--device", "cpu", "-N", "128,256", "-d", "64", "--mask", "full",
                    "--dtype", "fp32", "--batch", "1", "--heads", "2", "--dry-run"},
                   folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(holds(outcome.out, "forward/naive/fp32/full/b1/h2/kv2/q128/k128/d64/cold"));
    REQUIRE(holds(outcome.out, "forward/fused/fp32/full/b1/h2/kv2/q256/k256/d64/cold"));
    REQUIRE(holds(outcome.out, "4 cases, 4 ok, 0 unsupported, 0 skipped"));
    REQUIRE(holds(outcome.out, "8.39 MFLOP"));  // 2 GEMMs * 2 * 128 * 128 * 64 * 2 heads
    REQUIRE(holds(outcome.out, "counters: "));
    REQUIRE(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("what writes no report refuses an output") {
    const TemporaryFolder folder;
    for (const char* option : {"--dry-run", "--list-kernels"}) {
        const Outcome outcome = run_binary({"sweep", option, "-o", "report.json"}, folder.path());
        REQUIRE(outcome.exit_code == 2);
        REQUIRE(outcome.out.empty());
        REQUIRE(outcome.err == fmt::format("attnroof: {} writes no report: leave out -o "
                                           "report.json\n",
                                           option));
        REQUIRE(std::filesystem::is_empty(folder.path()));
    }
}

TEST_CASE("a plan of which nothing can run ends in exit code 3, with the reason") {
    const TemporaryFolder folder;
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"sweep", "--device", "cpu", "--no-ceilings", "-q"},
                                               {"predict", "-q", "--device-spec", "h200"}}) {
        std::vector<std::string> args = command;
        for (const char* arg : {"--pass", "backward", "-N", "128", "-o", "report.json"})
            args.push_back(arg);
        const Outcome outcome = run_binary(args, folder.path());
        INFO(outcome.err);
        REQUIRE(outcome.exit_code == 3);
        REQUIRE(holds(outcome.err, "attnroof: nothing could run ("));
        REQUIRE(holds(outcome.err, "backward"));
        REQUIRE(holds(read_text(folder.path() / "report.json"), "\"complete\": true"));
    }
}

TEST_CASE("dry-run keeps what cannot run, with the reason") {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_binary({"sweep", "--device", "cpu", "-N", "4194304", "-d", "64", "--batch", "1",
                    "--kernels", "naive,fused:sm80", "--mask", "full", "--dry-run"},
                   folder.path());
    REQUIRE(outcome.exit_code == 0);
    // S alone: 4 * 4194304^2 bytes = 64 TiB.
    REQUIRE(holds(outcome.out, "(64.0 TiB), available are"));
    REQUIRE(holds(outcome.out, "fused:sm80 has no kernel for cpu"));
    REQUIRE(holds(outcome.out, "2 cases, 0 ok, 1 unsupported, 1 skipped"));
}

TEST_CASE("list-kernels shows each row and what it takes") {
    const TemporaryFolder folder;
    const Outcome outcome = run_binary({"sweep", "--list-kernels"}, folder.path());
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(outcome.err.empty());
    for (const char* row : {"naive:sm80", "fused:sm80", "naive:cpu", "fused:cpu"})
        REQUIRE(holds(outcome.out, row));
    REQUIRE(holds(outcome.out, "fp16,bf16"));
    REQUIRE(holds(outcome.out, "8..256 by 8"));
}
