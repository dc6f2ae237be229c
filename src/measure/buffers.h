// The device memory of one case, filled with fresh random inputs.
#pragma once

#include "backend/backend.h"
#include "kernels/registry.h"

namespace attnroof {

/// Q, K, V, O, LSE and workspace of one problem for one kernel. RAII.
struct CaseBuffers {
    CaseBuffers(Backend& backend, const KernelRow& kernel, const AttentionProblem& problem,
                Distribution distribution, std::uint64_t seed);

    /// All steps of the kernel, back to back.
    StreamWork all_steps() const;
    /// One step; its inputs must have been made by running the steps before it.
    StreamWork step(std::size_t index) const;

    const KernelRow* kernel;
    AttentionProblem problem;
    Buffer q, k, v, o, lse, workspace;

  private:
    LaunchArgs args(void* stream) const;
};

}  // namespace attnroof
