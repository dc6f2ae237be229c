// compare: verdicts, exit codes and the words of every format.
#include "compare/compare.h"

#include <cmath>
#include <tuple>

#include "catch.h"
#include "compare/formats.h"
#include "report/read.h"
#include "tests/compare_fixture.h"

using namespace attnroof;
using namespace attnroof::fixture;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const VerdictRow& row_of(const Comparison& c, const std::string& id) {
    for (const VerdictRow& row : c.rows)
        if (row.id == id) return row;
    throw std::runtime_error("no row of " + id);
}

/// The row of `subject`, both sides one report of it.
VerdictRow judge(CaseResult base, CaseResult fresh, const CompareOptions& options = {}) {
    return row_of(compare({report_of({std::move(base)})}, {report_of({std::move(fresh)})}, options),
                  subject);
}

std::vector<double> scaled(double factor, std::vector<double> samples = calm) {
    for (double& s : samples) s *= factor;
    return samples;
}

std::size_t sum(const Comparison& c) {
    std::size_t all = 0;
    for (std::size_t count : totals(c)) all += count;
    return all;
}

CaseResult at_clock(CaseResult c, double mhz) {
    c.time->clocks.sm_clock_mhz = mhz;
    return c;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
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

TEST_CASE("exchanging the sides exchanges slower and faster") {
    for (double factor : {0.7, 0.93, 0.97, 1.0, 1.03, 1.08, 1.4}) {
        const Verdict there = judge(subject_case(calm), subject_case(scaled(factor))).verdict;
        const Verdict back = judge(subject_case(scaled(factor)), subject_case(calm)).verdict;
        INFO(factor << " " << name(there) << " " << name(back));
        REQUIRE((there == Verdict::slower) == (back == Verdict::faster));
        REQUIRE((there == Verdict::faster) == (back == Verdict::slower));
    }
}

TEST_CASE("slower needs both limits") {
    const std::vector<double> short_case = scaled(0.02);  // 20 us
    REQUIRE(judge(subject_case(short_case), subject_case(scaled(1.06, short_case))).verdict ==
            Verdict::same);
    REQUIRE(judge(subject_case(short_case), subject_case(scaled(1.2, short_case))).verdict ==
            Verdict::slower);
    REQUIRE(judge(subject_case(calm), subject_case(scaled(1.02))).verdict == Verdict::same);
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

TEST_CASE("time that a lower clock explains is not slower, and says so") {
    const VerdictRow fell = judge(at_clock(subject_case(calm), 1980),
                                  at_clock(subject_case(scaled(1.12)), 1980 / 1.12));
    REQUIRE(fell.verdict == Verdict::same);
    REQUIRE(holds(fell.reason, "clock from 1980 to 1768 MHz"));
    REQUIRE(holds(fell.reason, "the clock fell"));
    REQUIRE(std::abs(fell.cycles->ratio - 1) < 1e-9);

    // Half explained is not explained.
    REQUIRE(judge(at_clock(subject_case(calm), 1980), at_clock(subject_case(scaled(1.16)), 1830))
                .verdict == Verdict::slower);
    // The clock rose and hides a slowdown: time decides, and the row says so.
    const VerdictRow hidden =
        judge(at_clock(subject_case(calm), 1600), at_clock(subject_case(calm), 1980));
    REQUIRE(hidden.verdict == Verdict::same);
    REQUIRE(holds(explanation(hidden), "clock from 1600 to 1980 MHz"));
    // Faster in time, slower in cycles.
    const VerdictRow torn =
        judge(at_clock(subject_case(calm), 1600), at_clock(subject_case(scaled(0.9)), 1980));
    REQUIRE(torn.verdict == Verdict::ambiguous);
    REQUIRE(torn.settle.starts_with("attnroof sweep "));

    // A case that memory binds does not follow the SM clock.
    CaseResult memory = at_clock(subject_case(calm), 1980);
    memory.point->bound = Bound::memory;
    CaseResult later = at_clock(subject_case(scaled(1.12)), 1980 / 1.12);
    later.point->bound = Bound::memory;
    REQUIRE(judge(memory, later).verdict == Verdict::slower);

    const VerdictRow real =
        judge(at_clock(subject_case(calm), 1980), at_clock(subject_case(scaled(1.4)), 1900));
    REQUIRE(real.verdict == Verdict::slower);
    const VerdictRow idle =
        judge(at_clock(subject_case(calm), 1980), at_clock(subject_case(scaled(1.4)), 345));
    REQUIRE(idle.verdict == Verdict::slower);
    REQUIRE(holds(explanation(idle), "too far apart"));
}

TEST_CASE("counted quantities need no statistics") {
    CaseResult base = subject_case({0.001}), fresh = subject_case({0.001});
    count_bytes(base, 1e9);
    count_bytes(fresh, 1.015e9);
    REQUIRE(judge(base, fresh).verdict ==
            Verdict::ambiguous);  // too few samples, bytes in the limit
    count_bytes(fresh, 1.03e9);
    const VerdictRow more = judge(base, fresh);
    REQUIRE(more.verdict == Verdict::slower);
    REQUIRE(holds(more.reason, "HBM bytes +3 %"));
    count_bytes(fresh, 0.5e9);
    REQUIRE(holds(explanation(judge(base, fresh)), "HBM bytes -50 %"));

    base = fresh = subject_case(calm);
    for (const CounterInfo& info : counter_table()) {
        base.counted.in_range[info.counter] = counted(1e9, "metric");
        fresh.counted.in_range[info.counter] = counted(1.01e9, "metric");
    }
    REQUIRE(holds(judge(base, fresh).reason, "executed FLOPs"));
}

TEST_CASE("a counted quantity that the new report lost is not the same") {
    CaseResult base = subject_case(calm), lost = subject_case(calm);
    count_bytes(base, 1e9);
    for (Counter counter : {Counter::hbm_read_bytes, Counter::hbm_write_bytes}) {
        lost.counted.settled[counter] = {std::nullopt, "", "the drain failed"};
        base.counted.in_range[counter] = lost.counted.in_range[counter] = counted(4e8, "metric");
    }
    const VerdictRow row = judge(base, lost);
    REQUIRE(row.verdict == Verdict::incomparable);
    REQUIRE(row.reason == "HBM bytes not counted in the new report (the drain failed)");
    REQUIRE(exit_code(compare({report_of({base})}, {report_of({lost})}, {})) ==
            ExitCode::not_comparable);
    // What remains may still be slower; what only the new report counted is no loss.
    CaseResult slow = lost;
    slow.time = summarize(scaled(1.2));
    REQUIRE(judge(base, slow).verdict == Verdict::slower);
    REQUIRE(holds(explanation(judge(base, slow)), "not counted in the new report"));
    REQUIRE(judge(lost, base).verdict == Verdict::same);

    // Where nothing at all was counted each row says so, unless counters were asked for.
    Report none = report_of({subject_case(calm)});
    REQUIRE(row_of(compare({report_of({base})}, {none}, {}), subject).verdict == Verdict::same);
    none.config.counters = CounterMode::on;
    REQUIRE(row_of(compare({report_of({base})}, {none}, {}), subject).verdict ==
            Verdict::incomparable);
}

TEST_CASE("bytes in range are held where settled ones do not explain them") {
    CaseResult base = subject_case(calm), fresh = subject_case(calm);
    const auto in_range = [](CaseResult& c, double bytes) {
        c.counted.in_range[Counter::hbm_read_bytes] = counted(bytes, "metric");
        c.counted.in_range[Counter::hbm_write_bytes] = counted(0, "metric");
    };
    in_range(base, 4e8);
    in_range(fresh, 8e8);
    REQUIRE(judge(base, fresh).reason == "HBM bytes in range +100 % (limit 2 %)");
    count_bytes(base, 8e8);
    count_bytes(fresh, 8e8);
    REQUIRE(judge(base, fresh).verdict == Verdict::same);  // written back within the range now
    in_range(fresh, 16e8);
    REQUIRE(judge(base, fresh).verdict == Verdict::slower);
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

TEST_CASE("another device is compared only when asked, and the output says so") {
    Report base = report_of({subject_case(calm)}), fresh = base;
    fresh.device.name = "NVIDIA H100";
    REQUIRE(exit_code(compare({base}, {fresh}, {})) == ExitCode::not_comparable);
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

TEST_CASE("several reports a side are several processes") {
    // Two modes 12 % apart, each process in one of them with almost no spread of its own.
    const Report low = report_of({subject_case(scaled(1))});
    const Report high = report_of({subject_case(scaled(1.12))});
    const auto verdict = [](const std::vector<Report>& base, const std::vector<Report>& fresh) {
        return row_of(compare(base, fresh, {}), subject).verdict;
    };
    REQUIRE(verdict({low}, {high}) == Verdict::slower);  // one process cannot know
    REQUIRE(verdict({low, low, high}, {low, high, high}) == Verdict::ambiguous);
    REQUIRE(verdict({low, low, low}, {high, high, high}) == Verdict::slower);
    const Report failed = report_of({subject_that(Status::failed, "launch error")});
    REQUIRE(verdict({low, low}, {low, failed}) == Verdict::failed);
    // Samples of several processes add up.
    const Report three = report_of({subject_case({0.001, 0.001, 0.001})});
    REQUIRE(verdict({three}, {three}) == Verdict::ambiguous);
    REQUIRE(verdict({three, three}, {three, three}) == Verdict::same);
    // A case of one of the two new reports is there.
    REQUIRE(verdict({low}, {low, report_of({})}) == Verdict::same);
}

TEST_CASE("markdown is worst first, capped, and counts the rest") {
    std::vector<CaseResult> base, fresh;
    for (int i = 0; i < 2000; ++i) {
        CaseResult c = subject_case(calm);
        c.plan.id = std::string(100, 'x') + "|" + std::to_string(i);
        base.push_back(c);
        c.time = summarize(scaled(i % 100 == 0 ? 1.2 + 1e-4 * i : 1.0));
        fresh.push_back(c);
    }
    const std::string text = to_markdown(compare({report_of(base)}, {report_of(fresh)}, {}));
    REQUIRE(text.size() < 65536);
    REQUIRE(holds(text, "FAIL (exit 1)"));
    REQUIRE(holds(text, "2001 cases: 1981 same, 0 faster, 20 slower"));
    REQUIRE(text.find("x\\|1900 ") < text.find("x\\|1800 "));
    REQUIRE(count_of(text, "| slower |") == 20);
    REQUIRE(holds(text, "1951 more rows: 1951 same"));
}

TEST_CASE("JUnit names every kind") {
    Report base = report_of({subject_case(calm)}), fresh = base;
    fresh.cases[0] = subject_case(scaled(1.3));
    const std::string slower = to_junit(compare({base}, {fresh}, {}));
    REQUIRE(holds(slower, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    REQUIRE(holds(slower, "<failure message=\"slower: +30.0 %"));

    fresh.cases[0] = subject_that(Status::failed, "a <b> & \"c\"\x01");
    const std::string failed = to_junit(compare({base}, {fresh}, {}));
    REQUIRE(holds(failed, "<error message=\"failed: failed: a &lt;b&gt; &amp; &quot;c&quot;?\""));

    fresh.cases[0] = subject_case({0.001});
    CompareOptions options;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, options)), "<skipped message=\"ambiguous: "));
    options.strict = true;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, options)), "<failure message=\"ambiguous: "));

    fresh = base;  // no row fails, the gate does
    fresh.complete = false;
    REQUIRE(holds(to_junit(compare({base}, {fresh}, {})), "name=\"gate\""));
}

TEST_CASE("annotations stay within what GitHub shows") {
    std::vector<CaseResult> base;
    for (int i = 0; i < 37; ++i) {
        base.push_back(subject_case(calm));
        base.back().plan.id = "case/" + std::to_string(i);
    }
    const std::string text = to_github_annotations(compare({report_of(base)}, {report_of({})}, {}));
    REQUIRE(count_of(text, "::error ") == 10);
    REQUIRE(holds(text, "::28 more of this kind"));
    REQUIRE(to_github_annotations(compare({report_of(base)}, {report_of(base)}, {})).empty());
    Report many = report_of({subject_case(calm)});
    CaseResult faster = subject_case(scaled(0.01));
    REQUIRE(holds(to_github_annotations(compare({many}, {report_of({faster})}, {})),
                  "::warning title=attnroof faster::"));
}

TEST_CASE("comparison as JSON") {
    const Comparison c =
        compare({report_of({subject_case(calm)})}, {report_of({subject_case(scaled(1.2))})}, {});
    const auto json = nlohmann::json::parse(to_json(c));
    REQUIRE(json["exit_code"] == 1);
    REQUIRE(json["totals"]["cases"] == 2);
    REQUIRE(json["totals"]["slower"] == 1);
    REQUIRE(json["cases"][0]["verdict"] == "slower");
    REQUIRE(std::abs(json["cases"][0]["time"]["ratio"].get<double>() - 1.2) < 1e-9);
    REQUIRE(json["cases"][0]["settle"].is_null());
}

TEST_CASE("many samples are resampled by their limit, the interval goes on from that of few") {
    const auto width = [](std::size_t n, double factor, Change change) {
        Processes base(1), fresh(1);
        for (std::size_t i = 0; i < n; ++i) {
            base[0].push_back(0.9 + 0.2 * static_cast<double>(i) / static_cast<double>(n - 1));
            fresh[0].push_back(factor * base[0].back());
        }
        const TimeChange t = judge_time(base, fresh, 0.05, 0, 1);
        CHECK(t.change == change);
        CHECK(t.ratio == Approx(factor));
        return (t.ratio_ci95.high - t.ratio_ci95.low) * std::sqrt(static_cast<double>(n));
    };
    const double few = width(4000, 1, Change::same);
    CHECK(width(6000, 1, Change::same) == Approx(few).epsilon(0.15));
    CHECK(width(1000000, 1, Change::same) == Approx(few).epsilon(0.15));
    CHECK(width(1000000, 1.051, Change::slower) == Approx(few).epsilon(0.2));
    const TimeChange most = judge_time({{1e308, 1e308}}, {{1e308, 1e308}}, 0.05, 0, 1);
    CHECK(most.ratio == 1);
}

TEST_CASE("times that are no numbers decide nothing") {
    CaseResult broken = subject_case(calm);
    for (double& s : broken.time->samples_s) s = std::nan("");
    REQUIRE(judge(broken, broken).verdict == Verdict::ambiguous);
    REQUIRE(judge(subject_case(calm), broken).verdict == Verdict::incomparable);
    broken.time.reset();
    REQUIRE(judge(subject_case(calm), broken).verdict == Verdict::incomparable);
    REQUIRE(judge(broken, subject_case(calm)).verdict == Verdict::ambiguous);
}
