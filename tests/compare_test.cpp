// compare: which cases are held against each other, and what the gate makes of their verdicts.
#include "compare/compare.h"

#include <fmt/format.h>

#include <tuple>

#include "catch.h"
#include "compare/formats.h"
#include "report/read.h"
#include "tests/compare_fixture.h"

using namespace attnroof;
using namespace attnroof::fixture;

namespace {

std::size_t sum(const Comparison& c) {
    std::size_t all = 0;
    for (std::size_t count : totals(c)) all += count;
    return all;
}

}  // namespace

TEST_CASE("every gate case of the data file has its verdict and exit code") {
    std::size_t tried = 0;
    for (const GatePair& pair : gate_pairs()) {
        INFO(pair.row.at("name").get<std::string>());
        const int exit = pair.row.at("exit");
        if (exit == static_cast<int>(ExitCode::usage)) {
            REQUIRE_THROWS_AS((parse_report(pair.base, "base"), parse_report(pair.fresh, "new")),
                              UsageError);
            continue;
        }
        CompareOptions options;
        const Report base = parse_report(pair.base, "base"),
                     fresh = parse_report(pair.fresh, "new");
        const Comparison c = compare({base}, {fresh}, options);
        REQUIRE(static_cast<int>(exit_code(c)) == exit);
        REQUIRE(sum(c) == c.rows.size());
        if (pair.row.at("verdict") != "none")
            REQUIRE(name(row_of(c, subject).verdict) == pair.row.at("verdict").get<std::string>());
        for (const auto& word : pair.row.value("says", std::vector<std::string>{})) {
            REQUIRE(holds(explanation(row_of(c, subject)), word));
            for (const CompareFormat& format : compare_formats())
                REQUIRE(holds(format.render(c), word));
        }
        options.strict = true;
        REQUIRE(static_cast<int>(exit_code(compare({base}, {fresh}, options))) ==
                pair.row.value("strict_exit", exit));
        ++tried;
    }
    REQUIRE(tried >= 19);
}

TEST_CASE("limits by pattern, later rules win") {
    CompareOptions options;
    options.gate.limits = {{.cases = "*/fused/*",
                            .percent = 30,
                            .seconds = {},
                            .bytes_percent = 50,
                            .flops_percent = {}}};
    REQUIRE(judge(subject_case(calm), subject_case(scaled(1.2)), options).verdict == Verdict::same);
    options.gate.limits.push_back({.cases = "*d128*",
                                   .percent = 10,
                                   .seconds = {},
                                   .bytes_percent = {},
                                   .flops_percent = {}});
    REQUIRE(judge(subject_case(calm), subject_case(scaled(1.2)), options).verdict ==
            Verdict::slower);
    const Limits limits = limits_for(options.gate, subject);
    REQUIRE(limits.percent == 10);
    REQUIRE(limits.bytes_percent == 50);
    REQUIRE(limits.seconds == Limits{}.seconds);
}

TEST_CASE("patterns") {
    REQUIRE(matches("*", ""));
    REQUIRE(matches("forward/*/cold", "forward/fused/bf16/cold"));
    REQUIRE(matches("*fused*d128*", subject));
    REQUIRE(matches("a?c", "abc"));
    REQUIRE_FALSE(matches("a?c", "ac"));
    REQUIRE_FALSE(matches("*/warm", subject));
    REQUIRE_FALSE(matches("", "a"));
    REQUIRE(matches("**a**", "bab"));
}

TEST_CASE("predictions are not compared") {
    const Report measured = report_of({subject_case(calm)});
    Report predicted = measured;
    predicted.prediction = "datasheet";
    for (const auto& [base, fresh, side] :
         {std::tuple{measured, predicted, "new"}, {predicted, measured, "base"}}) {
        const Comparison c = compare({base}, {fresh}, {});
        REQUIRE(exit_code(c) == ExitCode::not_comparable);
        REQUIRE(c.obstacle ==
                fmt::format("the {} report is a prediction: nothing of it was measured", side));
        REQUIRE(row_of(c, subject).verdict == Verdict::incomparable);
    }
}

TEST_CASE("required cases fail closed") {
    const Report with = report_of({subject_case(calm)}), without = report_of({});
    CompareOptions options;
    REQUIRE(exit_code(compare({with}, {without}, options)) == ExitCode::missing);
    options.gate.required = {"*q1024*"};  // the missing case is none of these
    const Comparison narrowed = compare({with}, {without}, options);
    REQUIRE(exit_code(narrowed) == ExitCode::pass);
    REQUIRE(row_of(narrowed, subject).verdict == Verdict::missing);
    options.gate.required = {"*q4096*"};
    REQUIRE(exit_code(compare({with}, {without}, options)) == ExitCode::missing);

    options.gate.required = {"*", "*naive*"};
    const Comparison unmet = compare({with}, {with}, options);
    REQUIRE(exit_code(unmet) == ExitCode::missing);
    REQUIRE(unmet.unmet == std::vector<std::string>{"*naive*"});
    for (const CompareFormat& format : compare_formats())
        REQUIRE(holds(format.render(unmet), "*naive*"));
}

TEST_CASE("cases that do not run") {
    const CaseResult ok = subject_case(calm);
    const CaseResult skipped = subject_that(Status::skipped, "needs 35 TB");
    const CaseResult wrong = subject_that(Status::wrong, "O differs");
    REQUIRE(judge(ok, skipped).verdict == Verdict::missing);
    REQUIRE(judge(wrong, skipped).verdict == Verdict::missing);
    REQUIRE(judge(skipped, ok).verdict == Verdict::added);
    REQUIRE(judge(skipped, wrong).verdict == Verdict::failed);
    REQUIRE(judge(skipped, skipped).verdict == Verdict::same);
    const VerdictRow no_baseline = judge(wrong, ok);
    REQUIRE(no_baseline.verdict == Verdict::added);
    REQUIRE(holds(no_baseline.reason, "no baseline: wrong: O differs"));
    CompareOptions required;
    required.gate.required = {subject};
    REQUIRE(judge(skipped, skipped, required).verdict == Verdict::missing);
    // A gate that compared nothing does not pass.
    Report base = report_of({skipped});
    base.cases.pop_back();
    REQUIRE(exit_code(compare({base}, {base}, {})) == ExitCode::not_comparable);
}

TEST_CASE("an empty side never passes") {
    const Report full = report_of({subject_case(calm)}), empty = empty_gpu_report();
    REQUIRE(exit_code(compare({full}, {empty}, {})) == ExitCode::missing);
    REQUIRE(exit_code(compare({empty}, {full}, {})) == ExitCode::not_comparable);
    REQUIRE(exit_code(compare({empty}, {empty}, {})) == ExitCode::not_comparable);
    Report incomplete = full;
    incomplete.complete = false;
    REQUIRE(exit_code(compare({full}, {incomplete}, {})) == ExitCode::missing);
}

TEST_CASE("aliases") {
    CaseResult renamed = subject_case(calm);
    renamed.plan.id = "forward/fused:sm90/bf16/full/b4/h16/kv16/q4096/k4096/d128/cold";
    const Report base = report_of({subject_case(calm)}), fresh = report_of({renamed});
    CompareOptions options;
    options.aliases = {{subject, renamed.plan.id}};
    const Comparison c = compare({base}, {fresh}, options);
    REQUIRE(c.rows.size() == 2);
    REQUIRE(row_of(c, renamed.plan.id).verdict == Verdict::same);
    REQUIRE(row_of(c, renamed.plan.id).base_id == subject);

    options.aliases = {{subject, steady}};  // taken by another case
    REQUIRE_THROWS_AS(compare({base}, {fresh}, options), UsageError);
    options.aliases = {{"no/such/case", "x"}};
    REQUIRE_THROWS_AS(compare({base}, {fresh}, options), UsageError);

    CaseResult other = timed_case(8192, calm);
    options.aliases = {{subject, other.plan.id}};
    const Comparison d = compare({base}, {report_of({other})}, options);
    REQUIRE(row_of(d, other.plan.id).verdict == Verdict::incomparable);
    REQUIRE(exit_code(d) == ExitCode::not_comparable);
}

TEST_CASE("a gate that could judge no case has not been passed") {
    Report base = empty_gpu_report(), fresh = base;
    base.cases = {subject_case(calm)};
    fresh.cases = {subject_case({0.001})};
    CompareOptions options;
    REQUIRE(exit_code(compare({base}, {fresh}, options)) == ExitCode::not_comparable);
    REQUIRE(holds(outcome_line(compare({base}, {fresh}, options)), "no case could be judged"));
    options.strict = true;
    REQUIRE(exit_code(compare({base}, {fresh}, options)) == ExitCode::failed);
    base.cases.push_back(timed_case(1024, calm));  // one that can be
    fresh.cases.push_back(timed_case(1024, calm));
    options.strict = false;
    REQUIRE(exit_code(compare({base}, {fresh}, options)) == ExitCode::pass);
}

TEST_CASE("another device is compared only when asked, and the output says so") {
    Report base = report_of({subject_case(calm)}), fresh = base;
    fresh.device.name = "NVIDIA H100";
    fresh.device.driver = "590.1";
    const Comparison refused = compare({base}, {fresh}, {});
    REQUIRE(exit_code(refused) == ExitCode::not_comparable);
    REQUIRE(holds(refused.obstacle, "--any-device"));
    REQUIRE(refused.warnings.empty());
    CompareOptions options;
    options.any_device = true;
    const Comparison c = compare({base}, {fresh}, options);
    REQUIRE(exit_code(c) == ExitCode::pass);
    for (const CompareFormat& format : compare_formats())
        REQUIRE(holds(format.render(c), "another device: NVIDIA H200"));
    fresh = base;
    fresh.config.timing.warmup = 0;
    REQUIRE(holds(compare({base}, {fresh}, {}).obstacle, "warmup 2 against 0"));
    fresh = base;
    fresh.device.driver = "590.1";
    REQUIRE(compare({base}, {fresh}, {}).warnings ==
            std::vector<std::string>{"the driver differs: 580.159.04 against 590.1"});
}
