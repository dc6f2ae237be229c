#include "kernels/cpu/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attnroof {
namespace {

/// Dot product in fp64. Independent partial sums keep several additions in flight.
double dot(const float* a, const float* b, std::int64_t n) {
    constexpr std::int64_t lanes = 8;
    std::array<double, lanes> sums{};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    for (; i < n; ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

/// Adds one key's share, p * v and its two error sums, to the row.
void accumulate(ReferenceRow& row, double p, const float* v, std::int64_t n) {
    double* const o = row.o.data();
    double* const p2v2 = row.p2v2.data();
    double* const pv_abs = row.pv_abs.data();
    for (std::int64_t j = 0; j < n; ++j) {
        const double pv = p * static_cast<double>(v[j]);
        o[j] += pv;
        p2v2[j] += pv * pv;
        pv_abs[j] += std::abs(pv);
    }
}

}  // namespace

ReferenceRow reference_row(std::span<const float> q, std::span<const float> k,
                           std::span<const float> v, std::int64_t keys, std::int64_t head_dim,
                           double scale) {
    const auto width = static_cast<std::size_t>(head_dim);
    ReferenceRow row{std::vector<double>(width), std::vector<double>(width),
                     std::vector<double>(width), -std::numeric_limits<double>::infinity(), 0};
    if (keys <= 0) return row;

    std::vector<double> scores(static_cast<std::size_t>(keys));
    double top = -std::numeric_limits<double>::infinity();
    for (std::int64_t key = 0; key < keys; ++key) {
        const double score = scale * dot(q.data(), k.data() + key * head_dim, head_dim);
        scores[static_cast<std::size_t>(key)] = score;
        top = std::max(top, score);
        row.max_abs_score = std::max(row.max_abs_score, std::abs(score));
    }
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - top);
    row.lse = top + std::log(sum);
    for (std::int64_t key = 0; key < keys; ++key)
        accumulate(row, scores[static_cast<std::size_t>(key)] / sum, v.data() + key * head_dim,
                   head_dim);
    return row;
}

}  // namespace attnroof
