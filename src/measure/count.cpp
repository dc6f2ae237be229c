#include "measure/count.h"

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "measure/buffers.h"

namespace attnroof {
namespace {

// The drain is its own range too: its bytes, counted in the same session, are taken off again.
constexpr const char* drain_range = "drain";

/// Builds the ranges of one case after another. One case's buffers live at a time, all in one
/// arena, and the fixed seed gives every pass the same inputs.
class JobBuilder {
  public:
    JobBuilder(DeviceArena& arena, std::uint64_t seed)
        : backend_(arena.backend()), arena_(arena), seed_(seed) {}

    void add_case(std::size_t index, const Case& c) {
        const std::string prefix = std::to_string(index) + " " + c.id;
        const bool cold = c.cache == CacheMode::cold;
        add(
            prefix, c, [this, cold] { settle(cold); },
            [this] { backend_.run(buffers_->all_steps()); });
        // From a clean cache in either mode: what was dirty before is not the kernel's own output.
        add(
            prefix + " settled", c, [this, cold] { settle(cold); },
            [this] {
                backend_.run(buffers_->all_steps());
                backend_.displace_cache();
            });
        if (c.kernel->steps.size() < 2) return;
        for (std::size_t s = 0; s < c.kernel->steps.size(); ++s)
            add(
                prefix + " step " + c.kernel->steps[s].name, c,
                [this, s] {
                    for (std::size_t before = 0; before < s; ++before)
                        backend_.run(buffers_->step(before));
                    backend_.displace_cache();
                },
                [this, s] {
                    backend_.run(buffers_->step(s));
                    backend_.displace_cache();
                });
    }

    void add_drain() {
        jobs_.push_back({drain_range, [this] { backend_.displace_cache(); },
                         [this] { backend_.displace_cache(); }});
    }

    const std::vector<CountJob>& jobs() const { return jobs_; }

  private:
    void add(const std::string& range, const Case& c, std::function<void()> prepare,
             std::function<void()> body) {
        jobs_.push_back({range,
                         [this, &c, prepare = std::move(prepare)] {
                             hold(c);
                             prepare();
                         },
                         std::move(body)});
    }

    void hold(const Case& c) {
        if (held_ == &c) return;
        buffers_ = std::make_unique<CaseBuffers>(arena_, *c.kernel, c.problem, Distribution::normal,
                                                 seed_);
        held_ = &c;
    }

    void settle(bool cold) {
        backend_.displace_cache();
        if (!cold) backend_.run(buffers_->all_steps());
    }

    Backend& backend_;
    DeviceArena& arena_;
    std::uint64_t seed_;
    std::vector<CountJob> jobs_;
    const Case* held_ = nullptr;
    std::unique_ptr<CaseBuffers> buffers_;
};

/// `counters` of `with_drain` less the drain's own.
CounterSet less_drain(const CounterSet& with_drain, const CounterSet& drain,
                      std::initializer_list<Counter> counters) {
    CounterSet settled;
    for (Counter counter : counters) {
        const auto whole = with_drain.find(counter);
        const auto own = drain.find(counter);
        if (whole == with_drain.end() || own == drain.end()) continue;
        CounterValue value = whole->second;
        if (value.value && own->second.value)
            value.value = std::max(0.0, *value.value - *own->second.value);
        else
            value = {std::nullopt, value.metric,
                     value.value ? "the drain's own bytes: " + own->second.reason : value.reason};
        settled.emplace(counter, std::move(value));
    }
    return settled;
}

}  // namespace

std::optional<double> executed_flops(const CounterSet& set) {
    double total = 0;
    bool any = false;
    for (const CounterInfo& info : counter_table()) {
        if (info.flops_each == 0) continue;
        const auto found = set.find(info.counter);
        if (found == set.end() || !found->second.value) return std::nullopt;
        total += info.flops_each * *found->second.value;
        any = true;
    }
    return any ? std::optional(total) : std::nullopt;
}

std::optional<double> CaseCounters::executed_flops() const {
    return attnroof::executed_flops(in_range);
}

CountedSweep count_cases(DeviceArena& arena, const std::vector<const Case*>& cases,
                         std::uint64_t seed) {
    Backend& backend = arena.backend();
    JobBuilder builder(arena, seed);
    builder.add_drain();
    for (std::size_t i = 0; i < cases.size(); ++i) builder.add_case(i, *cases[i]);

    const CountOutcome outcome = backend.count(builder.jobs());
    CountedSweep sweep;
    sweep.closed_gate = outcome.closed_gate;
    sweep.remedy = outcome.remedy;
    sweep.cases.resize(cases.size());
    if (outcome.sets.empty()) return sweep;

    std::size_t next = 0;
    const CounterSet& drain = outcome.sets[next++];
    const std::int64_t cache_bytes = backend.facts().cache_bytes;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& c = *cases[i];
        CaseCounters& counted = sweep.cases[i];
        counted.passes = outcome.passes;
        counted.in_range = outcome.sets[next++];
        counted.settled = less_drain(outcome.sets[next++], drain,
                                     {Counter::hbm_read_bytes, Counter::hbm_write_bytes});
        if (c.kernel->steps.size() < 2) continue;
        for (const KernelStep& step : c.kernel->steps) {
            CounterSet set = outcome.sets[next];
            for (auto& [counter, value] :
                 less_drain(outcome.sets[next], drain,
                            {Counter::hbm_read_bytes, Counter::hbm_write_bytes, Counter::l2_bytes}))
                set[counter] = std::move(value);
            counted.steps.push_back(
                {step.name, std::move(set), step.traffic(c.problem, cache_bytes), std::nullopt});
            ++next;
        }
    }
    return sweep;
}

}  // namespace attnroof
