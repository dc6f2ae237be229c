#include "backend/cuda/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "backend/cuda/counter_gate.h"

namespace attnroof::cuda {
namespace {

// Since CUDA 13 the number is 10000 * major + 100 * minor + patch; it was a plain count before.
constexpr int major_of(std::uint32_t version) {
    return version < 10000 ? 12 : static_cast<int>(version / 10000);
}
constexpr int built_for = major_of(CUPTI_API_VERSION);
static_assert(built_for >= 13, "the headers of CUPTI 13 or newer are needed");

constexpr const char* remedy =
    "install CUPTI 13 (package cuda-cupti-13-0) or point CUDA_PATH at a CUDA 13 toolkit";

std::string version_text(std::uint32_t version) {
    if (version < 10000) return fmt::format("API version {} (CUDA 12 or older)", version);
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// Where the loader found an open library: the file that holds one of its functions.
std::string file_of(void* function, const std::string& fallback) {
    Dl_info info{};
    return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

}  // namespace

std::vector<std::string> cupti_candidates() {
    std::vector<std::string> folders{""};
    std::vector<std::string> roots;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* root = std::getenv(variable)) roots.emplace_back(root);
    roots.emplace_back("/usr/local/cuda");
    roots.push_back(fmt::format("/usr/local/cuda-{}", built_for));
    roots.emplace_back("/opt/cuda");
    for (const std::string& root : roots)
        for (const char* folder : {"/lib64/", "/extras/CUPTI/lib64/", "/targets/x86_64-linux/lib/"})
            folders.push_back(root + folder);

    std::vector<std::string> candidates;
    for (const std::string& folder : folders)
        for (const std::string& name : {fmt::format("libcupti.so.{}", built_for),
                                        std::string("libcupti.so"), std::string("libcupti.so.12")})
            candidates.push_back(folder + name);
    return candidates;
}

CuptiHandle::CuptiHandle(const std::vector<std::string>& candidates) {
    std::string found_but;
    for (const std::string& candidate : candidates) {
        const std::string fault = open(candidate);
        if (handle_ != nullptr) return;
        if (found_but.empty()) found_but = fault;
    }
    if (found_but.empty()) found_but = fmt::format("libcupti.so.{} was not found", built_for);
    throw GateShut({found_but, remedy});
}

std::string CuptiHandle::open(const std::string& candidate) {
    void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* reason = dlerror();
        return access(candidate.c_str(), F_OK) == 0 && reason != nullptr ? reason : "";
    }
    void* function = dlsym(handle, "cuptiGetVersion");
    const std::string path = function == nullptr ? candidate : file_of(function, candidate);
    std::uint32_t version = 0;
    if (function != nullptr) reinterpret_cast<CUptiResult (*)(std::uint32_t*)>(function)(&version);
    if (version != 0 && major_of(version) == built_for) {
        handle_ = handle;
        path_ = path;
        version_ = version_text(version);
        return "";
    }
    dlclose(handle);
    if (version == 0) return path + " is not a CUPTI library";
    return fmt::format("{} is CUPTI {}, this program was built for CUPTI {}", path,
                       version_text(version), built_for);
}

void* CuptiHandle::symbol(const char* name) const {
    void* function = dlsym(handle_, name);
    if (function == nullptr) throw GateShut({fmt::format("{} has no {}", path_, name), remedy});
    return function;
}

}  // namespace attnroof::cuda
