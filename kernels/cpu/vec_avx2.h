// Eight floats. Included by the AVX2 source alone.
#pragma once

#include <immintrin.h>

#include "kernels/cpu/vec16bit.h"

namespace attnroof::cpu {
namespace {

constexpr int lanes = 8;
constexpr int strip_rows = 6;  // 12 accumulators, two vectors of B and a broadcast: 15 registers
constexpr const char* isa_name = "avx2";

using Vec = __m256;

inline Vec zero() { return _mm256_setzero_ps(); }
inline Vec broadcast(float x) { return _mm256_set1_ps(x); }
inline Vec load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, Vec x) { _mm256_storeu_ps(p, x); }
inline void stream(float* p, Vec x) { _mm256_stream_ps(p, x); }
inline Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline float sum(Vec x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
inline float maximum(Vec x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

/// The float whose bits are those of x, shifted up by 23: an exponent out of a small integer.
inline Vec to_exponent(Vec x) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(x), 23));
}

inline __m128i load_bits(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store_bits(void* p, __m128i x) { _mm_storeu_si128(static_cast<__m128i*>(p), x); }

inline Vec load(const Bf16* p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_bits(p)), 16));
}
inline Vec load(const Fp16* p) { return _mm256_cvtph_ps(load_bits(p)); }
inline void store(Fp16* p, Vec x) { store_bits(p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)); }
inline void store(Bf16* p, Vec x) {
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
    const __m256i packed = _mm256_packus_epi32(high, high);
    store_bits(p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}

/// Transposes the 8 x 8 floats in `rows`: 4 x 4 blocks within 128-bit lanes, then the lanes.
inline void transpose(Vec (&rows)[lanes]) {
    Vec quads[lanes];
#pragma GCC unroll 2
    for (int i = 0; i < lanes; i += 4) {
        const Vec lo01 = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        const Vec hi01 = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
        const Vec lo23 = _mm256_unpacklo_ps(rows[i + 2], rows[i + 3]);
        const Vec hi23 = _mm256_unpackhi_ps(rows[i + 2], rows[i + 3]);
        quads[i] = _mm256_shuffle_ps(lo01, lo23, 0x44);
        quads[i + 1] = _mm256_shuffle_ps(lo01, lo23, 0xee);
        quads[i + 2] = _mm256_shuffle_ps(hi01, hi23, 0x44);
        quads[i + 3] = _mm256_shuffle_ps(hi01, hi23, 0xee);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        rows[c] = _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x20);
        rows[4 + c] = _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x31);
    }
}

}  // namespace
}  // namespace attnroof::cpu
