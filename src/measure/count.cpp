#include "measure/count.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>

#include "errors.h"
#include "measure/buffers.h"

namespace attnroof {
namespace {

// The drain is its own range too: its bytes, counted in the same session, are taken off again.
constexpr const char* drain_range = "drain";

/// The kernel, the kernel with a drain, each step of a kernel of several.
std::size_t ranges_of(const Case& c) {
    return 2 + (c.kernel->steps.size() < 2 ? 0 : c.kernel->steps.size());
}

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

    void add_calibrations(const std::vector<Calibration>& calibrations) {
        for (const Calibration& calibration : calibrations) {
            CountJob job = calibration.job;
            for (std::function<void()>* part : {&job.prepare, &job.body})
                *part = [this, work = std::move(*part)] { attempt(nullptr, work); };
            jobs_.push_back(std::move(job));
        }
    }

    void add_drain() {
        jobs_.push_back({drain_range, [this] { backend_.displace_cache(); },
                         [this] { backend_.displace_cache(); }});
    }

    const std::vector<CountJob>& jobs() const { return jobs_; }

    /// Why a range of `c` (null: the self-test) did not run to its end; null when all did.
    const std::string* fault_of(const Case* c) const {
        const auto found = faults_.find(c);
        return found == faults_.end() ? nullptr : &found->second;
    }

  private:
    void add(const std::string& range, const Case& c, std::function<void()> prepare,
             std::function<void()> body) {
        jobs_.push_back({range,
                         [this, &c, prepare = std::move(prepare)] {
                             attempt(&c, [&] {
                                 hold(c);
                                 prepare();
                             });
                         },
                         [this, &c, body = std::move(body)] { attempt(&c, body); }});
    }

    /// An error takes the counters of its own case (null: the self-test) and leaves the session to
    /// the others.
    void attempt(const Case* c, const std::function<void()>& work) {
        if (fault_of(c)) return;
        try {
            work();
        } catch (const DeviceLost&) {
            throw;
        } catch (const std::exception& error) {
            faults_.emplace(c, error.what());
            held_ = nullptr;
        }
    }

    void hold(const Case& c) {
        if (held_ == &c) return;
        held_ = nullptr;
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
    std::map<const Case*, std::string> faults_;
};

/// Every counter without a value, for one reason.
CounterSet none_counted(const std::string& why) {
    CounterSet set;
    for (const CounterInfo& info : counter_table()) set[info.counter] = {std::nullopt, "", why};
    return set;
}

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

void strike(CaseCounters& counted, const std::map<Counter, std::string>& unusable) {
    strike(counted.in_range, unusable);
    strike(counted.settled, unusable);
    for (StepCounters& step : counted.steps) strike(step.counters, unusable);
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
                         std::uint64_t seed, bool selftest) {
    Backend& backend = arena.backend();
    JobBuilder builder(arena, seed);
    const std::vector<Calibration> calibrations =
        selftest ? backend.calibrations() : std::vector<Calibration>{};
    builder.add_calibrations(calibrations);
    builder.add_drain();
    for (std::size_t i = 0; i < cases.size(); ++i) builder.add_case(i, *cases[i]);

    const CountOutcome outcome = backend.count(builder.jobs());
    CountedSweep sweep;
    sweep.closed_gate = outcome.closed_gate;
    sweep.remedy = outcome.remedy;
    sweep.selftest.reason = outcome.closed_gate;
    sweep.cases.resize(cases.size());
    if (outcome.sets.empty()) return sweep;

    if (const std::string* fault = builder.fault_of(nullptr))
        sweep.selftest.reason = "the self-test failed: " + *fault;
    else if (selftest)
        sweep.selftest = judge(calibrations, outcome.sets);
    std::size_t next = calibrations.size();
    const CounterSet& drain = outcome.sets[next++];
    const std::int64_t cache_bytes = backend.facts().cache_bytes;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& c = *cases[i];
        CaseCounters& counted = sweep.cases[i];
        if (const std::string* fault = builder.fault_of(&c)) {
            counted.in_range = none_counted("counting failed: " + *fault);
            next += ranges_of(c);
            continue;
        }
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
    for (CaseCounters& counted : sweep.cases) strike(counted, sweep.selftest.unusable());
    return sweep;
}

}  // namespace attnroof
