#include "findings/findings.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "findings/fit.h"
#include "kernels/registry.h"
#include "report/formats.h"
#include "tests/report_fixture.h"

using namespace attnroof;

namespace {

std::vector<Sample> power_law(double factor, double exponent) {
    std::vector<Sample> samples;
    for (double x : {512., 1024., 2048., 4096., 8192.})
        samples.push_back({x, factor * std::pow(x, exponent)});
    return samples;
}

const Finding& find(const std::vector<Finding>& all, const std::string& id) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.id == id; });
    INFO("no finding " << id);
    REQUIRE(found != all.end());
    return *found;
}

/// Any finding of that id, or of one that begins so.
bool has(const std::vector<Finding>& all, const std::string& id) {
    return std::any_of(all.begin(), all.end(), [&](const Finding& f) {
        return f.id == id || f.id.rfind(id + ".", 0) == 0;
    });
}

bool says(const Finding& finding, const std::string& text) {
    INFO(finding.text);
    return finding.text.find(text) != std::string::npos;
}

KernelRow spilling_kernel() {
    KernelRow row;
    row.name = "naive";
    row.workspace_bytes = [](const AttentionProblem& p) { return score_bytes(p, 4); };
    row.steps = {{"all",
                  [](const AttentionProblem& p, std::int64_t cache) -> Traffic {
                      const std::int64_t scores = score_bytes(p, 2);
                      return {1000 + (scores > cache ? scores : 0), scores > cache ? scores : 0};
                  },
                  nullptr}};
    return row;
}

}  // namespace

TEST_CASE("an exact power law is fitted exactly, over groups with factors of their own") {
    const auto fit = fit_exponent({power_law(3, 1.75), power_law(5e6, 1.75)});
    REQUIRE(fit);
    CHECK(fit->value == Approx(1.75).epsilon(1e-12));
    CHECK(fit->high - fit->low < 1e-6);
    CHECK(fit->points == 10);
}

TEST_CASE("two points give no exponent, nor does one length") {
    CHECK_FALSE(fit_exponent({{{1, 1}, {2, 4}}}));
    CHECK_FALSE(fit_exponent({{{8, 1}, {8, 2}, {8, 3}}}));
    CHECK_FALSE(fit_exponent({}));
}

TEST_CASE("three points leave one degree of freedom: a wide, finite interval") {
    const auto fit = fit_exponent({{{1, 1}, {2, 4.2}, {4, 16}}});
    REQUIRE(fit);
    CHECK(fit->low < 2);
    CHECK(fit->high > 2);
    CHECK(std::isfinite(fit->high));
}

TEST_CASE("the quantiles of Student's t are those of the tables") {
    CHECK(student_975(1) == Approx(12.706).epsilon(1e-4));
    CHECK(student_975(15) == Approx(2.131).epsilon(1e-3));
    CHECK(student_975(30) == Approx(2.042).epsilon(1e-3));
    CHECK(student_975(100000) == Approx(1.960).epsilon(1e-3));
}

TEST_CASE("the 95 % interval holds the true exponent in 95 % of noisy sweeps") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise(0, 0.1);
    int held = 0;
    constexpr int sweeps = 2000;
    for (int i = 0; i < sweeps; ++i) {
        std::vector<Sample> noisy = power_law(2, 1.5);
        for (Sample& s : noisy) s.y *= std::exp(noise(random));
        const auto fit = fit_exponent({noisy});
        held += fit->low <= 1.5 && 1.5 <= fit->high;
    }
    CHECK(held > 0.935 * sweeps);
    CHECK(held < 0.965 * sweeps);
}

TEST_CASE("findings of a counted sweep: growth of one head though batch shrinks with N") {
    const Report report = fixture::gpu_report();
    const auto all = findings_of(report);
    CHECK(find(all, "exponent.flops.fused").value == Approx(2).margin(0.03));
    CHECK(find(all, "exponent.bytes.fused").value == Approx(1).margin(0.001));
    const Finding& naive = find(all, "exponent.bytes.naive");
    CHECK(naive.value > 1.8);
    CHECK(naive.value < 2);
    REQUIRE(naive.interval);
    CHECK(naive.interval->low < naive.value);
    CHECK(naive.interval->high > naive.value);
    CHECK(says(naive, "24 points; counted"));
    CHECK(says(find(all, "exponent.footprint.fused"), "modelled, not counted"));
    CHECK_FALSE(has(all, "score_bytes.64k"));
}

TEST_CASE("findings of a counted sweep: bounds, speed, counts against models") {
    const Report report = fixture::gpu_report();
    const auto all = findings_of(report);
    const auto bound = [&](const std::string& kernel, Bound b) {
        return static_cast<double>(
            std::count_if(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
                return c.plan.asked.name == kernel && c.point->bound == b;
            }));
    };
    CHECK(find(all, "bound.naive.memory").value == bound("naive", Bound::memory));
    CHECK(find(all, "bound.fused.compute").value == bound("fused", Bound::compute));
    CHECK_FALSE(has(all, "bound.naive.exp"));
    CHECK(find(all, "wins_from.fused").value == 512);
    CHECK(says(find(all, "wins_from.fused"),
               "faster than naive at every N, from 512 up, in 4 of 4 series"));
    const Finding& speedup = find(all, "speedup.fused");
    CHECK(speedup.value == speedup.interval->low);
    CHECK(speedup.interval->low > 1);
    CHECK(find(all, "excess_bytes.fused").value == Approx(1));
    CHECK(find(all, "useful_per_executed.naive").value == Approx(1 / 1.02));
}

TEST_CASE("fused that loses first wins from the length on from which it keeps winning") {
    Report report = fixture::gpu_report({512, 1024, 2048, 4096}, {128}, {Mask::full});
    // naive, fused, naive, fused, ... : fused wins at 512, loses at 1024, wins again.
    report.cases[3].time->median_s = 2 * report.cases[2].time->median_s;
    CHECK(find(findings_of(report), "wins_from.fused").value == 2048);
    CHECK(says(find(findings_of(report), "wins_from.fused"), "faster than naive from N=2048 up"));
    report.cases[7].time->median_s = 2 * report.cases[6].time->median_s;
    const Finding lost = find(findings_of(report), "wins_from.fused");
    CHECK(std::isnan(lost.value));
    CHECK(says(lost, "not faster than naive"));
}

TEST_CASE("series that fused wins from different lengths on are told apart") {
    Report report = fixture::gpu_report({512, 1024, 2048}, {64, 128}, {Mask::full});
    report.cases[1].time->median_s = 2 * report.cases[0].time->median_s;  // d=64, N=512
    const Finding from = find(findings_of(report), "wins_from.fused");
    CHECK(says(from, "from N=512 up at best, from N=1024 up at worst, in 2 of 2 series"));
}

TEST_CASE("points that neither roof binds are counted apart") {
    Report report = fixture::gpu_report({512, 1024}, {128}, {Mask::full});
    for (CaseResult& c : report.cases) c.point->bound = Bound::neither;
    CHECK(says(find(findings_of(report), "bound.fused.neither"),
               "2 of 2 points bound by neither roof (below 20 %)"));
}

TEST_CASE("ceilings that contradict each other are a finding") {
    Report report = fixture::cpu_report();
    CHECK_FALSE(has(findings_of(report), "ceilings.contradict"));
    report.ceilings[0].value = 0.7 * report.ceilings[1].value;
    const Finding doubt = find(findings_of(report), "ceilings.contradict.dram.copy");
    CHECK(doubt.value == Approx(1 / 0.7));
    CHECK(says(doubt, "dram.copy 36.8 GB/s is above dram.read 25.8 GB/s"));
    for (const std::string& text : {to_table(report, false, 0), to_markdown(report)})
        CHECK(text.find("dram.copy 36.8 GB/s (above dram.read)") != std::string::npos);
}

TEST_CASE("a ceiling whose samples lie far apart is a finding where a point stands on it") {
    Report report = fixture::cpu_report();
    CHECK_FALSE(has(findings_of(report), "ceilings.unsteady"));
    for (Ceiling& c : report.ceilings) c.spread = 0.45;
    const std::string used = report.cases.front().point->ceiling;
    const Finding doubt = find(findings_of(report), "ceilings.unsteady." + used);
    CHECK(doubt.value == Approx(0.45));
    CHECK(says(doubt, used + ": half of its samples lie more than 45 % off"));
    for (CaseResult& c : report.cases) c.point.reset();
    CHECK_FALSE(has(findings_of(report), "ceilings.unsteady"));
}

TEST_CASE("the scores leave the cache between the two lengths that the counters show") {
    Report report = fixture::gpu_report({512, 1024, 2048}, {128}, {Mask::full});
    const KernelRow row = spilling_kernel();
    for (CaseResult& c : report.cases) {
        if (c.plan.asked.name != "naive") continue;
        c.plan.kernel = &row;
        const double spill = 2.0 * static_cast<double>(score_bytes(c.plan.problem, 2));
        c.point->hbm_bytes = 1000 + (c.plan.problem.q_len > 512 ? 0.9 : 0.1) * spill;
    }
    const Finding leaves = find(findings_of(report), "score_leaves_cache.naive");
    CHECK(leaves.value == 1024);
    CHECK(leaves.interval->low == 512);
    CHECK(leaves.interval->high == 1024);
    for (CaseResult& c : report.cases) c.point->bytes_source = Source::modelled;
    CHECK_FALSE(has(findings_of(report), "score_leaves_cache.naive"));
}

TEST_CASE("bytes are fitted on one side of the step where the scores leave the cache") {
    const KernelRow row = spilling_kernel();
    const auto exponent = [&](std::int64_t cache) {
        Report report = fixture::gpu_report({512, 1024, 2048, 4096}, {128}, {Mask::full});
        report.device.cache_bytes = cache;
        for (CaseResult& c : report.cases) {
            if (c.plan.asked.name != "naive") continue;
            c.plan.problem.batch = 1;
            c.plan.kernel = &row;
            c.modelled = modelled_traffic(row, c.plan.problem, cache);
            c.point->bytes_source = Source::modelled;
        }
        return find(findings_of(report), "exponent.bytes.naive");
    };
    const std::int64_t scores_512 = 16 * 512 * 512 * 2;
    CHECK(exponent(scores_512 / 2).value == Approx(2).margin(0.01));
    CHECK(says(exponent(scores_512 / 2), "4 points;"));
    CHECK(exponent(scores_512 * 2).value == Approx(2).margin(0.01));  // across the step: over 4
    CHECK(says(exponent(scores_512 * 2), "3 points whose scores leave the cache;"));
    const Finding none = exponent(scores_512 * 5);
    CHECK(std::isnan(none.value));
    CHECK(says(none, "no series has three lengths beyond it"));
}

TEST_CASE("a sweep of fewer than three lengths says nothing of exponents") {
    const KernelRow row = spilling_kernel();
    for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{512}, {512, 1024}}) {
        Report report = fixture::gpu_report(lengths, {64, 128}, {Mask::full, Mask::causal});
        report.device.cache_bytes = std::int64_t{1} << 40;  // no scores leave it
        for (CaseResult& c : report.cases) c.plan.kernel = &row;
        CHECK_FALSE(has(findings_of(report), "exponent.bytes.naive"));
    }
}

TEST_CASE("a CPU without counters says that its exponents are those of the model") {
    const auto all = findings_of(fixture::cpu_report());
    CHECK(says(find(all, "exponent.flops.naive"), "modelled, not counted"));
    CHECK_FALSE(has(all, "excess_bytes.naive"));
    CHECK_FALSE(has(all, "useful_per_executed.naive"));
}

TEST_CASE("the lesson states the size of S") {
    Report report = fixture::gpu_report();
    report.config.lesson = true;
    const Finding size = find(findings_of(report), "score_bytes.64k");
    CHECK(size.value == 8192000000.0);
    CHECK(size.interval->high == 8589934592.0);
    CHECK(says(size, "8.2 GB"));
    CHECK(says(size, "8.6 GB"));
}

TEST_CASE("a report without points has no findings") {
    CHECK(findings_of(fixture::empty_gpu_report()).empty());
}

TEST_CASE("figures that a report does not have are in no finding") {
    Report report = fixture::gpu_report();
    std::vector<Ceiling> ceilings(report.ceilings);
    for (Ceiling& c : report.ceilings) c.value = 0;
    for (const Finding& finding : findings_of(report))
        CHECK_FALSE(finding.id.starts_with("compute_roof."));
    report.ceilings.swap(ceilings);
    for (CaseResult& c : report.cases) {
        if (c.time) c.time->median_s = NAN;
        if (c.point) c.point->fraction_of_roof = c.point->achieved_flops_per_s = NAN;
    }
    for (const Finding& finding : findings_of(report)) {
        INFO(finding.text);
        CHECK(std::isfinite(finding.value));
        CHECK_FALSE(finding.id.starts_with("bound."));
        CHECK_FALSE(finding.id.starts_with("compute_roof."));
        CHECK_FALSE(finding.id.starts_with("speedup."));
    }
    report.prediction = "a datasheet";
    CHECK(findings_of(report).empty());
}
