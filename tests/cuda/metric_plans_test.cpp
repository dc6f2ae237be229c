// `attnroof counters` from CUPTI's own lists, and CUPTIs that will not do. No GPU, no driver.
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/cuda/counter_gate.h"
#include "backend/cuda/cupti_host.h"
#include "backend/metric_plan.h"
#include "catch.h"
#include "cli/run_binary.h"
#include "errors.h"

using namespace attnroof;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool no_cupti() {
    try {
        cuda::open_cupti();
        return false;
    } catch (const cuda::GateShut& shut) {
        WARN("skipped: " << shut.what());
        return true;
    }
}

/// Builds a library that calls itself CUPTI `version`. False where there is no compiler.
bool build_library(const std::filesystem::path& path, const std::string& version) {
    const std::string source = path.string() + ".c";
    std::ofstream(source) << "int cuptiGetVersion(unsigned* v) { *v = " << version
                          << "; return 0; }\n";
    const std::string command =
        fmt::format("cc -shared -fPIC -o '{}' '{}' 2>/dev/null", path.string(), source);
    return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("the plan of a chip has every counter, and every chip has a plan") {
    if (no_cupti()) return;
    const MetricPlans one = metric_plans("gb202");
    REQUIRE(one.chips.size() == 1);
    CHECK(one.chips[0].chip == "GB202");
    CHECK(one.chips[0].counters.size() == counter_table().size());
    CHECK(one.chips[0].passes >= 1);
    CHECK(holds(one.library, "CUPTI 13"));

    const MetricPlans all = metric_plans("all");
    CHECK(all.chips.size() >= 30);
    for (const ChipPlan& plan : all.chips) {
        INFO(plan.chip << ' ' << plan.refused);
        CHECK(plan.refused.empty() == (plan.passes > 0));
        CHECK(plan.refused.empty() == (plan.counters.size() == counter_table().size()));
    }
}

TEST_CASE("an unknown chip is named with those that are known") {
    if (no_cupti()) return;
    CHECK_THROWS_WITH(metric_plans("GX1"),
                      ContainsSubstring("unknown chip 'GX1'") && ContainsSubstring("GH100"));
}

TEST_CASE("attnroof counters prints the chip's own names, as text and as JSON") {
    if (no_cupti()) return;
    const TemporaryFolder folder;
    const Outcome text = run_binary({"counters", "--chip", "GB202"}, folder.path());
    INFO(text.err);
    REQUIRE(text.exit_code == 0);
    CHECK(holds(text.out, "dram__bytes_op_read.sum"));

    const Outcome volta = run_binary({"counters", "--chip", "GV100"}, folder.path());
    CHECK(holds(volta.out, "not available on GV100: it lacks sm__ops_path_tensor_src_bf16"));

    const Outcome json = run_binary({"counters", "--chip", "GH100", "--json"}, folder.path());
    REQUIRE(json.exit_code == 0);
    const auto plan = nlohmann::json::parse(json.out).at("chips").at(0);
    CHECK(plan.at("passes") == 4);
    const auto& l2 = plan.at("counters").at("l2_bytes").at("terms").at(0);
    CHECK(l2.at("metric") == "lts__t_sectors_srcunit_tex.sum");
    CHECK(l2.at("scale") == 32);
    CHECK(run_binary({"counters", "--chip", "GX1"}, folder.path()).exit_code == 2);
}

TEST_CASE("a CUPTI of another major version is refused by name, a later candidate is taken") {
    const TemporaryFolder folder;
    const std::string old = (folder.path() / "old.so").string(),
                      next = (folder.path() / "next.so").string();
    if (!build_library(old, "24") || !build_library(next, "140000")) {
        WARN("skipped: no C compiler (cc)");
        return;
    }
    CHECK_THROWS_WITH(cuda::open_cupti({old}),
                      ContainsSubstring("old.so is CUPTI API version 24 (CUDA 12 or older)"));
    CHECK_THROWS_WITH(cuda::open_cupti({next}), ContainsSubstring("is CUPTI 14.0.0"));
    // The right version without the functions: named, not a crash.
    const std::string hollow = (folder.path() / "hollow.so").string();
    REQUIRE(build_library(hollow, "130000"));
    CHECK_THROWS_WITH(cuda::open_cupti({hollow}), ContainsSubstring("hollow.so has no cupti"));
}
