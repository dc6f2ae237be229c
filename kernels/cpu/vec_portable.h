// Four floats with the compiler's own vectors: any CPU. Included by the portable source alone.
#pragma once

#include <cstdint>

#include "kernels/cpu/vec16bit.h"
#include "kernels/half.h"

namespace attnroof::cpu {
namespace {

constexpr int lanes = 4;
constexpr int strip_rows = 6;  // 12 accumulators, two vectors of B and a broadcast: 15 registers
constexpr const char* isa_name = "portable";

using Vec = float __attribute__((vector_size(16)));
using IntVec = std::int32_t __attribute__((vector_size(16)));

inline Vec zero() { return Vec{}; }
inline Vec broadcast(float x) { return Vec{x, x, x, x}; }
inline Vec load(const float* p) { return Vec{p[0], p[1], p[2], p[3]}; }
inline void store(float* p, Vec x) {
    for (int i = 0; i < lanes; ++i) p[i] = x[i];
}
inline void stream(float* p, Vec x) { store(p, x); }
inline Vec add(Vec a, Vec b) { return a + b; }
inline Vec sub(Vec a, Vec b) { return a - b; }
inline Vec mul(Vec a, Vec b) { return a * b; }
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline float sum(Vec x) { return (x[0] + x[2]) + (x[1] + x[3]); }
inline float maximum(Vec x) {
    const float a = x[0] > x[2] ? x[0] : x[2];
    const float b = x[1] > x[3] ? x[1] : x[3];
    return a > b ? a : b;
}

/// The float whose bits are those of x, shifted up by 23: an exponent out of a small integer.
inline Vec to_exponent(Vec x) { return reinterpret_cast<Vec>(reinterpret_cast<IntVec>(x) << 23); }

inline Vec load(const Bf16* p) {
    Vec x;
    for (int i = 0; i < lanes; ++i) x[i] = bf16_to_float(p[i].bits);
    return x;
}
inline Vec load(const Fp16* p) {
    Vec x;
    for (int i = 0; i < lanes; ++i) x[i] = fp16_to_float(p[i].bits);
    return x;
}
inline void store(Bf16* p, Vec x) {
    for (int i = 0; i < lanes; ++i) p[i].bits = float_to_bf16(x[i]);
}
inline void store(Fp16* p, Vec x) {
    for (int i = 0; i < lanes; ++i) p[i].bits = float_to_fp16(x[i]);
}

inline void transpose(Vec (&rows)[lanes]) {
    const Vec a = rows[0], b = rows[1], c = rows[2], d = rows[3];
    for (int i = 0; i < lanes; ++i) rows[i] = Vec{a[i], b[i], c[i], d[i]};
}

}  // namespace
}  // namespace attnroof::cpu
