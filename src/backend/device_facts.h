// What a device is: read once, written into every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/problem.h"

namespace attnroof {

/// Unknown facts stay empty and become null in a report; they are never guessed.
struct DeviceFacts {
    DeviceKind kind = DeviceKind::cpu;
    std::string name;               // "NVIDIA H200", "AMD EPYC 9654 96-Core Processor"
    std::string uuid;               // empty on a CPU
    std::string chip;               // CUPTI's chip name (GH100); the instruction set on a CPU
    int compute_capability = 0;     // 10 * major + minor; 0 on a CPU
    std::int64_t sm_count = 0;      // multiprocessors; cores used on a CPU
    std::int64_t cache_bytes = 0;   // last-level cache: L2 on a GPU, L3 on a CPU
    std::int64_t memory_bytes = 0;  // device memory; installed memory on a CPU
    std::optional<std::int64_t> driver_version;  // as cudaDriverGetVersion, 13000 = 13.0
    std::optional<std::string> driver;           // "580.159.04"
    std::optional<double> sm_clock_max_mhz;
    std::optional<double> memory_clock_max_mhz;
    std::optional<double> power_limit_w;
    std::optional<bool> ecc;
    std::optional<bool> mig;
};

/// Clocks and limits read beside a measurement. Empty where nothing can read them.
struct ClockReading {
    std::optional<double> sm_clock_mhz;
    std::optional<double> power_w;
    std::optional<double> temperature_c;
    std::optional<std::uint64_t> throttle_reasons;  // NVML's bit mask
    /// True when the clock is held down (power, heat), not merely idle. Of a case: as held_down in
    /// roofline/throttle.h.
    std::optional<bool> throttled;
};

}  // namespace attnroof
