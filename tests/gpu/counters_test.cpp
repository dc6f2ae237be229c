// Hardware counters against kernels whose traffic and operations are known.
#include <fmt/format.h>

#include "backend/cuda/open.h"
#include "catch.h"
#include "gpu/probes.h"

using namespace attnroof;

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t gib = std::int64_t{1} << 30;

struct Bench {
    std::unique_ptr<Backend> backend = open_cuda_backend(0);
    Buffer from = zeros(gib), to = zeros(gib), sink = zeros(4096);

    Buffer zeros(std::int64_t bytes) {
        Buffer buffer = backend->allocate(bytes);
        const std::vector<std::byte> chunk(std::size_t(std::min(bytes, 64 * mib)));
        for (std::int64_t at = 0; at < bytes; at += std::int64_t(chunk.size()))
            backend->upload(buffer, at, chunk);
        return buffer;
    }

    CountJob job(const std::string& name, const StreamWork& work, bool drain = false) {
        return {name, [this] { backend->displace_cache(); },
                [this, work, drain] {
                    backend->run(work);
                    if (drain) backend->displace_cache();
                }};
    }
};

/// Empty, with a warning, where the counters are shut.
std::vector<CounterSet> count(Bench& bench, const std::vector<CountJob>& jobs) {
    const CountOutcome outcome = bench.backend->count(jobs);
    if (!outcome.closed_gate.empty())
        WARN("skipped: " << outcome.closed_gate << "; " << outcome.remedy);
    else
        CHECK(outcome.passes == bench.backend->counter_plan().passes);
    return outcome.sets;
}

double value(const CounterSet& set, Counter counter) {
    const CounterValue& found = set.at(counter);
    INFO(found.metric << found.reason);
    REQUIRE(found.value);
    return *found.value;
}

Approx within(double expected, double relative) { return Approx(expected).epsilon(relative); }

}  // namespace

TEST_CASE("bytes through memory are counted") {
    Bench b;
    const auto sets = count(
        b, {b.job(
                "copy", [&](void* s) { probe::copy(b.from.data(), b.to.data(), gib, s); }, true),
            b.job("read", [&](void* s) { probe::read(b.from.data(), gib, b.sink.data(), s); }),
            b.job("fill", [&](void* s) { probe::fill(b.to.data(), 8 * mib, s); }),
            b.job(
                "fill, drained", [&](void* s) { probe::fill(b.to.data(), 8 * mib, s); }, true),
            b.job(
                "drain", [](void*) {}, true),
            b.job("ffma", [&](void* s) { probe::ffma(b.sink.data(), s); })});
    if (sets.empty()) return;
    const double drain = value(sets[4], Counter::hbm_read_bytes);

    CHECK(value(sets[0], Counter::hbm_read_bytes) - drain == within(gib, 0.01));
    CHECK(value(sets[0], Counter::hbm_write_bytes) == within(gib, 0.01));
    CHECK(value(sets[1], Counter::hbm_read_bytes) == within(gib, 0.01));
    CHECK(value(sets[1], Counter::hbm_write_bytes) < mib);
    CHECK(value(sets[1], Counter::l2_bytes) == within(gib, 0.01));
    // A small write stays dirty in L2 until something drives it out.
    CHECK(value(sets[2], Counter::hbm_write_bytes) < mib);
    CHECK(value(sets[3], Counter::hbm_write_bytes) == within(8 * mib, 0.02));
    CHECK(drain >= 2.0 * static_cast<double>(b.backend->facts().cache_bytes));
    CHECK(value(sets[5], Counter::hbm_read_bytes) < mib);
}

TEST_CASE("a cold count is cold behind a kernel whose lines are to leave the L2 last") {
    Bench b;
    static constexpr std::int64_t bytes = 16 * mib;
    const auto read_behind = [&](const std::function<void()>& displace) {
        CountJob job =
            b.job("read", [&](void* s) { probe::read(b.from.data(), bytes, b.sink.data(), s); });
        job.prepare = [&b, displace] {
            b.backend->run([&](void* s) { probe::hold(b.from.data(), bytes, b.sink.data(), s); });
            displace();
        };
        return job;
    };
    const auto sets = count(
        b, {read_behind([&] { b.backend->displace_cache(); }), read_behind([&] {
                b.backend->run([&](void* s) { probe::read(b.to.data(), gib, b.sink.data(), s); });
            })});
    if (sets.empty()) return;
    CHECK(value(sets[0], Counter::hbm_read_bytes) == within(bytes, 0.01));
    // Behind reads alone they are still there, or there is nothing here to release.
    if (value(sets[1], Counter::hbm_read_bytes) > 0.99 * bytes)
        WARN("this device holds no lines past a gigabyte of other reads");
}

TEST_CASE("operations are counted exactly") {
    Bench b;
    const auto sets =
        count(b, {b.job("ffma", [&](void* s) { probe::ffma(b.sink.data(), s); }),
                  b.job("half", [&](void* s) { probe::packed_half_fma(b.sink.data(), s); }),
                  b.job("exp", [&](void* s) { probe::exponential(b.sink.data(), s); }),
                  b.job("bf16", [&](void* s) { probe::tensor(true, b.sink.data(), s); }),
                  b.job("fp16", [&](void* s) { probe::tensor(false, b.sink.data(), s); })});
    if (sets.empty()) return;
    const double tensor_flops = 4096.0 * probe::instructions / 32;

    CHECK(value(sets[0], Counter::ffma) == double(probe::instructions));
    CHECK(value(sets[0], Counter::tensor_bf16_flops) == 0);
    // Compilers load constants with HFMA2 as well.
    CHECK(value(sets[1], Counter::hfma) == within(double(probe::instructions), 0.001));
    CHECK(value(sets[2], Counter::xu_threads) == double(probe::instructions));
    CHECK(value(sets[3], Counter::tensor_bf16_flops) == tensor_flops);
    CHECK(value(sets[3], Counter::tensor_fp16_flops) == 0);
    CHECK(value(sets[4], Counter::tensor_fp16_flops) == tensor_flops);
    CHECK(value(sets[4], Counter::tensor_bf16_flops) == 0);
}

TEST_CASE("many jobs of one name in one session keep their own values, also the second time") {
    Bench b;
    std::vector<CountJob> jobs;
    for (std::int64_t i = 1; i <= 70; ++i)
        jobs.push_back(b.job("same/name", [&b, i](void* s) {
            probe::read(b.from.data(), i * 4 * mib, b.sink.data(), s);
        }));
    for (int session = 0; session < 2; ++session) {
        const auto sets = count(b, jobs);
        if (sets.empty()) return;
        REQUIRE(sets.size() == jobs.size());
        for (std::size_t i = 0; i < sets.size(); ++i)
            CHECK(value(sets[i], Counter::l2_bytes) == within(double(i + 1) * 4 * mib, 0.01));
    }
}

TEST_CASE("an exception from a job ends the session and leaves the next one working") {
    Bench b;
    if (!b.backend->counter_plan().closed_gate.empty()) return;
    const CountJob bad{"bad", {}, [] { throw std::runtime_error("from a job"); }};
    CHECK_THROWS_WITH(b.backend->count({bad}), "from a job");
    const auto sets = count(b, {b.job("ffma", [&](void* s) { probe::ffma(b.sink.data(), s); })});
    if (sets.empty()) return;
    CHECK(value(sets[0], Counter::ffma) == double(probe::instructions));
}

TEST_CASE("the plan is known before anything runs") {
    const auto backend = open_cuda_backend(0);
    const CounterPlan plan = backend->counter_plan();
    if (!plan.closed_gate.empty()) {
        WARN("counters are shut: " << plan.closed_gate << "; " << plan.remedy);
        return;
    }
    CHECK(plan.chip == backend->facts().chip);
    CHECK(plan.passes >= 1);
    CHECK(plan.library.find("CUPTI") == 0);
    CHECK(backend->count({}).sets.empty());
}
