// Loops that reach one limit of the machine each. Needs a vec_*.h before it.
#pragma once

#include <cstdint>

namespace attnroof::cpu {
namespace {

/// Independent FMAs in flight: more than latency x units of any core so far.
constexpr int fma_chains = 12;

float fma_burst(std::int64_t rounds) {
    Vec acc[fma_chains];
    for (int i = 0; i < fma_chains; ++i) acc[i] = broadcast(static_cast<float>(i));
    const Vec factor = broadcast(0.999f);  // x = 0.999 x + 0.001 stays near 1
    const Vec term = broadcast(0.001f);
    for (std::int64_t round = 0; round < rounds; ++round)
#pragma GCC unroll 16
        for (int i = 0; i < fma_chains; ++i) acc[i] = fma(acc[i], factor, term);
    Vec total = zero();
    for (int i = 0; i < fma_chains; ++i) total = add(total, acc[i]);
    return sum(total);
}

float read(const float* data, std::int64_t n) {
    constexpr int streams = 64 / lanes;
    Vec acc[streams];
    for (int i = 0; i < streams; ++i) acc[i] = zero();
    for (std::int64_t j = 0; j < n; j += 64)
        for (int i = 0; i < streams; ++i) acc[i] = add(acc[i], load(data + j + i * lanes));
    Vec total = zero();
    for (int i = 0; i < streams; ++i) total = add(total, acc[i]);
    return sum(total);
}

void copy(float* to, const float* from, std::int64_t n) {
    for (std::int64_t j = 0; j < n; j += lanes) stream(to + j, load(from + j));
}

}  // namespace
}  // namespace attnroof::cpu
