// The metric table against CUPTI's own lists. Needs libcupti, no GPU and no driver.
#include <algorithm>
#include <map>

#include "backend/cuda/counter_gate.h"
#include "backend/cuda/cupti_host.h"
#include "backend/cuda/metrics.h"
#include "catch.h"

using namespace attnroof;
using namespace attnroof::cuda;

namespace {

/// Null, with a warning, on a machine without libcupti.
std::shared_ptr<const CuptiLibrary> library() {
    try {
        return open_cupti();
    } catch (const GateShut& shut) {
        WARN("skipped: " << shut.what());
        return nullptr;
    }
}

std::vector<ResolvedCounter> counters_of(const std::shared_ptr<const CuptiLibrary>& cupti,
                                         const std::string& chip) {
    return resolve_counters(chip, CuptiHost(cupti, chip).base_metrics());
}

/// Chips that CUPTI lists but then has no metrics for.
const std::set<std::string> listed_only{"GV11B"};

}  // namespace

TEST_CASE("every counter of every chip resolves to metrics that CUPTI accepts or to a reason") {
    const auto cupti = library();
    if (!cupti) return;
    const std::vector<std::string> chips = cupti_chips(*cupti);
    for (const char* chip : {"GH100", "GA100", "AD102", "GB100"})
        CHECK(std::find(chips.begin(), chips.end(), chip) != chips.end());

    for (const std::string& chip : chips) {
        if (listed_only.contains(chip)) continue;
        const std::vector<ResolvedCounter> counters = counters_of(cupti, chip);
        REQUIRE(counters.size() == counter_table().size());
        for (const ResolvedCounter& counter : counters) {
            INFO(chip << ' ' << describe(counter.terms) << counter.reason);
            CHECK(counter.terms.empty() != counter.reason.empty());
            for (const MetricTerm& term : counter.terms) {
                CHECK(term.scale > 0);
                // A schedule of this one metric: the only way to learn which name is refused.
                CuptiHost host(cupti, chip);
                CHECK(host.has_rollup(term.name, ".sum"));
                CHECK_NOTHROW(host.schedule({metric_name(term)}));
            }
        }
    }
}

TEST_CASE("every counter is available on the data-centre chips") {
    const auto cupti = library();
    if (!cupti) return;
    for (const std::string chip : {"GH100", "GA100", "AD102", "GB100", "GB202"})
        for (const ResolvedCounter& counter : counters_of(cupti, chip)) {
            INFO(chip << ' ' << counter.reason);
            CHECK_FALSE(counter.terms.empty());
        }
}

TEST_CASE("the whole counter set fits into a few passes") {
    const auto cupti = library();
    if (!cupti) return;
    // Bytes and bf16 on the tensor path fit into one, instructions need one of their own; fp16 on
    // the tensor path takes two, which the exponentials join except on GA100.
    const std::map<std::string, int> operations{
        {"GH100", 2}, {"GA100", 3}, {"AD102", 2}, {"GB100", 2}, {"GB202", 2}};
    for (const auto& [chip, expected] : operations) {
        INFO(chip);
        const std::vector<ResolvedCounter> counters = counters_of(cupti, chip);
        const std::map<CounterGroup, int> passes{{CounterGroup::traffic, 1},
                                                 {CounterGroup::operations, expected},
                                                 {CounterGroup::instructions, 1}};
        int together = 0;
        std::size_t members = 0;
        for (CounterGroup group : counter_groups) {
            const std::vector<ResolvedCounter> chosen = of_group(counters, group);
            members += chosen.size();
            together += passes_of(cupti, chip, chosen);
            CHECK(passes_of(cupti, chip, chosen) == passes.at(group));
        }
        CHECK(members == counters.size());
        CHECK(passes_of(cupti, chip, counters) == together);
        // Three sessions cost no more passes than one of all counters would.
        CuptiHost host(cupti, chip);
        std::vector<std::uint8_t> schedule = host.schedule(metric_names(counters));
        CHECK(host.passes(schedule) == together);
    }
}

TEST_CASE("one name that a chip lacks spoils a schedule, which is why names are resolved first") {
    const auto cupti = library();
    if (!cupti) return;
    CuptiHost host(cupti, "GB202");
    CHECK_THROWS(host.schedule({"sm__cycles_elapsed.sum", "dram__bytes_read.sum"}));
}

TEST_CASE("a chip that CUPTI does not know is an error") {
    const auto cupti = library();
    if (!cupti) return;
    CHECK_THROWS(CuptiHost(cupti, "G80"));
}

TEST_CASE("counters resolve by the chip's own list") {
    const auto find = [](const std::vector<ResolvedCounter>& all, Counter counter) {
        return *std::find_if(all.begin(), all.end(),
                             [&](const auto& one) { return one.counter == counter; });
    };
    const auto none = resolve_counters("G80", {});
    CHECK(metric_names(none).empty());
    CHECK(find(none, Counter::hbm_read_bytes).reason ==
          "not available on G80: it lacks dram__bytes_read, dram__bytes_op_read");

    const auto renamed = resolve_counters("X", {"dram__bytes_op_read"});
    CHECK(describe(find(renamed, Counter::hbm_read_bytes).terms) == "dram__bytes_op_read.sum");

    // Half of a sum would be a wrong number, not a smaller one.
    const auto partly = resolve_counters("X", {"sm__ops_path_tensor_src_fp16_dst_fp16"});
    CHECK(find(partly, Counter::tensor_fp16_flops).terms.empty());

    const auto packed = resolve_counters("X", {"smsp__sass_thread_inst_executed_op_ffma_pred_on",
                                               "smsp__sass_thread_inst_executed_op_ffma2_pred_on"});
    CHECK(describe(find(packed, Counter::ffma).terms) ==
          "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum + "
          "2 * smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum");
    CHECK(metric_names(packed).size() == 2);
}
