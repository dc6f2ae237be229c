// The CUDA backend: buffers, one stream, event times, counters.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "backend/cuda/calibrations.h"
#include "backend/cuda/ceilings.h"
#include "backend/cuda/cupti_counters.h"
#include "backend/cuda/device.h"
#include "backend/cuda/fill.h"
#include "backend/cuda/handles.h"
#include "backend/cuda/nvml.h"
#include "backend/cuda/open.h"
#include "errors.h"

namespace attnroof {
namespace cuda {
namespace {

// Twice the cache would do if its size were exact; reads past the size that the runtime reports
// still hit on some chips.
constexpr std::int64_t displacing_caches = 4;

// Longer than it takes to enqueue a case's launches, so that the device never waits for the host
// between the two events.
constexpr std::int64_t head_start_ns = 30'000;

std::unique_ptr<Nvml> open_nvml(int index) {
    std::array<char, 32> bus_id{};
    if (cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), index) != cudaSuccess) return nullptr;
    return Nvml::open(bus_id.data());
}

class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(int index)
        : nvml_(open_nvml(index)),
          counters_(index),
          facts_(read_facts(index, nvml_.get(), counters_.plan().chip)),
          scratch_(allocate(sizeof(unsigned long long))),
          displacing_(allocate(displacing_caches * facts_.cache_bytes)) {
        set_bytes(displacing_, 0);
    }

    const DeviceFacts& facts() const override { return facts_; }

    std::int64_t available_bytes() const override {
        std::size_t free = 0, total = 0;
        ATTNROOF_CUDA_CHECK(cudaMemGetInfo(&free, &total));
        return static_cast<std::int64_t>(free);
    }

    Buffer allocate(std::int64_t bytes) override;

    void fill_random(const Buffer& buffer, std::int64_t elements, DType dtype,
                     Distribution distribution, std::uint64_t seed) override {
        require(buffer, 0, elements * bytes_of(dtype));
        launch_fill_random(buffer.data(), elements, dtype, distribution, seed, stream());
        synchronize();
    }

    void poison(const Buffer& buffer) override { set_bytes(buffer, 0xFF); }

    void upload(const Buffer& to, std::int64_t offset, std::span<const std::byte> from) override {
        require(to, offset, static_cast<std::int64_t>(from.size()));
        copy(static_cast<std::byte*>(to.data()) + offset, from.data(), from.size(),
             cudaMemcpyHostToDevice);
    }

    void download(const Buffer& from, std::int64_t offset, std::span<std::byte> to) override {
        require(from, offset, static_cast<std::int64_t>(to.size()));
        copy(to.data(), static_cast<const std::byte*>(from.data()) + offset, to.size(),
             cudaMemcpyDeviceToHost);
    }

    std::int64_t count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) override {
        require(buffer, 0, elements * bytes_of(dtype));
        set_bytes(scratch_, 0);
        launch_count_nan(buffer.data(), elements, dtype,
                         static_cast<unsigned long long*>(scratch_.data()), stream());
        unsigned long long count = 0;
        copy(&count, scratch_.data(), sizeof(count), cudaMemcpyDeviceToHost);
        return static_cast<std::int64_t>(count);
    }

    void run(const StreamWork& work) override {
        work(stream());
        synchronize();
    }

    double time_s(const StreamWork& work, bool cold) override;

    void displace_cache() override {
        if (!lost_->empty()) throw DeviceLost(*lost_);
        release_held_lines();
        launch_read(displacing_.data(), displacing_.bytes(), scratch_.data(), stream());
    }

    std::string lost() override;
    void set_watchdog(double seconds) override { watchdog_s_ = seconds; }

    ClockReading clocks() const override { return nvml_ ? nvml_->clocks() : ClockReading{}; }

    CounterPlan counter_plan() const override { return counters_.plan(); }

    CountOutcome count(const std::vector<CountJob>& jobs) override {
        return counters_.count(jobs, [this] { synchronize(); });
    }

    std::vector<Calibration> calibrations() override { return make_calibrations(*this); }

    std::vector<Ceiling> measure_ceilings() override {
        return measure_cuda_ceilings(stream(), facts_, [this] { return clocks(); });
    }

  private:
    cudaStream_t stream() const { return stream_.get(); }

    void synchronize() const;

    // Lines that a kernel read under evict_last would withstand any number of other reads.
    static void release_held_lines() {
        const cudaError_t state = cudaCtxResetPersistingL2Cache();
        if (state == cudaErrorNotSupported)
            cudaGetLastError();  // a device that holds none
        else
            check(state, "cudaCtxResetPersistingL2Cache");
    }

    void set_bytes(const Buffer& buffer, int byte) const {
        ATTNROOF_CUDA_CHECK(cudaMemsetAsync(buffer.data(), byte,
                                            static_cast<std::size_t>(buffer.bytes()), stream()));
        synchronize();
    }

    void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
        ATTNROOF_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream()));
        synchronize();
    }

    static void require(const Buffer& buffer, std::int64_t offset, std::int64_t bytes) {
        if (offset < 0 || bytes < 0 || offset > buffer.bytes() - bytes)
            throw std::out_of_range(fmt::format("bytes {} to {} of a buffer of {}", offset,
                                                offset + bytes, buffer.bytes()));
    }

    // Shared with the buffers: freeing memory would wait for a hung kernel for ever.
    std::shared_ptr<std::string> lost_ = std::make_shared<std::string>();
    double watchdog_s_ = 60;
    Stream stream_ = make_stream();
    Event start_ = make_event(), stop_ = make_event();
    std::unique_ptr<Nvml> nvml_;
    CuptiCounters counters_;
    DeviceFacts facts_;
    Buffer scratch_;
    Buffer displacing_;  // zeros
};

Buffer CudaBackend::allocate(std::int64_t bytes) {
    if (!lost_->empty()) throw DeviceLost(*lost_);
    void* data = nullptr;
    const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(bytes));
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw OutOfMemory(fmt::format("{} bytes of device memory asked for, {} are available",
                                      bytes, available_bytes()));
    }
    check(error, "cudaMalloc");
    return {data, bytes, [lost = lost_](void* memory) {
                if (lost->empty()) cudaFree(memory);
            }};
}

void CudaBackend::synchronize() const {
    if (!lost_->empty()) throw DeviceLost(*lost_);
    const auto start = std::chrono::steady_clock::now();
    cudaError_t state = cudaSuccess;
    while ((state = cudaStreamQuery(stream())) == cudaErrorNotReady) {
        cudaGetLastError();  // not an error
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
        if (waited.count() > watchdog_s_) {
            *lost_ = fmt::format("a kernel has not ended after {:.3g} s", watchdog_s_);
            throw DeviceLost(*lost_);
        }
        // A short wait spins, so that the next launch is not late; a long one leaves the core.
        if (waited.count() > 2e-3) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    check(state, "cudaStreamQuery");
}

std::string CudaBackend::lost() {
    if (lost_->empty()) {
        // Whatever spoils a context comes back from every later call.
        const cudaError_t state = cudaStreamQuery(stream());
        cudaGetLastError();
        if (state != cudaSuccess && state != cudaErrorNotReady)
            *lost_ = fmt::format("the device cannot be used any more: {}: {}",
                                 cudaGetErrorName(state), cudaGetErrorString(state));
    }
    return *lost_;
}

double CudaBackend::time_s(const StreamWork& work, bool cold) {
    if (cold) displace_cache();
    launch_wait(head_start_ns, stream());
    ATTNROOF_CUDA_CHECK(cudaEventRecord(start_.get(), stream()));
    work(stream());
    ATTNROOF_CUDA_CHECK(cudaEventRecord(stop_.get(), stream()));
    synchronize();
    float milliseconds = 0;
    ATTNROOF_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
    return 1e-3 * milliseconds;
}

}  // namespace
}  // namespace cuda

std::unique_ptr<Backend> open_cuda_backend(int index) {
    cuda::select_device(index);
    return std::make_unique<cuda::CudaBackend>(index);
}

}  // namespace attnroof
