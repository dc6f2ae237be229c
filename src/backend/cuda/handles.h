// CUDA handles that destroy themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/cuda/check.h"

namespace attnroof::cuda {

struct DestroyStream {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;

struct DestroyEvent {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

/// A stream that does not wait for the default stream.
inline Stream make_stream() {
    cudaStream_t stream = nullptr;
    ATTNROOF_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
}

/// An event that keeps the time.
inline Event make_event() {
    cudaEvent_t event = nullptr;
    ATTNROOF_CUDA_CHECK(cudaEventCreate(&event));
    return Event(event);
}

}  // namespace attnroof::cuda
