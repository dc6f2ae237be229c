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
    const Outcome outcome = run_binary(
        {"sweep", "--device", "cpu", "-N", "128,256", "-d", "64", "--mask", "full", "--dtype",
         "fp32", "--batch", "1", "--heads", "2", "--dry-run", "-o", "report.json"},
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
