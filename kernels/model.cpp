#include "kernels/model.h"

namespace attnroof {

double gemm_flops(const AttentionProblem& problem) {
    return 2.0 * static_cast<double>(problem.batch * problem.heads) *
           static_cast<double>(problem.visible_pairs()) * static_cast<double>(problem.head_dim);
}

double useful_flops(const AttentionProblem& problem) {
    return (problem.pass == Pass::forward ? 2 : 5) * gemm_flops(problem);
}

std::int64_t q_bytes(const AttentionProblem& p) { return p.q_elements() * bytes_of(p.dtype); }
std::int64_t kv_bytes(const AttentionProblem& p) { return p.kv_elements() * bytes_of(p.dtype); }
std::int64_t lse_bytes(const AttentionProblem& p) { return p.lse_elements() * 4; }

std::int64_t operand_bytes(const AttentionProblem& p) {
    return 2 * q_bytes(p) + 2 * kv_bytes(p) + lse_bytes(p);
}

std::int64_t score_bytes(const AttentionProblem& p, std::int64_t element_bytes) {
    return p.score_elements() * element_bytes;
}

}  // namespace attnroof
