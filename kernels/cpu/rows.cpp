// Registry rows of the CPU kernels. S is fp32 whatever the dtype: arithmetic is fp32 throughout.
#include "kernels/rows.h"

#include <fmt/format.h>

#include "kernels/cpu/launchers.h"

namespace attnroof {
namespace {

std::optional<std::string> refuses(const AttentionProblem& p, int) {
    if (p.pass != Pass::forward) return "needs pass forward, got backward";
    return std::nullopt;
}

std::int64_t scores(const AttentionProblem& p) { return score_bytes(p, 4); }
std::int64_t no_workspace(const AttentionProblem&) { return 0; }

Traffic scores_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {q_bytes(p) + kv_bytes(p), spilled(scores(p), cache)};
}
Traffic softmax_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(scores(p), cache), spilled(scores(p), cache) + lse_bytes(p)};
}
Traffic output_traffic(const AttentionProblem& p, std::int64_t cache) {
    return {spilled(scores(p), cache) + kv_bytes(p), q_bytes(p)};
}
Traffic fused_traffic(const AttentionProblem& p, std::int64_t) { return compulsory_traffic(p); }

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
