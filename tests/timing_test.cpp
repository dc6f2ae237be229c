// Statistics and the stop rule of timing, on a backend whose clock is a script.
#include "measure/timing.h"

#include <deque>

#include "catch.h"
#include "fake_backend.h"
#include "fake_kernels.h"

using namespace attnroof;

TEST_CASE("summarize: median, minimum and an interval that holds the median", "[timing]") {
    const TimeStats odd = summarize({3, 1, 2});
    CHECK(odd.median_s == 2);
    CHECK(odd.min_s == 1);
    CHECK(odd.ci95_low_s <= odd.median_s);
    CHECK(odd.ci95_high_s >= odd.median_s);
    CHECK(odd.samples_s == std::vector<double>{3, 1, 2});  // as taken, not sorted

    CHECK(summarize({4, 1, 2, 3}).median_s == 2.5);
    const TimeStats one = summarize({7});
    CHECK(one.median_s == 7);
    CHECK(one.ci95_low_s == 7);
    CHECK(one.ci95_high_s == 7);
}

TEST_CASE("the order-statistic interval covers the true median about 95 % of the time",
          "[timing]") {
    std::mt19937_64 rng(7);
    std::exponential_distribution<double> skewed(1.0);  // median ln 2
    int covered = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> samples(25);
        for (double& s : samples) s = skewed(rng);
        const TimeStats stats = summarize(samples);
        covered += stats.ci95_low_s <= std::log(2.0) && std::log(2.0) <= stats.ci95_high_s;
    }
    CHECK(covered >= 1880);
}

TEST_CASE("timing stops when the median is known, the budget spent or the samples used up",
          "[timing]") {
    const TimingPlan plan{
        .max_seconds = 1, .target_ci = 0.01, .min_samples = 7, .max_samples = 50, .warmup = 2};
    const StreamWork nothing = [](void*) {};

    FakeBackend steady({}, 0.001);
    CHECK(time_case(steady, nothing, true, plan).samples_s.size() == 7);
    CHECK(steady.timed == 9);  // two warm-ups besides

    FakeBackend noisy({}, 0.001);
    noisy.noise = 0.5;
    CHECK(time_case(noisy, nothing, true, plan).samples_s.size() == 50);

    FakeBackend slow({}, 0.4);
    slow.noise = 0.5;
    CHECK(time_case(slow, nothing, true, plan).samples_s.size() == 7);

    FakeBackend very_slow({}, 10);
    CHECK(time_case(very_slow, nothing, true, plan).samples_s.size() == 3);
}

namespace {

std::vector<int> launched;
template <int step>
void launch_step(const LaunchArgs&) {
    launched.push_back(step);
}

}  // namespace

TEST_CASE("a step is timed behind the steps before it, each time anew", "[timing]") {
    const KernelRow two_steps = fake_kernel(
        "naive", {fake_step("scores", launch_step<0>), fake_step("softmax", launch_step<1>)});
    FakeBackend backend({}, 0.002);
    DeviceArena arena(backend);
    const AttentionProblem problem{.q_len = 4, .kv_len = 4, .head_dim = 8};
    const CaseBuffers buffers(arena, two_steps, problem, Distribution::normal, 1);
    launched.clear();
    const std::vector<double> medians =
        time_steps(backend, buffers, TimingPlan{.max_seconds = 0.012});
    CHECK(medians == std::vector<double>{0.002, 0.002});
    // Two samples each: a step has a quarter of the budget, spent after the second.
    CHECK(launched == std::vector<int>{0, 0, 0, 1, 0, 1});
}
