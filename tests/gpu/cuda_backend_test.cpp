#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "backend/cuda/open.h"
#include "catch.h"
#include "errors.h"
#include "gpu/probes.h"
#include "kernels/half.h"
#include "kernels/random.h"

using namespace attnroof;

namespace {

constexpr std::int64_t elements = 1 << 20;

std::vector<std::byte> bytes_in(Backend& backend, const Buffer& buffer) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.bytes()));
    backend.download(buffer, 0, bytes);
    return bytes;
}

std::vector<float> floats_in(Backend& backend, const Buffer& buffer) {
    std::vector<float> values(static_cast<std::size_t>(buffer.bytes()) / 4);
    backend.download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

}  // namespace

TEST_CASE("facts of the device") {
    const auto backend = open_cuda_backend(0);
    const DeviceFacts& facts = backend->facts();
    CHECK(facts.kind == DeviceKind::cuda);
    CHECK_FALSE(facts.name.empty());
    CHECK(facts.uuid.size() == 40);
    CHECK(facts.compute_capability >= min_compute_capability);
    CHECK(facts.sm_count > 0);
    CHECK(facts.cache_bytes > 0);
    CHECK(facts.memory_bytes > facts.cache_bytes);
    CHECK(facts.driver_version >= 13000);
    CHECK(backend->available_bytes() <= facts.memory_bytes);
    if (!facts.driver) return;  // no NVML
    CHECK(facts.sm_clock_max_mhz > 0);
    CHECK(backend->clocks().sm_clock_mhz > 0);
    CHECK(backend->clocks().throttle_reasons.has_value() ==
          backend->clocks().throttled.has_value());
}

TEST_CASE("a device that is not there is refused by name") {
    CHECK_THROWS_AS(open_cuda_backend(4096), DeviceError);
    CHECK_THROWS_WITH(open_cuda_backend(-1), ContainsSubstring("no cuda:-1"));
}

TEST_CASE("more memory than there is, is refused, and the backend goes on") {
    const auto backend = open_cuda_backend(0);
    CHECK_THROWS_AS(backend->allocate(std::int64_t{1} << 50), OutOfMemory);
    const Buffer small = backend->allocate(1024);
    CHECK(small.data() != nullptr);
}

TEST_CASE("memory comes back when a buffer goes") {
    const auto backend = open_cuda_backend(0);
    const std::int64_t before = backend->available_bytes();
    {
        const Buffer large = backend->allocate(std::int64_t{1} << 30);
        CHECK(backend->available_bytes() < before);
    }
    CHECK(backend->available_bytes() == before);
}

TEST_CASE("random inputs depend on the seed and the index alone") {
    const auto backend = open_cuda_backend(0);
    const Buffer a = backend->allocate(2 * elements), b = backend->allocate(2 * elements);
    for (const DType dtype : {DType::bf16, DType::fp16}) {
        backend->fill_random(a, elements, dtype, Distribution::normal, 7);
        backend->fill_random(b, elements, dtype, Distribution::normal, 7);
        CHECK(bytes_in(*backend, a) == bytes_in(*backend, b));
        backend->fill_random(b, elements, dtype, Distribution::normal, 8);
        CHECK(bytes_in(*backend, a) != bytes_in(*backend, b));
    }
}

TEST_CASE("random inputs are standard normal, the same as on the host") {
    const auto backend = open_cuda_backend(0);
    const Buffer buffer = backend->allocate(4 * elements);
    backend->fill_random(buffer, elements, DType::fp32, Distribution::normal, 42);
    double sum = 0, squares = 0, worst = 0;
    const std::vector<float> values = floats_in(*backend, buffer);
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += values[i];
        squares += double(values[i]) * values[i];
        worst = std::max(worst, std::abs(double(values[i]) - random_normal(42, i)));
    }
    // Five standard errors of the mean and of the variance.
    CHECK(std::abs(sum / elements) < 5 / std::sqrt(double(elements)));
    CHECK(std::abs(squares / elements - 1) < 5 * std::sqrt(2.0 / elements));
    CHECK(worst < 1e-4);
}

TEST_CASE("one input in a thousand is an outlier when asked for") {
    const auto backend = open_cuda_backend(0);
    const Buffer plain = backend->allocate(4 * elements), spiked = backend->allocate(4 * elements);
    backend->fill_random(plain, elements, DType::fp32, Distribution::normal, 1);
    backend->fill_random(spiked, elements, DType::fp32, Distribution::normal_outliers, 1);
    const std::vector<float> a = floats_in(*backend, plain), b = floats_in(*backend, spiked);
    double different = 0, squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double added = double(b[i]) - a[i];
        different += added != 0;
        squares += added * added;
    }
    CHECK(different / elements == Approx(0.001).epsilon(0.2));
    CHECK(squares / different == Approx(100).epsilon(0.3));
}

TEST_CASE("poison is NaN in every dtype, and every NaN is found") {
    const auto backend = open_cuda_backend(0);
    const Buffer buffer = backend->allocate(4 * elements);
    for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
        backend->poison(buffer);
        CHECK(backend->count_nan(buffer, elements, dtype) == elements);
        backend->fill_random(buffer, elements, dtype, Distribution::normal, 1);
        CHECK(backend->count_nan(buffer, elements, dtype) == 0);
    }
    const float row[]{1.0f, -INFINITY, INFINITY, NAN, -NAN, 0.0f};
    backend->upload(buffer, 0, std::as_bytes(std::span(row)));
    CHECK(backend->count_nan(buffer, 6, DType::fp32) == 2);
    const std::uint16_t infinity_then_nan[]{float_to_fp16(INFINITY), 0x7c01, 0xfe00};
    backend->upload(buffer, 0, std::as_bytes(std::span(infinity_then_nan)));
    CHECK(backend->count_nan(buffer, 3, DType::fp16) == 2);
}

TEST_CASE("upload and download take an offset and refuse what does not fit") {
    const auto backend = open_cuda_backend(0);
    const Buffer buffer = backend->allocate(8);
    const std::uint32_t words[]{1, 2};
    backend->upload(buffer, 0, std::as_bytes(std::span(words)));
    std::uint32_t second = 0;
    backend->download(buffer, 4, std::as_writable_bytes(std::span(&second, 1)));
    CHECK(second == 2);
    CHECK_THROWS_AS(backend->upload(buffer, 4, std::as_bytes(std::span(words))), std::out_of_range);
    CHECK_THROWS_AS(backend->fill_random(buffer, 3, DType::fp32, Distribution::normal, 1),
                    std::out_of_range);
}

TEST_CASE("times are positive, cold and warm") {
    const auto backend = open_cuda_backend(0);
    const Buffer a = backend->allocate(4 * elements), b = backend->allocate(4 * elements);
    const StreamWork work = [&](void* s) { probe::copy(a.data(), b.data(), a.bytes(), s); };
    CHECK(backend->time_s(work, true) > 0);
    CHECK(backend->time_s(work, false) > 0);
    CHECK(backend->time_s([](void*) {}, false) >= 0);
}

TEST_CASE("a fault of the device", "[.][fault]") {
    const auto backend = open_cuda_backend(0);
    CHECK_THROWS_WITH(
        backend->run([](void* s) { probe::fault(s); }),
        ContainsSubstring("cudaErrorIllegalAddress") && ContainsSubstring("cuda_backend.cpp"));
    CHECK_THROWS(backend->allocate(1024));
}

// In a process of its own: such a fault stays with the process.
TEST_CASE("a fault of the device surfaces as an exception that names file and call") {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    CHECK(std::system(("'" + self + "' '[fault]'").c_str()) == 0);
}
