// Registry rows of the CPU kernels. S is fp32 whatever the dtype: arithmetic is fp32 throughout.
#include "kernels/rows.h"

#include <fmt/format.h>

#include "kernels/cpu/drivers.h"
#include "kernels/cpu/launchers.h"
#include "kernels/cpu/threads.h"
#include "kernels/cpu/tiles.h"
#include "kernels/division.h"

namespace attnroof {
namespace {

std::optional<std::string> refuses(const AttentionProblem& p, int) {
    if (p.pass != Pass::forward) return "needs pass forward, got backward";
    return std::nullopt;
}

std::int64_t scores(const AttentionProblem& p) { return score_bytes(p, 4); }
std::int64_t no_workspace(const AttentionProblem&) { return 0; }

// Stores go through the cache: one that misses reads its line first (write-allocate), so what is
// written without having been read counts twice. S is read and written in place by the softmax.
//
// K and V are walked once by each block of query rows. The workers walk side by side and share what
// they read, so as many blocks as there are workers cost one pass; the passes come from memory when
// one head's keys (or values, or both) are larger than the cache.

/// Bytes from memory of `bytes_per_head` for each key/value head, walked by every block.
std::int64_t walked(const AttentionProblem& p, std::int64_t bytes_per_head, std::int64_t cache) {
    const std::int64_t heads = p.batch * p.kv_heads;
    if (bytes_per_head <= cache) return heads * bytes_per_head;
    const int workers = cpu::worker_count();
    const std::int64_t blocks = cpu::Blocks(p, cpu::best_isa(), workers).count() / heads;
    return heads * bytes_per_head * ceil_div(blocks, workers);
}

std::int64_t head_bytes(const AttentionProblem& p) { return kv_bytes(p) / (p.batch * p.kv_heads); }

Traffic scores_traffic(const AttentionProblem& p, std::int64_t cache) {
    const std::int64_t s = spilled(scores(p), cache);
    return {q_bytes(p) + walked(p, head_bytes(p), cache) + s, s};
}
Traffic softmax_traffic(const AttentionProblem& p, std::int64_t cache) {
    const std::int64_t s = spilled(scores(p), cache);
    return {s + lse_bytes(p), s + lse_bytes(p)};
}
Traffic output_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(scores(p), cache) + walked(p, head_bytes(p), cache) + q_bytes(p), q_bytes(p)};
}
Traffic fused_traffic(const AttentionProblem& p, std::int64_t cache) {
    const std::int64_t written = q_bytes(p) + lse_bytes(p);  // O is as large as Q
    return {q_bytes(p) + walked(p, 2 * head_bytes(p), cache) + written, written};
}

}  // namespace

std::vector<KernelRow> cpu_kernel_rows() {
    return {
        {"naive",
         "cpu",
         DeviceKind::cpu,
         "S and P materialised in memory, three passes over them",
         refuses,
         scores,
         false,
         {{"scores", scores_traffic, cpu::launch_scores},
          {"softmax", softmax_traffic, cpu::launch_softmax},
          {"output", output_traffic, cpu::launch_output}}},
        {"fused",
         "cpu",
         DeviceKind::cpu,
         "tiling and online softmax, S stays in the core's cache",
         refuses,
         no_workspace,
         false,
         {{"fused", fused_traffic, cpu::launch_fused}}},
    };
}

}  // namespace attnroof
