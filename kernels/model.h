// Closed forms: how many FLOPs a problem needs and how many bytes a kernel must move through HBM.
#pragma once

#include <cstdint>

#include "kernels/problem.h"

namespace attnroof {

/// Bytes through the last cache level to and from memory (HBM on a GPU, DRAM on a CPU).
struct Traffic {
    std::int64_t read_bytes = 0;
    std::int64_t write_bytes = 0;

    std::int64_t total() const { return read_bytes + write_bytes; }
    Traffic& operator+=(const Traffic& other) {
        read_bytes += other.read_bytes;
        write_bytes += other.write_bytes;
        return *this;
    }
};

/// FLOPs that the problem needs: 2 * visible pairs * head_dim per GEMM, two GEMMs forward, five
/// backward (Dao et al., FlashAttention-2, section 4.1, with the exact causal pair count). The
/// softmax is not included. Query heads are counted, also under grouped-query attention.
double useful_flops(const AttentionProblem& problem);

/// Useful FLOPs of one of the problem's GEMMs.
double gemm_flops(const AttentionProblem& problem);

/// Sizes in bytes of the tensors that the caller owns: Q, K, V, O and LSE.
std::int64_t q_bytes(const AttentionProblem& problem);
std::int64_t kv_bytes(const AttentionProblem& problem);  // K alone; V is as large
std::int64_t lse_bytes(const AttentionProblem& problem);
std::int64_t operand_bytes(const AttentionProblem& problem);  // Q + K + V + O + LSE

/// Bytes of the score matrix S (or P) with `element_bytes` an element.
std::int64_t score_bytes(const AttentionProblem& problem, std::int64_t element_bytes);

}  // namespace attnroof
