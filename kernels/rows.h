// The rows that each device contributes to the registry, and the traffic models they share.
#pragma once

#include "kernels/registry.h"

namespace attnroof {

std::vector<KernelRow> cpu_kernel_rows();
std::vector<KernelRow> cuda_kernel_rows();

/// Bytes of an intermediate of `bytes` that are read again from memory: none when it stays in the
/// last-level cache, all when it does not. Nothing between: it is read in the order it was written
/// in, and a cache that drops the oldest line first has always just dropped the next one. (Counted
/// on an H200: 268 MB of scores, four times the L2, come back whole, to 0.1 %.)
inline std::int64_t spilled(std::int64_t bytes, std::int64_t cache_bytes) {
    return bytes <= cache_bytes ? 0 : bytes;
}

/// Share of the cache that holds written lines before they must go to memory. Counted on an H200:
/// fills of 32 to 512 MB leave 28 MB of its 62.9 MB of L2 unwritten, smaller ones all of theirs.
inline constexpr double dirty_share = 0.45;

/// Bytes of an intermediate that go to memory before a later step writes over them in place.
inline std::int64_t written_before_overwritten(std::int64_t bytes, std::int64_t cache_bytes) {
    return static_cast<double>(bytes) <= dirty_share * static_cast<double>(cache_bytes) ? 0 : bytes;
}

/// Forward traffic of one pass over Q, K and V with O and LSE written: what a fused kernel needs.
inline Traffic compulsory_traffic(const AttentionProblem& p) {
    return {q_bytes(p) + 2 * kv_bytes(p), q_bytes(p) + lse_bytes(p)};
}

}  // namespace attnroof
