// fp16 and bf16: all 65,536 patterns, and rounding on both sides of every boundary.
#include "kernels/half.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace attnroof;

namespace {

/// The value of a format with `fraction` fraction bits and this bias, from the definition.
double decode(std::uint16_t bits, int fraction, int bias) {
    const int exponent_bits = 15 - fraction;
    const int exponent = (bits >> fraction) & ((1 << exponent_bits) - 1);
    const int mantissa = bits & ((1 << fraction) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - fraction);
    return sign * std::ldexp((1 << fraction) + mantissa, exponent - bias - fraction);
}

struct Format {
    const char* name;
    int fraction, bias;
    float (*to_float)(std::uint16_t);
    std::uint16_t (*from_float)(float);
};

const Format formats[] = {{"fp16", 10, 15, fp16_to_float, float_to_fp16},
                          {"bf16", 7, 127, bf16_to_float, float_to_bf16}};

}  // namespace

TEST_CASE("Every 16-bit pattern has its value and comes back as itself") {
    for (const Format& format : formats) {
        INFO(format.name);
        int wrong_value = 0, wrong_pattern = 0;
        for (std::uint32_t i = 0; i < 65536; ++i) {
            const auto bits = static_cast<std::uint16_t>(i);
            const double expected = decode(bits, format.fraction, format.bias);
            const float value = format.to_float(bits);
            if (std::isnan(expected)) {
                wrong_value += !std::isnan(value);
                wrong_pattern += !std::isnan(format.to_float(format.from_float(value)));
                continue;
            }
            wrong_value += static_cast<double>(value) != expected ||
                           std::signbit(value) != std::signbit(expected);
            wrong_pattern += format.from_float(value) != bits;
        }
        CHECK(wrong_value == 0);
        CHECK(wrong_pattern == 0);
    }
}

TEST_CASE("Floats between two 16-bit neighbours round to the nearer one, ties to even") {
    for (const Format& format : formats) {
        INFO(format.name);
        const std::uint32_t infinity = ((1u << (15 - format.fraction)) - 1) << format.fraction;
        int wrong = 0;
        for (std::uint32_t i = 0; i + 1 < infinity; ++i) {
            const auto low = static_cast<std::uint16_t>(i),
                       high = static_cast<std::uint16_t>(i + 1);
            const double middle = (static_cast<double>(format.to_float(low)) +
                                   static_cast<double>(format.to_float(high))) /
                                  2;
            const auto tie = static_cast<float>(middle);
            if (static_cast<double>(tie) != middle) continue;  // bf16 subnormals: no float there
            const std::uint16_t even = (low & 1) == 0 ? low : high;
            wrong += format.from_float(tie) != even;
            wrong += format.from_float(std::nextafterf(tie, 0)) != low;
            wrong += format.from_float(std::nextafterf(tie, INFINITY)) != high;
            wrong += format.from_float(-tie) != (even | 0x8000);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("Floats beyond the largest 16-bit number become infinity") {
    CHECK(float_to_fp16(65504.0f) == 0x7bff);
    CHECK(float_to_fp16(65519.9f) == 0x7bff);
    CHECK(float_to_fp16(65520.0f) == 0x7c00);
    CHECK(float_to_fp16(-1e30f) == 0xfc00);
    CHECK(float_to_bf16(std::numeric_limits<float>::max()) == 0x7f80);
    CHECK(float_to_fp16(std::numeric_limits<float>::infinity()) == 0x7c00);
    CHECK(float_to_fp16(1e-30f) == 0);
    CHECK(float_to_fp16(-1e-30f) == 0x8000);
}
