// The answer that every kernel is held to: one attention row in fp64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace attnroof {

/// One query row's output, and the sums that bound the rounding error of a kernel with fewer bits.
/// With p_k = exp(score_k - lse) and j the index along head_dim:
struct ReferenceRow {
    std::vector<double> o;       // sum_k p_k v_kj
    std::vector<double> p2v2;    // sum_k p_k^2 v_kj^2
    std::vector<double> pv_abs;  // sum_k p_k |v_kj|
    double lse = 0;              // log sum_k exp(score_k), natural logarithm
    double max_abs_score = 0;    // max_k |score_k|
};

/// Attention of the query `q` [head_dim] over the first `keys` rows of `k` and `v`, both
/// [keys or more][head_dim], with score_k = scale * q . k. Rows past `keys` are not read.
/// Without keys every sum is 0 and lse is -inf.
ReferenceRow reference_row(std::span<const float> q, std::span<const float> k,
                           std::span<const float> v, std::int64_t keys, std::int64_t head_dim,
                           double scale);

}  // namespace attnroof
