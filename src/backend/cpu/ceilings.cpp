#include "backend/cpu/ceilings.h"

#include <algorithm>
#include <functional>

#include "kernels/cpu/drivers.h"
#include "kernels/cpu/threads.h"

namespace attnroof::cpu {
namespace {

constexpr std::int64_t slice_floats = 1024;  // a page: what read() and copy() can take

/// Keeps a result alive: the loop that made it cannot be dropped.
void use(float value) {
    volatile float sink = value;
    static_cast<void>(sink);
}

float* floats(const Buffer& buffer) { return static_cast<float*>(buffer.data()); }

void copy_all(const Buffer& to, const Buffer& from) {
    for_each_slice(from.bytes() / 4, slice_floats, [&](std::int64_t first, std::int64_t n) {
        best_isa().copy(floats(to) + first, floats(from) + first, n);
    });
}

/// `amount` / seconds of `samples` runs, after one that is not kept; the best is the ceiling.
Ceiling rate(Backend& backend, const char* id, const char* unit, double amount, int samples,
             const std::function<void()>& work) {
    work();
    std::vector<double> rates;
    for (int i = 0; i < samples; ++i)
        rates.push_back(amount / backend.time_s([&](void*) { work(); }, false));
    const double best = *std::max_element(rates.begin(), rates.end());
    return {id,
            best,
            unit,
            CeilingMode::burst,
            spread_of(best, rates),
            samples,
            backend.clocks().sm_clock_mhz,
            {}};
}

Ceiling launch_time(Backend& backend) {
    constexpr int samples = 200;
    std::vector<double> times;
    for (int i = 0; i < samples; ++i)
        times.push_back(backend.time_s([](void*) { on_all_workers([](int) {}); }, false));
    const double least = *std::min_element(times.begin(), times.end());
    return {"launch",
            least,
            "s",
            CeilingMode::burst,
            spread_of(least, times),
            samples,
            backend.clocks().sm_clock_mhz,
            {}};
}

/// Four times the cache, at least 256 MiB, at most an eighth of what is free.
std::int64_t buffer_bytes(const Backend& backend) {
    const std::int64_t wanted =
        std::max<std::int64_t>(4 * backend.facts().cache_bytes, std::int64_t{256} << 20);
    const std::int64_t page = 4 * slice_floats;
    return std::max(page, std::min(wanted, backend.available_bytes() / 8) / page * page);
}

}  // namespace

void read_all(const Buffer& buffer) {
    // Whole steps of 64 floats; a shorter tail cannot matter to a cache.
    for_each_slice(buffer.bytes() / 256 * 64, 64, [&](std::int64_t first, std::int64_t n) {
        use(best_isa().read(floats(buffer) + first, n));
    });
}

std::vector<Ceiling> measure_cpu_ceilings(Backend& backend) {
    constexpr int samples = 7;
    // Bursts of about a millisecond: on a busy machine some of them run undisturbed on all cores.
    constexpr std::int64_t rounds = 1 << 18;
    constexpr int bursts = 200;
    std::vector<Ceiling> ceilings;
    {
        const std::int64_t bytes = buffer_bytes(backend);
        const Buffer from = backend.allocate(bytes), to = backend.allocate(bytes);
        backend.poison(from);
        backend.poison(to);
        const auto amount = static_cast<double>(bytes);
        ceilings.push_back(
            rate(backend, "dram.read", "byte/s", amount, samples, [&] { read_all(from); }));
        ceilings.push_back(
            rate(backend, "dram.copy", "byte/s", 2 * amount, samples, [&] { copy_all(to, from); }));
    }
    const Isa& isa = best_isa();
    const auto flops = static_cast<double>(2 * isa.lanes * isa.fma_chains * rounds) *
                       static_cast<double>(worker_count());
    ceilings.push_back(rate(backend, "fma.fp32", "FLOP/s", flops, bursts,
                            [&] { on_all_workers([&](int) { use(isa.fma_burst(rounds)); }); }));
    ceilings.push_back(launch_time(backend));
    return ceilings;
}

}  // namespace attnroof::cpu
