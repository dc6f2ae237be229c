// compare: the verdict on one case, from its times, clocks, bytes and FLOPs.
#include <cmath>

#include "catch.h"
#include "compare/compare.h"
#include "compare/formats.h"
#include "tests/compare_fixture.h"

using namespace attnroof;
using namespace attnroof::fixture;

namespace {

CaseResult at_clock(CaseResult c, double mhz) {
    c.time->clocks.sm_clock_mhz = mhz;
    return c;
}

}  // namespace

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
    REQUIRE(holds(torn.settle, "-o settle-forward-"));  // a file of its own for each case

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
