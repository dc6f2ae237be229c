// CUDA errors as exceptions with file, line and call.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace attnroof::cuda {

class CudaError : public std::runtime_error {
  public:
    CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
    cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

/// Throws CudaError when `code` is not success. `call` is the call's text.
inline void check(cudaError_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
    if (code == cudaSuccess) return;
    cudaGetLastError();  // clears an error that is not sticky, so that the next case can run
    throw CudaError(code, std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                              ": " + call + ": " + cudaGetErrorName(code) + ": " +
                              cudaGetErrorString(code));
}

/// Throws when the launch just made was refused.
inline void check_launch(const char* kernel,
                         std::source_location where = std::source_location::current()) {
    check(cudaGetLastError(), kernel, where);
}

}  // namespace attnroof::cuda

#define ATTNROOF_CUDA_CHECK(call) ::attnroof::cuda::check((call), #call)
