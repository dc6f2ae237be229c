// A roof of the machine, measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace attnroof {

enum class CeilingMode { burst, sustained };

/// `id` is one of hbm.read, hbm.write, hbm.copy, l2.read, tensor.bf16, tensor.fp16, fma.fp32, exp,
/// launch; on the CPU dram.read, dram.copy, fma.fp32, launch. Copies count bytes read plus written.
/// `launch` is the time of an empty kernel under the same clock as every case.
struct Ceiling {
    std::string id;
    double value = 0;  // best of the samples
    std::string unit;  // byte/s, FLOP/s, op/s, s
    CeilingMode mode = CeilingMode::burst;
    double spread = 0;  // (max - min) / max of the samples
    int samples = 0;
    std::optional<double> clock_mhz;
    std::optional<double> power_w;
};

}  // namespace attnroof
