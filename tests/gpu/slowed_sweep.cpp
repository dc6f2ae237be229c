// A sweep on a GPU whose every case takes a known share longer: what a gate must notice.
//   attnroof_slowed_sweep CONFIG SHARE REPORT
// The delay is enqueued behind the work, between the two events that time it: a kernel that waits
// for SHARE of the time that the work took alone just before. With a SHARE of 0 nothing is added.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "backend/cuda/fill.h"
#include "commands/sweep.h"
#include "config/parse.h"
#include "errors.h"

namespace {

using namespace attnroof;

/// A backend whose time_s is longer by `share`; all else is the backend within.
class SlowedBackend final : public Backend {
  public:
    SlowedBackend(std::unique_ptr<Backend> within, double share)
        : within_(std::move(within)), share_(share) {}

    double time_s(const StreamWork& work, bool cold) override {
        const auto delay_ns = static_cast<std::int64_t>(1e9 * share_ * within_->time_s(work, cold));
        const StreamWork slowed = [&](void* stream) {
            work(stream);
            cuda::launch_wait(delay_ns, static_cast<cudaStream_t>(stream));
        };
        return within_->time_s(slowed, cold);
    }

    const DeviceFacts& facts() const override { return within_->facts(); }
    std::int64_t available_bytes() const override { return within_->available_bytes(); }
    Buffer allocate(std::int64_t bytes) override { return within_->allocate(bytes); }
    void fill_random(const Buffer& buffer, std::int64_t elements, DType dtype,
                     Distribution distribution, std::uint64_t seed) override {
        within_->fill_random(buffer, elements, dtype, distribution, seed);
    }
    void poison(const Buffer& buffer) override { within_->poison(buffer); }
    void upload(const Buffer& to, std::int64_t offset, std::span<const std::byte> from) override {
        within_->upload(to, offset, from);
    }
    void download(const Buffer& from, std::int64_t offset, std::span<std::byte> to) override {
        within_->download(from, offset, to);
    }
    std::int64_t count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) override {
        return within_->count_nan(buffer, elements, dtype);
    }
    void run(const StreamWork& work) override { within_->run(work); }
    void displace_cache() override { within_->displace_cache(); }
    ClockReading clocks() const override { return within_->clocks(); }
    CounterPlan counter_plan() const override { return within_->counter_plan(); }
    CountOutcome count(const std::vector<CountJob>& jobs) override { return within_->count(jobs); }
    std::vector<Ceiling> measure_ceilings() override { return within_->measure_ceilings(); }

  private:
    std::unique_ptr<Backend> within_;
    double share_;
};

int sweep(char** argv) {
    SweepOptions options;
    options.request.config_name = argv[1];
    options.request.file = load_config(argv[1]);
    options.request.overrides.counters = CounterMode::off;
    options.outputs = {argv[3]};
    options.quiet = true;
    options.command.assign(argv, argv + 4);
    BackendChoice choice = open_backend("cuda");
    const double share = std::atof(argv[2]);
    if (share > 0)
        choice.backend = std::make_unique<SlowedBackend>(std::move(choice.backend), share);
    return run_sweep(options, choice);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: attnroof_slowed_sweep CONFIG SHARE REPORT\n");
        return 2;
    }
    try {
        return sweep(argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "attnroof_slowed_sweep: {}\n", error.what());
        return 1;
    }
}
