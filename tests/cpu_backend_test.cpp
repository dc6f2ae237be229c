// The CPU backend and the choice of a backend.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <set>

#include "backend/backend.h"
#include "backend/cpu/dram_events.h"
#include "backend/cpu/open.h"
#include "backend/cpu/system.h"
#include "catch.h"
#include "errors.h"
#include "kernels/cpu/threads.h"
#include "kernels/half.h"

using namespace attnroof;

namespace {

std::vector<float> download_floats(Backend& backend, const Buffer& buffer, std::size_t n) {
    std::vector<float> values(n);
    backend.download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

}  // namespace

TEST_CASE("The CPU backend tells what it is") {
    const auto backend = open_cpu_backend();
    const DeviceFacts& facts = backend->facts();
    CHECK(facts.kind == DeviceKind::cpu);
    CHECK_FALSE(facts.name.empty());
    CHECK(facts.uuid.empty());
    CHECK(facts.sm_count >= 1);
    CHECK(facts.sm_count <= std::ssize(cpu::allowed_cpus()));
    CHECK(facts.memory_bytes > 0);
    CHECK(backend->available_bytes() > 0);
    CHECK(backend->available_bytes() < facts.memory_bytes);
}

TEST_CASE("Fills depend on seed and index alone") {
    const auto backend = open_cpu_backend();
    constexpr std::size_t n = 100'003;
    const Buffer longer = backend->allocate(4 * n), shorter = backend->allocate(4 * 1000);
    backend->fill_random(longer, n, DType::fp32, Distribution::normal, 5);
    backend->fill_random(shorter, 1000, DType::fp32, Distribution::normal, 5);
    const std::vector<float> a = download_floats(*backend, longer, n);
    const std::vector<float> b = download_floats(*backend, shorter, 1000);
    CHECK(std::equal(b.begin(), b.end(), a.begin()));
    backend->fill_random(longer, n, DType::fp32, Distribution::normal, 6);
    const std::vector<float> c = download_floats(*backend, longer, n);
    CHECK(a != c);

    double sum = 0, squares = 0, products = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += a[i];
        squares += a[i] * a[i];
        products += a[i] * c[i];
    }
    CHECK(std::abs(sum / n) < 0.02);
    CHECK(squares / n == Approx(1).margin(0.02));
    CHECK(std::abs(products / n) < 0.02);  // streams of two seeds do not go together
}

TEST_CASE("Outliers are rare and large") {
    const auto backend = open_cpu_backend();
    constexpr std::size_t n = 1'000'000;
    const Buffer buffer = backend->allocate(4 * n);
    backend->fill_random(buffer, n, DType::fp32, Distribution::normal_outliers, 5);
    const std::vector<float> values = download_floats(*backend, buffer, n);
    const auto large =
        std::count_if(values.begin(), values.end(), [](float x) { return std::abs(x) > 6; });
    // A thousandth has a standard deviation of 10.05, of which 55 % lies beyond 6.
    CHECK(large > 450);
    CHECK(large < 650);
}

TEST_CASE("Poison is NaN in every dtype and is counted") {
    const auto backend = open_cpu_backend();
    const Buffer buffer = backend->allocate(4 * 5000);
    backend->poison(buffer);
    CHECK(backend->count_nan(buffer, 5000, DType::fp32) == 5000);
    CHECK(backend->count_nan(buffer, 10000, DType::fp16) == 10000);
    CHECK(backend->count_nan(buffer, 9999, DType::bf16) == 9999);
    backend->fill_random(buffer, 4000, DType::bf16, Distribution::normal, 1);
    CHECK(backend->count_nan(buffer, 10000, DType::bf16) == 6000);
    const std::uint16_t infinity = 0x7c00;
    backend->upload(buffer, 0, std::as_bytes(std::span(&infinity, 1)));
    CHECK(backend->count_nan(buffer, 1, DType::fp16) == 0);
}

TEST_CASE("Memory that is not there is refused before it is touched") {
    const auto backend = open_cpu_backend();
    CHECK_THROWS_AS(backend->allocate(std::int64_t{1} << 50), OutOfMemory);
    const Buffer buffer = backend->allocate(100);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    std::array<std::byte, 8> bytes{};
    CHECK_THROWS_AS(backend->download(buffer, 96, bytes), std::out_of_range);
}

TEST_CASE("Work is run and timed") {
    const auto backend = open_cpu_backend();
    int runs = 0;
    backend->run([&](void*) { ++runs; });
    CHECK(backend->time_s([&](void*) { ++runs; }, true) > 0);
    CHECK(runs == 2);
}

TEST_CASE("CPU ceilings are those of the vocabulary, all above zero") {
    const auto backend = open_cpu_backend();
    std::set<std::string> ids;
    for (const Ceiling& ceiling : backend->measure_ceilings()) {
        ids.insert(ceiling.id);
        CHECK(ceiling.value > 0);
        CHECK(ceiling.spread >= 0);
        CHECK(ceiling.spread < 1);
        CHECK(ceiling.samples > 0);
    }
    CHECK(ids == std::set<std::string>{"dram.read", "dram.copy", "fma.fp32", "launch"});
}

TEST_CASE("Counters on the CPU work, or name the gate that is shut") {
    const auto backend = open_cpu_backend();
    int runs = 0;
    const CountOutcome outcome = backend->count({{"range", [] {}, [&] { ++runs; }}});
    const CounterPlan plan = backend->counter_plan();
    CHECK(plan.closed_gate == outcome.closed_gate);
    if (outcome.closed_gate.empty()) {
        REQUIRE(outcome.sets.size() == 1);
        CHECK(runs == 1);
    } else {
        CHECK(outcome.sets.empty());
        CHECK_FALSE(outcome.remedy.empty());
        CHECK(plan.passes == 0);
    }
}

TEST_CASE("A device is chosen by name") {
    CHECK(open_backend("cpu").why.empty());
    const BackendChoice choice = open_backend("auto");
    REQUIRE(choice.backend != nullptr);
    if (choice.backend->facts().kind == DeviceKind::cpu) CHECK_FALSE(choice.why.empty());
    for (const char* word : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "", "CPU"}) {
        INFO(word);
        CHECK_THROWS_AS(open_backend(word), UsageError);
    }
    CHECK_THROWS_AS(open_backend("cuda:4095"), DeviceError);
}

TEST_CASE("The counter table has one row a counter, with unique names") {
    std::set<Counter> counters;
    std::set<std::string> names;
    for (const CounterInfo& info : counter_table()) {
        counters.insert(info.counter);
        names.insert(info.name);
        CHECK((std::string(info.unit) == "byte") == (std::string(info.name).ends_with("_bytes")));
    }
    CHECK(counters.size() == counter_table().size());
    CHECK(names.size() == counter_table().size());
    CHECK(counter_table().size() == static_cast<std::size_t>(Counter::xu_threads) + 1);
}
