#include "backend/cuda/ceilings.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "kernels/cuda/ceilings/probes.h"
#include "kernels/cuda/check.h"

namespace attnroof {
namespace {

using cuda::ProbeShape;

constexpr int shape_samples = 3, final_samples = 10;

// Between probes that draw the most power, so that the power limit leaves the next one alone.
constexpr std::chrono::milliseconds rest{100};
// The first case after the sustained roofs would else run under the clock that they have pulled
// down.
constexpr std::chrono::milliseconds long_rest{500};
// Of the tensor probes, bf16 and fp16; the chip is hot when the second begins.
constexpr double sustained_seconds[] = {0.8, 0.4};

struct FreeDevice {
    void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

DeviceMemory allocate(std::int64_t bytes) {
    void* memory = nullptr;
    ATTNROOF_CUDA_CHECK(cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
    return DeviceMemory(memory);
}

struct DestroyEvent {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

Event make_event() {
    cudaEvent_t event = nullptr;
    ATTNROOF_CUDA_CHECK(cudaEventCreate(&event));
    return Event(event);
}

/// Times work on one stream with events.
class Stopwatch {
  public:
    explicit Stopwatch(cudaStream_t stream) : stream_(stream) {}

    double seconds(const std::function<void()>& work) const {
        ATTNROOF_CUDA_CHECK(cudaEventRecord(start_.get(), stream_));
        work();
        ATTNROOF_CUDA_CHECK(cudaEventRecord(stop_.get(), stream_));
        ATTNROOF_CUDA_CHECK(cudaEventSynchronize(stop_.get()));
        float milliseconds = 0;
        ATTNROOF_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
        return milliseconds * 1e-3;
    }

  private:
    cudaStream_t stream_;
    Event start_ = make_event(), stop_ = make_event();
};

/// One roof: `run` launches the probe in a shape and returns the work it does, in `unit` seconds.
struct Probe {
    const char* id;
    const char* unit;
    std::vector<ProbeShape> shapes;
    std::function<double(ProbeShape)> run;
};

/// Work per second of one launch.
double rate(const Probe& probe, ProbeShape shape, const Stopwatch& watch) {
    double work = 0;
    const double seconds = watch.seconds([&] { work = probe.run(shape); });
    return work / seconds;
}

void add_clocks(Ceiling& ceiling, const ClockReading& reading) {
    ceiling.clock_mhz = reading.sm_clock_mhz;
    ceiling.power_w = reading.power_w;
}

ProbeShape best_shape(const Probe& probe, const Stopwatch& watch) {
    ProbeShape best_shape;
    double best = 0;
    for (const ProbeShape shape : probe.shapes) {
        rate(probe, shape, watch);  // warm-up
        for (int i = 0; i < shape_samples; ++i) {
            const double sample = rate(probe, shape, watch);
            if (sample > best) best = sample, best_shape = shape;
        }
    }
    return best_shape;
}

Ceiling make_ceiling(const Probe& probe, double value, const std::vector<double>& samples,
                     const ClockReading& reading) {
    Ceiling ceiling;
    ceiling.id = probe.id;
    ceiling.value = value;
    ceiling.unit = probe.unit;
    ceiling.spread = spread_of(ceiling.value, samples);
    ceiling.samples = static_cast<int>(samples.size());
    add_clocks(ceiling, reading);
    return ceiling;
}

/// The best of a few short samples.
Ceiling measure_burst(const Probe& probe, ProbeShape shape, const Stopwatch& watch,
                      const std::function<ClockReading()>& clocks) {
    std::vector<double> samples;
    for (int i = 0; i < final_samples; ++i) samples.push_back(rate(probe, shape, watch));
    return make_ceiling(probe, *std::max_element(samples.begin(), samples.end()), samples,
                        clocks());
}

/// The mean rate of the second half of `seconds` without a pause: by then the power limit has
/// taken hold of the clock, if it does at all.
Ceiling measure_sustained(const Probe& probe, ProbeShape shape, double seconds,
                          const Stopwatch& watch, const std::function<ClockReading()>& clocks) {
    std::vector<double> samples;
    double work = 0, spent = 0, counted = 0;
    while (spent < seconds) {
        double done = 0;
        const double elapsed = watch.seconds([&] { done = probe.run(shape); });
        spent += elapsed;
        if (spent < seconds / 2) continue;
        work += done;
        counted += elapsed;
        samples.push_back(done / elapsed);
    }
    Ceiling ceiling = make_ceiling(probe, work / counted, samples, clocks());
    ceiling.mode = CeilingMode::sustained;
    return ceiling;
}

/// Time of an empty kernel, measured as every case is: behind a cache-displacing read.
Ceiling measure_launch(const Stopwatch& watch, const std::function<void()>& displace,
                       const std::function<void()>& launch,
                       const std::function<ClockReading()>& clocks) {
    std::vector<double> samples;
    for (int i = 0; i < 1 + final_samples; ++i) {
        displace();
        const double sample = watch.seconds(launch);
        if (i > 0) samples.push_back(sample);  // the first loads the kernel
    }
    Ceiling ceiling;
    ceiling.id = "launch";
    ceiling.value = *std::min_element(samples.begin(), samples.end());
    ceiling.unit = "s";
    ceiling.spread = spread_of(ceiling.value, samples);
    ceiling.samples = final_samples;
    add_clocks(ceiling, clocks());
    return ceiling;
}

std::int64_t probe_bytes() {
    std::size_t free = 0, total = 0;
    ATTNROOF_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    const std::int64_t most = std::int64_t{4} << 30;
    const std::int64_t granule = 65536;  // whole blocks of every shape
    return std::min(most, static_cast<std::int64_t>(free) / 4) / granule * granule;
}

}  // namespace

std::vector<Ceiling> measure_cuda_ceilings(cudaStream_t stream, const DeviceFacts& facts,
                                           const std::function<ClockReading()>& clocks) {
    const std::int64_t bytes = probe_bytes(), half = bytes / 2;
    const DeviceMemory memory = allocate(bytes), sink_memory = allocate(sizeof(float));
    auto* data = static_cast<char*>(memory.get());
    auto* sink = static_cast<float*>(sink_memory.get());
    cuda::fill_probe_data(data, bytes, stream);

    const int sms = static_cast<int>(facts.sm_count);
    const auto per_sm = [&](int blocks, int threads) { return ProbeShape{blocks * sms, threads}; };
    // A 16-byte access for each thread and nothing more, as copies do it best.
    const auto one_shot = [](std::int64_t size, int threads) {
        return ProbeShape{static_cast<int>(size / 16 / threads), threads};
    };
    const std::vector<ProbeShape> persistent{per_sm(2, 1024), per_sm(8, 256), per_sm(16, 1024),
                                             per_sm(32, 256), per_sm(64, 512)};
    std::vector<ProbeShape> streaming = persistent;
    streaming.push_back(one_shot(bytes, 256));
    streaming.push_back(one_shot(bytes, 512));
    const std::vector<ProbeShape> computing{per_sm(2, 512), per_sm(8, 256), per_sm(4, 128),
                                            per_sm(2, 256)};
    // Well inside L2, so that neither other data nor the way it is sliced can push it out.
    const std::int64_t resident = std::min(facts.cache_bytes * 3 / 8, bytes) / 16 * 16;
    const int passes = 256;

    const bool hopper = facts.compute_capability / 10 == 9;
    const auto tensor = [&](const char* id, DType dtype) {
        if (!hopper)
            return Probe{id, "FLOP/s", computing, [&, dtype](ProbeShape shape) {
                             return cuda::probe_mma(dtype, 256, sink, shape, stream);
                         }};
        return Probe{id,
                     "FLOP/s",
                     {per_sm(1, 128), per_sm(1, 256), per_sm(1, 384)},
                     [&, dtype](ProbeShape shape) {
                         return cuda::probe_wgmma(dtype, 1000, sink, shape, stream);
                     }};
    };
    const std::vector<Probe> tensor_probes{tensor("tensor.bf16", DType::bf16),
                                           tensor("tensor.fp16", DType::fp16)};
    const std::vector<Probe> probes{
        {"hbm.read", "byte/s", streaming,
         [&](ProbeShape shape) {
             cuda::probe_read(data, bytes, 1, sink, shape, stream);
             return static_cast<double>(bytes);
         }},
        {"hbm.write", "byte/s", streaming,
         [&](ProbeShape shape) {
             cuda::probe_write(data, bytes, shape, stream);
             return static_cast<double>(bytes);
         }},
        {"hbm.copy",
         "byte/s",
         {{0, 128}, {0, 256}, {0, 512}},
         [&](ProbeShape shape) {
             cuda::probe_copy(data + half, data, half, shape.threads, stream);
             return 2.0 * static_cast<double>(half);
         }},
        {"l2.read", "byte/s", persistent,
         [&](ProbeShape shape) {
             cuda::probe_read(data, resident, passes, sink, shape, stream);
             return static_cast<double>(resident) * passes;
         }},
        {"l1.read",
         "byte/s",
         {per_sm(2, 1024), per_sm(8, 256), per_sm(4, 128)},
         [&](ProbeShape shape) { return cuda::probe_shared_read(512, sink, shape, stream); }},
        {"fma.fp32", "FLOP/s", computing,
         [&](ProbeShape shape) { return cuda::probe_ffma(1024, sink, shape, stream); }},
        {"exp", "op/s", computing,
         [&](ProbeShape shape) { return cuda::probe_exp(256, sink, shape, stream); }},
    };

    const Stopwatch watch(stream);
    std::vector<Ceiling> ceilings;
    for (const Probe& probe : probes)
        ceilings.push_back(measure_burst(probe, best_shape(probe, watch), watch, clocks));

    const std::int64_t displacing = std::min(2 * facts.cache_bytes, bytes) / 16 * 16;
    ceilings.push_back(measure_launch(
        watch, [&] { cuda::probe_read(data, displacing, 1, sink, per_sm(8, 256), stream); },
        [&] { cuda::probe_empty(stream); }, clocks));

    // Last, since they heat the chip: first rested, then until the power limit answers.
    std::vector<ProbeShape> shapes;
    for (const Probe& probe : tensor_probes) {
        std::this_thread::sleep_for(rest);
        shapes.push_back(best_shape(probe, watch));
        std::this_thread::sleep_for(rest);
        ceilings.push_back(measure_burst(probe, shapes.back(), watch, clocks));
    }
    for (std::size_t i = 0; i < tensor_probes.size(); ++i)
        ceilings.push_back(
            measure_sustained(tensor_probes[i], shapes[i], sustained_seconds[i], watch, clocks));
    if (!tensor_probes.empty()) std::this_thread::sleep_for(long_rest);
    return ceilings;
}

}  // namespace attnroof
