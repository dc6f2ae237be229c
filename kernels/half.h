// fp16 and bf16 on the host: conversions by bit pattern, round to nearest even.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/problem.h"

namespace attnroof {

inline float bf16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t float_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

inline float fp16_to_float(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u)  // infinity and NaN
        return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    // Scaling by 2^112 turns the exponent bias of 15 into 127 and handles subnormals.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

inline std::uint16_t float_to_fp16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds to infinity
    if (magnitude < 0x38800000u) {                        // subnormal: let the adder round
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return sign |
               static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u);
    }
    const std::uint32_t rounded = magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1);
    return sign | static_cast<std::uint16_t>(rounded >> 13);
}

/// Unit roundoff of a dtype: half the distance from 1 to the next number.
inline double unit_roundoff(DType dtype) {
    switch (dtype) {
        case DType::fp32:
            return 0x1p-24;
        case DType::fp16:
            return 0x1p-11;
        case DType::bf16:
            return 0x1p-8;
    }
    return 0x1p-24;
}

}  // namespace attnroof
