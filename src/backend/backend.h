// The only seam with virtual functions: a device that holds buffers, runs, times and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/ceiling.h"
#include "backend/counters.h"
#include "backend/device_facts.h"
#include "kernels/problem.h"

namespace attnroof {

/// Device memory that frees itself.
class Buffer {
  public:
    Buffer() = default;
    Buffer(void* data, std::int64_t bytes, std::function<void(void*)> release)
        : memory_(data, std::move(release)), bytes_(bytes) {}

    void* data() const { return memory_.get(); }
    std::int64_t bytes() const { return bytes_; }

  private:
    std::unique_ptr<void, std::function<void(void*)>> memory_{nullptr, [](void*) {}};
    std::int64_t bytes_ = 0;
};

/// How inputs are drawn. Element i depends on (seed, i) alone, so a refill gives the same bytes.
enum class Distribution {
    normal,           // N(0, 1)
    normal_outliers,  // N(0, 1) + N(0, 100) * Bernoulli(0.001)
};

/// Work enqueued on the backend's stream. The argument goes into LaunchArgs::stream.
using StreamWork = std::function<void(void* stream)>;

class Backend {
  public:
    virtual ~Backend() = default;

    virtual const DeviceFacts& facts() const = 0;
    /// Bytes that can be allocated now.
    virtual std::int64_t available_bytes() const = 0;

    /// Throws OutOfMemory (errors.h) when the device refuses.
    virtual Buffer allocate(std::int64_t bytes) = 0;
    virtual void fill_random(const Buffer& buffer, std::int64_t elements, DType dtype,
                             Distribution distribution, std::uint64_t seed) = 0;
    /// Sets every byte to 0xFF, which is NaN in fp32, fp16 and bf16.
    virtual void poison(const Buffer& buffer) = 0;
    virtual void upload(const Buffer& to, std::int64_t offset, std::span<const std::byte> from) = 0;
    virtual void download(const Buffer& from, std::int64_t offset, std::span<std::byte> to) = 0;
    /// NaNs among the first `elements` elements.
    virtual std::int64_t count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) = 0;

    /// Runs `work` to its end. Errors that the device reports surface here.
    virtual void run(const StreamWork& work) = 0;
    /// Seconds that one execution of `work` takes on the device. When `cold`, the last-level cache
    /// is displaced first, outside the timed part, by reading a buffer of at least twice its size:
    /// reading, since a memset leaves dirty lines whose write-back would fall inside.
    virtual double time_s(const StreamWork& work, bool cold) = 0;
    /// That displacing read on its own, enqueued: a clean cache, nothing dirty left. What came
    /// before must have ended, else lines that it holds may stay.
    virtual void displace_cache() = 0;

    /// Why the device cannot be used any more in this process; empty while it can. Asked after an
    /// error: a hung kernel and a fault that spoils the context end every later call too.
    virtual std::string lost() { return {}; }
    /// Work that has not ended after `seconds` counts as hung and throws DeviceLost.
    virtual void set_watchdog(double /*seconds*/) {}

    virtual ClockReading clocks() const = 0;

    virtual CounterPlan counter_plan() const = 0;
    /// Runs every job once for each pass of the counter groups that it asks for (count_groups.h).
    /// Never throws for a shut gate: says so.
    virtual CountOutcome count(const std::vector<CountJob>& jobs) = 0;

    /// Jobs of known counts, to be run in this order; none where the backend has none. They use the
    /// backend, which must outlive them.
    virtual std::vector<Calibration> calibrations() { return {}; }

    virtual std::vector<Ceiling> measure_ceilings() = 0;
};

struct BackendChoice {
    std::unique_ptr<Backend> backend;
    std::string
        why;  // why this one: "no CUDA driver was found (libcuda.so.1)"; empty when asked for
};

/// `device` is auto, cpu, cuda or cuda:INDEX. `auto` takes the GPU when there is a usable one.
/// Throws UsageError for another word and DeviceError when what was asked for is not there.
BackendChoice open_backend(const std::string& device);

}  // namespace attnroof
