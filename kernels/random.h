// Random inputs by counter: element i depends on (seed, i) alone, on every device and however many
// threads fill it.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define ATTNROOF_HOST_DEVICE __host__ __device__
#else
#define ATTNROOF_HOST_DEVICE
#endif

namespace attnroof {

/// The finaliser of splitmix64 (Steele, Lea and Flood, 2014): a bijection that mixes all bits.
ATTNROOF_HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// 64 random bits for element `index` of stream `seed`.
ATTNROOF_HOST_DEVICE constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
    return mix_bits(mix_bits(seed + golden) + (index + 1) * golden);
}

/// N(0, 1) by Box and Muller's transform, from two uniform numbers of 24 bits.
ATTNROOF_HOST_DEVICE inline float random_normal(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t bits = random_bits(seed, index);
    const float radius = static_cast<float>((bits >> 40) + 1) * 0x1p-24f;  // in (0, 1]
    const float turn = static_cast<float>(bits & 0xffffff) * 0x1p-24f;     // in [0, 1)
    return sqrtf(-2 * logf(radius)) * cosf(6.283185307f * turn);
}

/// N(0, 1), plus N(0, 100) with probability 1/1000 when `outliers` (the error test of
/// FlashAttention-3, section 4.3).
ATTNROOF_HOST_DEVICE inline float random_element(std::uint64_t seed, std::uint64_t index,
                                                 bool outliers) {
    const float value = random_normal(seed, index);
    constexpr std::uint64_t chosen = ~std::uint64_t{0} / 1000;
    if (!outliers || random_bits(~seed, index) > chosen) return value;
    return value + 10 * random_normal(mix_bits(~seed), index);
}

}  // namespace attnroof
