// The state of the GPU that moves numbers from run to run: clocks, power, ECC, company.
#include <fmt/format.h>

#include "doctor/doctor.h"
#include "roofline/throttle.h"

namespace attnroof {
namespace {

/// A clock this far below its highest, with nothing that holds it down, was set by someone.
constexpr double set_below = 0.97;

Diagnosis clocks(const GpuInspection& gpu) {
    const std::optional<double> now = gpu.busy.sm_clock_mhz, most = gpu.device.sm_clock_max_mhz;
    if (!now || !most)
        return {"clocks", Health::warning, "not known: NVML does not give the clock", ""};
    const std::string at = fmt::format("{:.0f} of {:.0f} MHz after a short load", *now, *most);
    if (held_down(gpu.busy, most).value_or(false))
        return {"clocks", Health::warning, "held down by power or heat: " + at,
                "let the GPU cool down; look at its power limit and its neighbours"};
    const bool set_by_user = (gpu.busy.throttle_reasons.value_or(0) & 0x2) != 0;
    if (set_by_user || *now < set_below * *most)
        return {"clocks", Health::ok, "locked by a user: " + at, ""};
    return {"clocks", Health::warning, "not locked: " + at + "; times vary with power and heat",
            "for times that repeat: nvidia-smi -lgc MHZ,MHZ (reports record the clock either way)"};
}

Diagnosis ecc(const GpuInspection& gpu) {
    if (!gpu.device.ecc) return {"ecc", Health::ok, "this GPU has no ECC, or does not say", ""};
    return {"ecc", Health::ok, *gpu.device.ecc ? "ECC is on" : "ECC is off", ""};
}

Diagnosis processes(const GpuInspection& gpu) {
    if (!gpu.other_processes)
        return {"processes", Health::warning, "not known: NVML does not list processes", ""};
    if (*gpu.other_processes == 0)
        return {"processes", Health::ok, "no other process computes on this GPU", ""};
    return {"processes", Health::warning,
            fmt::format("{} other process{} on this GPU: their bytes are counted and their work "
                        "takes time",
                        *gpu.other_processes, *gpu.other_processes == 1 ? "" : "es"),
            "stop them, or take another GPU (--device cuda:1)"};
}

Diagnosis power(const GpuInspection& gpu) {
    const std::optional<double> limit = gpu.device.power_limit_w, usual = gpu.power_limit_default_w;
    if (!limit) return {"power", Health::warning, "not known: NVML does not give the limit", ""};
    if (usual && *limit < 0.99 * *usual)
        return {"power", Health::warning,
                fmt::format("capped at {:.0f} W, {:.0f} W is the default", *limit, *usual),
                fmt::format("nvidia-smi -pl {:.0f}", *usual)};
    return {"power", Health::ok, fmt::format("limit {:.0f} W", *limit), ""};
}

}  // namespace

void check_state(const GpuInspection& gpu, std::vector<Diagnosis>& lines) {
    if (gpu.device.name.empty()) return;
    for (auto line : {clocks, ecc, processes, power}) lines.push_back(line(gpu));
}

}  // namespace attnroof
