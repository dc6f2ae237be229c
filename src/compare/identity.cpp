#include "compare/identity.h"

#include <fmt/format.h>

namespace attnroof {
namespace {

std::string known(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string text_of(const std::optional<double>& value) {
    return value ? fmt::format("{:g}", *value) : "unknown";
}

std::string text_of(const std::optional<bool>& value) {
    return !value ? "unknown" : *value ? "on" : "off";
}

}  // namespace

std::string device_difference(const DeviceFacts& base, const DeviceFacts& fresh) {
    if (base.kind != fresh.kind || base.name != fresh.name)
        return fmt::format("another device: {} ({}) against {} ({})", known(base.name),
                           name(base.kind), known(fresh.name), name(fresh.kind));
    if (base.sm_count != fresh.sm_count)
        return fmt::format(
            "another device: {} with {} {} against {}", known(base.name), base.sm_count,
            base.kind == DeviceKind::cuda ? "multiprocessors" : "cores", fresh.sm_count);
    return "";
}

std::string timing_difference(const SweepConfig& base, const SweepConfig& fresh) {
    if ((base.timing.warmup == 0) != (fresh.timing.warmup == 0))
        return fmt::format("another timing mode: warmup {} against {}", base.timing.warmup,
                           fresh.timing.warmup);
    return "";
}

std::vector<std::string> lesser_differences(const Report& base, const Report& fresh) {
    std::vector<std::string> found;
    const auto note = [&](const char* what, const std::string& b, const std::string& f) {
        if (b != f) found.push_back(fmt::format("{} differs: {} against {}", what, b, f));
    };
    const DeviceFacts &b = base.device, &f = fresh.device;
    if (device_difference(b, f).empty()) {  // else they differ as a matter of course
        note("the chip", known(b.chip), known(f.chip));
        note("the driver", known(b.driver.value_or("")), known(f.driver.value_or("")));
        note("the power limit in W", text_of(b.power_limit_w), text_of(f.power_limit_w));
        note("ECC", text_of(b.ecc), text_of(f.ecc));
        note("MIG", text_of(b.mig), text_of(f.mig));
    }
    note("CUDA", known(base.tool.cuda), known(fresh.tool.cuda));
    note("timing.max_seconds", fmt::format("{:g}", base.config.timing.max_seconds),
         fmt::format("{:g}", fresh.config.timing.max_seconds));
    note("the seed", std::to_string(base.config.seed), std::to_string(fresh.config.seed));
    return found;
}

}  // namespace attnroof
