// The rows that each device contributes to the registry, and the traffic models they share.
#pragma once

#include "kernels/registry.h"

namespace attnroof {

std::vector<KernelRow> cpu_kernel_rows();
std::vector<KernelRow> cuda_kernel_rows();

/// Bytes of an intermediate of `bytes` that go to memory and come back: none when it stays in the
/// last-level cache.
inline std::int64_t spilled(std::int64_t bytes, std::int64_t cache_bytes) {
    return bytes <= cache_bytes ? 0 : bytes;
}

/// Forward traffic of one pass over Q, K and V with O and LSE written: what a fused kernel needs.
inline Traffic compulsory_traffic(const AttentionProblem& p) {
    return {q_bytes(p) + 2 * kv_bytes(p), q_bytes(p) + lse_bytes(p)};
}

}  // namespace attnroof
