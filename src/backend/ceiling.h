// A roof of the machine, measured.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace attnroof {

/// Where a number comes from. Never mixed silently.
enum class Source { counted, measured, modelled, datasheet };
inline constexpr std::array source_names{"counted", "measured", "modelled", "datasheet"};
inline const char* name(Source v) { return source_names[static_cast<std::size_t>(v)]; }

enum class CeilingMode { burst, sustained };
inline constexpr std::array ceiling_mode_names{"burst", "sustained"};
inline const char* name(CeilingMode v) { return ceiling_mode_names[static_cast<std::size_t>(v)]; }

/// A roof as every text names it: "tensor.bf16", "tensor.bf16 sustained".
inline std::string roof_name(const std::string& id, CeilingMode mode) {
    return mode == CeilingMode::sustained ? id + " sustained" : id;
}

/// `id` is one of hbm.read, hbm.write, hbm.copy, l2.read, l1.read (shared memory), tensor.bf16,
/// tensor.fp16, fma.fp32, exp, launch; on the CPU dram.read, dram.copy, fma.fp32, launch. Copies
/// count bytes read plus written. `launch` is the time of an empty kernel under the same clock as
/// every case.
struct Ceiling {
    std::string id;
    double value = 0;  // best of the samples
    std::string unit;  // byte/s, FLOP/s, op/s, s
    CeilingMode mode = CeilingMode::burst;
    double spread = 0;  // see spread_of
    int samples = 0;
    std::optional<double> clock_mhz{};
    std::optional<double> power_w{};
    Source source = Source::measured;  // datasheet in a prediction for a device that is not here
};

/// How far the median of the samples lies from `value`, as a share of the larger: a ceiling that is
/// one lucky sample is in doubt, one that few samples fell short of is not. At least one sample.
double spread_of(double value, std::vector<double> samples);

}  // namespace attnroof
