#include "kernels/problem.h"

#include <fmt/format.h>

namespace attnroof {

std::string describe(const AttentionProblem& p) {
    return fmt::format("{}/{}/{}/b{}/h{}/kv{}/q{}/k{}/d{}", name(p.pass), name(p.dtype),
                       name(p.mask), p.batch, p.heads, p.kv_heads, p.q_len, p.kv_len, p.head_dim);
}

}  // namespace attnroof
