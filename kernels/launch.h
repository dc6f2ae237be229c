// What a launcher gets: sizes, then pointers, then where to run. A launcher launches, nothing else.
#pragma once

#include "kernels/problem.h"

namespace attnroof {

/// Device pointers of one problem; shapes and layout as in AttentionProblem.
struct LaunchArgs {
    AttentionProblem problem;
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* o = nullptr;
    float* lse = nullptr;
    void* workspace = nullptr;  // KernelRow::workspace_bytes(problem) bytes, contents undefined
    void* stream = nullptr;     // cudaStream_t on a GPU, unused on the CPU
};

}  // namespace attnroof
