// Sixteen floats. Included by the AVX-512 source alone.
#pragma once

#include <immintrin.h>

#include "kernels/cpu/vec16bit.h"

namespace attnroof::cpu {
namespace {

constexpr int lanes = 16;
constexpr int strip_rows = 12;  // 24 accumulators, two vectors of B and a broadcast: 27 registers
constexpr const char* isa_name = "avx512";

using Vec = __m512;

inline Vec zero() { return _mm512_setzero_ps(); }
inline Vec broadcast(float x) { return _mm512_set1_ps(x); }
inline Vec load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
inline void stream(float* p, Vec x) { _mm512_stream_ps(p, x); }
inline Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
inline Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
inline float sum(Vec x) { return _mm512_reduce_add_ps(x); }
inline float maximum(Vec x) { return _mm512_reduce_max_ps(x); }

/// The float whose bits are those of x, shifted up by 23: an exponent out of a small integer.
inline Vec to_exponent(Vec x) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(x), 23));
}

inline __m256i load_bits(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline void store_bits(void* p, __m256i x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }

inline Vec load(const Bf16* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_bits(p)), 16));
}
inline Vec load(const Fp16* p) { return _mm512_cvtph_ps(load_bits(p)); }
inline void store(Fp16* p, Vec x) { store_bits(p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)); }
inline void store(Bf16* p, Vec x) {
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i result = _mm512_mask_mov_epi32(rounded, nan, quiet);
    store_bits(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(result, 16)));
}

/// Transposes the 16 x 16 floats in `rows`: 4 x 4 blocks within 128-bit lanes, then the lanes.
inline void transpose(Vec (&rows)[lanes]) {
    Vec pairs[lanes], quads[lanes];
#pragma GCC unroll 4
    for (int i = 0; i < lanes; i += 4) {
        const Vec lo01 = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        const Vec hi01 = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
        const Vec lo23 = _mm512_unpacklo_ps(rows[i + 2], rows[i + 3]);
        const Vec hi23 = _mm512_unpackhi_ps(rows[i + 2], rows[i + 3]);
        pairs[i] = _mm512_shuffle_ps(lo01, lo23, 0x44);
        pairs[i + 1] = _mm512_shuffle_ps(lo01, lo23, 0xee);
        pairs[i + 2] = _mm512_shuffle_ps(hi01, hi23, 0x44);
        pairs[i + 3] = _mm512_shuffle_ps(hi01, hi23, 0xee);
    }
    // pairs[4b + c] holds, in lane l, column 4l + c of rows 4b .. 4b + 3.
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        quads[c] = _mm512_shuffle_f32x4(pairs[c], pairs[4 + c], 0x88);
        quads[4 + c] = _mm512_shuffle_f32x4(pairs[c], pairs[4 + c], 0xdd);
        quads[8 + c] = _mm512_shuffle_f32x4(pairs[8 + c], pairs[12 + c], 0x88);
        quads[12 + c] = _mm512_shuffle_f32x4(pairs[8 + c], pairs[12 + c], 0xdd);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        rows[c] = _mm512_shuffle_f32x4(quads[c], quads[8 + c], 0x88);
        rows[8 + c] = _mm512_shuffle_f32x4(quads[c], quads[8 + c], 0xdd);
        rows[4 + c] = _mm512_shuffle_f32x4(quads[4 + c], quads[12 + c], 0x88);
        rows[12 + c] = _mm512_shuffle_f32x4(quads[4 + c], quads[12 + c], 0xdd);
    }
}

}  // namespace
}  // namespace attnroof::cpu
