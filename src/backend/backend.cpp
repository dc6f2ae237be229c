#include "backend/backend.h"

#include <charconv>

#include "backend/cpu/open.h"
#include "errors.h"
#ifdef ATTNROOF_WITH_CUDA
#include "backend/cuda/open.h"
#endif

namespace attnroof {
namespace {

std::unique_ptr<Backend> open_cuda([[maybe_unused]] int index) {
#ifdef ATTNROOF_WITH_CUDA
    return open_cuda_backend(index);
#else
    throw DeviceError("this build has no CUDA backend (no CUDA compiler was found)");
#endif
}

/// The index of "cuda" or "cuda:INDEX", nothing for another word.
std::optional<int> cuda_index(std::string_view device) {
    constexpr std::string_view word = "cuda";
    if (device == word) return 0;
    if (!device.starts_with("cuda:")) return std::nullopt;
    const std::string_view digits = device.substr(word.size() + 1);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size() || index < 0)
        return std::nullopt;
    return index;
}

}  // namespace

BackendChoice open_backend(const std::string& device) {
    if (device == "cpu") return {open_cpu_backend(), ""};
    if (device == "auto") {
        try {
            return {open_cuda(0), ""};
        } catch (const DeviceError& error) {
            return {open_cpu_backend(), std::string("using the CPU: ") + error.what()};
        }
    }
    if (const std::optional<int> index = cuda_index(device)) return {open_cuda(*index), ""};
    throw UsageError("device '" + device + "': expected auto, cpu, cuda or cuda:INDEX");
}

}  // namespace attnroof
