#include "measure/count_jobs.h"

#include <fmt/format.h>

#include "errors.h"

namespace attnroof {
namespace {

constexpr CounterGroup traffic = CounterGroup::traffic;

}  // namespace

JobBuilder::JobBuilder(DeviceArena& arena, std::uint64_t seed)
    : backend_(arena.backend()), arena_(arena), seed_(seed) {}

void JobBuilder::add_calibrations(const std::vector<Calibration>& calibrations) {
    for (const Calibration& calibration : calibrations) {
        CountJob job = calibration.job;
        // `after` gives memory back to the cases: it runs whatever failed before it.
        for (std::function<void()>* part : {&job.prepare, &job.body})
            *part = [this, work = std::move(*part)] { attempt({nullptr, traffic}, work); };
        jobs_.push_back(std::move(job));
    }
}

void JobBuilder::add_drain() {
    jobs_.push_back({"drain",
                     [this] { backend_.displace_cache(); },
                     [this] { backend_.displace_cache(); },
                     {traffic}});
}

void JobBuilder::add_case(std::size_t index, const Case& c) {
    const std::string prefix = std::to_string(index) + " " + c.id;
    const bool cold = c.cache == CacheMode::cold;
    CaseRanges ranges{.of = &c};
    ranges.in_range = add(
        prefix, c, traffic, [this, cold] { settle(cold); },
        [this] { backend_.run(buffers_->all_steps()); });
    // From a clean cache in either mode: what was dirty before is not the kernel's own output.
    ranges.settled = add(
        prefix + " settled", c, traffic, [this, cold] { settle(cold); },
        [this] {
            backend_.run(buffers_->all_steps());
            backend_.displace_cache();
        });
    if (c.kernel->steps.size() > 1) add_steps(prefix, c, ranges);
    add_launches(prefix, c, ranges);
    cases_.push_back(std::move(ranges));
}

const std::string* JobBuilder::fault_of(const Case* c, CounterGroup group) const {
    const auto found = faults_.find({c, group});
    return found == faults_.end() ? nullptr : &found->second;
}

/// Each step from a displaced cache, with a drain. It finds what the range before it has made.
void JobBuilder::add_steps(const std::string& prefix, const Case& c, CaseRanges& ranges) {
    for (std::size_t s = 0; s < c.kernel->steps.size(); ++s)
        ranges.steps.push_back(add(
            prefix + " step " + c.kernel->steps[s].name, c, traffic,
            [this] { backend_.displace_cache(); },
            [this, s] {
                backend_.run(buffers_->step(s));
                backend_.displace_cache();
            }));
}

/// The launches whose counts do not depend on the caches, once for each kernel and problem.
void JobBuilder::add_launches(const std::string& prefix, const Case& c, CaseRanges& ranges) {
    for (const CaseRanges& earlier : cases_)
        if (earlier.of->kernel == c.kernel && earlier.of->problem == c.problem) {
            ranges.counted_with = earlier.counted_with;
            ranges.operations = earlier.operations;
            ranges.instructions = earlier.instructions;
            ranges.part = earlier.part;
            return;
        }
    ranges.counted_with = &c;
    ranges.part = part_of(c.problem);
    ranges.operations = add_each_step(prefix, c, CounterGroup::operations, c.problem);
    ranges.instructions = add_each_step(prefix, c, CounterGroup::instructions, ranges.part.problem);
}

/// One launch a step, the whole kernel once: each finds what the one before it has made.
std::vector<std::size_t> JobBuilder::add_each_step(const std::string& prefix, const Case& c,
                                                   CounterGroup group,
                                                   const AttentionProblem& problem) {
    std::vector<std::size_t> places;
    for (std::size_t s = 0; s < c.kernel->steps.size(); ++s)
        places.push_back(add(
            fmt::format("{} {} of {}", prefix, name(group), c.kernel->steps[s].name), c, group,
            [] {}, [this, s, problem] { backend_.run(buffers_->step(s, problem)); }));
    return places;
}

std::size_t JobBuilder::add(const std::string& range, const Case& c, CounterGroup group,
                            std::function<void()> prepare, std::function<void()> body) {
    jobs_.push_back({range,
                     [this, &c, group, prepare = std::move(prepare)] {
                         attempt({&c, group}, [&] {
                             hold(c);
                             prepare();
                         });
                     },
                     [this, &c, group, body = std::move(body)] {
                         attempt({&c, group}, body);
                     },
                     {group}});
    return jobs_.size() - 1;
}

/// An error takes the counters of its owner and leaves the session to the others.
void JobBuilder::attempt(const Owner& owner, const std::function<void()>& work) {
    if (faults_.contains(owner)) return;
    try {
        work();
    } catch (const DeviceLost&) {
        throw;
    } catch (const std::exception& error) {
        faults_.emplace(owner, error.what());
        held_ = nullptr;
    }
}

void JobBuilder::hold(const Case& c) {
    if (held_ == &c) return;
    held_ = nullptr;
    buffers_ =
        std::make_unique<CaseBuffers>(arena_, *c.kernel, c.problem, Distribution::normal, seed_);
    held_ = &c;
}

void JobBuilder::settle(bool cold) {
    backend_.displace_cache();
    if (!cold) backend_.run(buffers_->all_steps());
}

}  // namespace attnroof
