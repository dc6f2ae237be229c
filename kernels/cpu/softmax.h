// Softmax of scores: online over a strip (fused), whole rows (naive). Needs a vec_*.h before it.
#pragma once

#include "kernels/cpu/exp2.h"
#include "kernels/cpu/isa.h"

namespace attnroof::cpu {
namespace {

constexpr float lowest = -3.402823466e38f;  // the running maximum of no scores: finite, so that
                                            // -inf - lowest is -inf and not NaN
constexpr float infinity = __builtin_inff();

void softmax_strip(const SoftmaxStrip& s) {
    alignas(64) float old[max_strip_rows];
    for (int i = 0; i < max_strip_rows; ++i) old[i] = s.maximum[i];
    for (std::int64_t i = 0; i < s.rows; ++i) {
        float* const row = s.scores + i * tile;
        for (std::int64_t j = s.visible[i]; j < s.columns; ++j) row[j] = -infinity;
        Vec top = broadcast(old[i]);
        for (std::int64_t j = 0; j < s.columns; j += lanes) top = max(top, load(row + j));
        s.maximum[i] = maximum(top);
    }
    for (std::int64_t i = 0; i < s.rows; i += lanes)
        store(s.alpha + i, exp2(sub(load(old + i), load(s.maximum + i))));
    for (std::int64_t i = 0; i < s.rows; ++i) {
        float* const row = s.scores + i * tile;
        const Vec top = broadcast(s.maximum[i]);
        Vec total = mul(load(s.sum + i * lanes), broadcast(s.alpha[i]));
        for (std::int64_t j = 0; j < s.columns; j += lanes) {
            const Vec p = exp2(sub(load(row + j), top));
            store(row + j, p);
            total = add(total, p);
        }
        store(s.sum + i * lanes, total);
    }
}

/// `lanes` scores, or as many as are left and -inf.
inline Vec load_scores(const float* p, std::int64_t left) {
    if (left >= lanes) return load(p);
    float some[lanes];
    for (std::int64_t i = 0; i < lanes; ++i) some[i] = i < left ? p[i] : -infinity;
    return load(some);
}

inline void store_scores(float* p, Vec x, std::int64_t left) {
    if (left >= lanes) return store(p, x);
    float some[lanes];
    store(some, x);
    for (std::int64_t i = 0; i < left; ++i) p[i] = some[i];
}

float softmax_row(float* row, std::int64_t visible, std::int64_t n) {
    for (std::int64_t j = visible; j < n; ++j) row[j] = 0;
    if (visible == 0) return -infinity;
    Vec tops = broadcast(lowest);
    for (std::int64_t j = 0; j < visible; j += lanes)
        tops = max(tops, load_scores(row + j, visible - j));
    const float top = maximum(tops);
    const Vec log2e = broadcast(0x1.715476p+0f);
    Vec sums = zero();
    for (std::int64_t j = 0; j < visible; j += lanes) {
        const Vec score = load_scores(row + j, visible - j);
        const Vec p = exp2(mul(sub(score, broadcast(top)), log2e));
        store_scores(row + j, p, visible - j);
        sums = add(sums, p);
    }
    const float total = sum(sums);
    const Vec inverse = broadcast(1 / total);
    for (std::int64_t j = 0; j < visible; j += lanes)
        store_scores(row + j, mul(load_scores(row + j, visible - j), inverse), visible - j);
    return top + __builtin_logf(total);
}

}  // namespace
}  // namespace attnroof::cpu
