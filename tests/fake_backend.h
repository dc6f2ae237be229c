// A device without hardware: memory is the host's, time and counters are scripted.
#pragma once

#include <cstdlib>
#include <cstring>
#include <random>

#include "backend/backend.h"
#include "backend/count_groups.h"
#include "errors.h"

namespace attnroof {

class FakeBackend : public Backend {
  public:
    explicit FakeBackend(DeviceFacts facts, double seconds = 1e-3)
        : facts_(std::move(facts)), seconds_(seconds) {}

    double noise = 0;  // relative, uniform
    std::int64_t available = 1ll << 34;
    std::vector<Ceiling> ceilings;
    CountOutcome outcome;  // given back when `count_job` is empty
    std::function<CounterSet(const std::string& range)> count_job;
    int timed = 0, allocated = 0, filled = 0;
    std::string lost_reason;
    ClockReading clock;
    std::function<void()> before_ceilings;

    const DeviceFacts& facts() const override { return facts_; }
    std::int64_t available_bytes() const override { return available; }
    Buffer allocate(std::int64_t bytes) override {
        if (bytes > available) throw OutOfMemory("fake: out of memory");
        available -= bytes;
        ++allocated;
        return {std::malloc(static_cast<std::size_t>(bytes)), bytes, [this, bytes](void* p) {
                    available += bytes;
                    std::free(p);
                }};
    }
    void fill_random(const Buffer& buffer, std::int64_t, DType, Distribution,
                     std::uint64_t seed) override {
        ++filled;
        std::memset(buffer.data(), static_cast<int>(seed & 0x3f),
                    static_cast<std::size_t>(buffer.bytes()));
    }
    void poison(const Buffer& buffer) override {
        std::memset(buffer.data(), 0xff, static_cast<std::size_t>(buffer.bytes()));
    }
    void upload(const Buffer& to, std::int64_t offset, std::span<const std::byte> from) override {
        std::memcpy(static_cast<std::byte*>(to.data()) + offset, from.data(), from.size());
    }
    void download(const Buffer& from, std::int64_t offset, std::span<std::byte> to) override {
        std::memcpy(to.data(), static_cast<const std::byte*>(from.data()) + offset, to.size());
    }
    std::int64_t count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) override {
        const auto* bytes = static_cast<const unsigned char*>(buffer.data());
        const std::int64_t width = bytes_of(dtype);
        std::int64_t nan = 0;
        for (std::int64_t i = 0; i < elements; ++i)
            nan += bytes[i * width] == 0xff && bytes[i * width + 1] == 0xff;
        return nan;
    }
    void run(const StreamWork& work) override { work(nullptr); }
    double time_s(const StreamWork& work, bool) override {
        work(nullptr);
        ++timed;
        return seconds_ * (1 + noise * std::uniform_real_distribution<double>(-1, 1)(rng_));
    }
    void displace_cache() override { ++displaced; }
    std::string lost() override { return lost_reason; }
    ClockReading clocks() const override { return clock; }
    CounterPlan counter_plan() const override {
        return {"FAKE", 1, outcome.closed_gate, outcome.remedy, ""};
    }
    CountOutcome count(const std::vector<CountJob>& jobs) override {
        if (!count_job) return outcome;
        return count_by_group(jobs, [&](CounterGroup group, const std::vector<CountJob>& chosen) {
            CountOutcome counted = outcome;
            counted.passes = 1;
            for (const CountJob& job : chosen) {
                job.prepare();
                job.body();
                if (job.after) job.after();
                counted.sets.push_back(count_job(job.range));
                ran(group).push_back(job.range);
            }
            if (refused.contains(group)) counted.closed_gate = refused[group];
            return counted;
        });
    }
    std::vector<Ceiling> measure_ceilings() override {
        if (before_ceilings) before_ceilings();
        return ceilings;
    }

    int displaced = 0;
    // In the order in which they ran.
    std::vector<std::string> ranges, operation_ranges, instruction_ranges;
    std::map<CounterGroup, std::string> refused;  // why the session of a group fails

  private:
    std::vector<std::string>& ran(CounterGroup group) {
        return group == CounterGroup::traffic      ? ranges
               : group == CounterGroup::operations ? operation_ranges
                                                   : instruction_ranges;
    }

    DeviceFacts facts_;
    double seconds_;
    std::mt19937_64 rng_{1};
};

}  // namespace attnroof
