// The CPU backend: host memory, a steady clock, the memory controllers' counters.
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "backend/cpu/ceilings.h"
#include "backend/cpu/dram_counters.h"
#include "backend/cpu/open.h"
#include "backend/cpu/system.h"
#include "errors.h"
#include "kernels/cpu/drivers.h"
#include "kernels/cpu/threads.h"
#include "kernels/half.h"
#include "kernels/random.h"

namespace attnroof {
namespace cpu {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t huge_page_bytes = 2 << 20;

std::byte* bytes_at(const Buffer& buffer, std::int64_t offset) {
    return static_cast<std::byte*>(buffer.data()) + offset;
}

void require(const Buffer& buffer, std::int64_t offset, std::int64_t bytes) {
    if (offset < 0 || bytes < 0 || offset + bytes > buffer.bytes())
        throw std::out_of_range(fmt::format("bytes {} to {} of a buffer of {}", offset,
                                            offset + bytes, buffer.bytes()));
}

/// Bit patterns above this, without the sign, are NaN.
std::uint32_t infinity_bits(DType dtype) {
    return dtype == DType::fp32 ? 0x7f800000u : dtype == DType::fp16 ? 0x7c00u : 0x7f80u;
}

template <class Bits>
std::int64_t count_nan_in(const Bits* data, std::int64_t n, Bits infinity) {
    constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += (data[i] & magnitude) > infinity;
    return count;
}

class CpuBackend final : public Backend {
  public:
    CpuBackend() : facts_(read_facts()), counters_(facts_.chip) {}

    const DeviceFacts& facts() const override { return facts_; }
    std::int64_t available_bytes() const override { return available_memory(); }

    Buffer allocate(std::int64_t bytes) override;
    void fill_random(const Buffer& buffer, std::int64_t elements, DType dtype,
                     Distribution distribution, std::uint64_t seed) override;
    void poison(const Buffer& buffer) override;

    void upload(const Buffer& to, std::int64_t offset, std::span<const std::byte> from) override {
        require(to, offset, std::ssize(from));
        if (!from.empty()) std::memcpy(bytes_at(to, offset), from.data(), from.size());
    }
    void download(const Buffer& from, std::int64_t offset, std::span<std::byte> to) override {
        require(from, offset, std::ssize(to));
        if (!to.empty()) std::memcpy(to.data(), bytes_at(from, offset), to.size());
    }
    std::int64_t count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) override;

    void run(const StreamWork& work) override { work(nullptr); }
    double time_s(const StreamWork& work, bool cold) override;
    void displace_cache() override;

    ClockReading clocks() const override { return read_clocks(); }
    CounterPlan counter_plan() const override { return counters_.plan(); }
    CountOutcome count(const std::vector<CountJob>& jobs) override { return counters_.count(jobs); }
    std::vector<Ceiling> measure_ceilings() override { return measure_cpu_ceilings(*this); }

  private:
    DeviceFacts facts_;
    DramCounters counters_;
    Buffer displacing_;  // made when it is first needed
};

Buffer CpuBackend::allocate(std::int64_t bytes) {
    // Linux grants more than there is and kills later, so ask first.
    const std::int64_t available = available_bytes();
    if (bytes > available)
        throw OutOfMemory(fmt::format("{} bytes asked for, {} available", bytes, available));
    const std::int64_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : 64;
    const std::int64_t size = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
    void* const data =
        std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(size));
    if (data == nullptr) throw OutOfMemory(fmt::format("{} bytes were refused", bytes));
    Buffer buffer(data, bytes, [](void* memory) { std::free(memory); });
    // Advice: without huge pages it is slower, not wrong.
    if (alignment == huge_page_bytes) madvise(data, static_cast<std::size_t>(size), MADV_HUGEPAGE);
    return buffer;
}

void CpuBackend::fill_random(const Buffer& buffer, std::int64_t elements, DType dtype,
                             Distribution distribution, std::uint64_t seed) {
    require(buffer, 0, elements * bytes_of(dtype));
    const bool outliers = distribution == Distribution::normal_outliers;
    for_each_slice(elements, page_bytes, [&](std::int64_t first, std::int64_t n) {
        for (std::int64_t i = first; i < first + n; ++i) {
            const float value = random_element(seed, static_cast<std::uint64_t>(i), outliers);
            if (dtype == DType::fp32)
                static_cast<float*>(buffer.data())[i] = value;
            else
                static_cast<std::uint16_t*>(buffer.data())[i] =
                    dtype == DType::fp16 ? float_to_fp16(value) : float_to_bf16(value);
        }
    });
}

void CpuBackend::poison(const Buffer& buffer) {
    for_each_slice(buffer.bytes(), page_bytes, [&](std::int64_t first, std::int64_t n) {
        std::memset(bytes_at(buffer, first), 0xFF, static_cast<std::size_t>(n));
    });
}

std::int64_t CpuBackend::count_nan(const Buffer& buffer, std::int64_t elements, DType dtype) {
    require(buffer, 0, elements * bytes_of(dtype));
    std::atomic<std::int64_t> total = 0;
    for_each_slice(elements, page_bytes, [&](std::int64_t first, std::int64_t n) {
        if (dtype == DType::fp32)
            total += count_nan_in(static_cast<const std::uint32_t*>(buffer.data()) + first, n,
                                  infinity_bits(dtype));
        else
            total += count_nan_in(static_cast<const std::uint16_t*>(buffer.data()) + first, n,
                                  static_cast<std::uint16_t>(infinity_bits(dtype)));
    });
    return total;
}

double CpuBackend::time_s(const StreamWork& work, bool cold) {
    if (cold) displace_cache();
    const auto start = std::chrono::steady_clock::now();
    work(nullptr);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void CpuBackend::displace_cache() {
    if (displacing_.bytes() == 0) {
        displacing_ = allocate(2 * facts_.cache_bytes);
        poison(displacing_);
    }
    read_all(displacing_);
}

}  // namespace
}  // namespace cpu

std::unique_ptr<Backend> open_cpu_backend() { return std::make_unique<cpu::CpuBackend>(); }

}  // namespace attnroof
