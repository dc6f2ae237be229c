// Kernels that move and need nothing, for tests of what stands around a kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/registry.h"

namespace attnroof {

inline void launch_nothing(const LaunchArgs&) {}
inline Traffic no_traffic(const AttentionProblem&, std::int64_t) { return {}; }

inline KernelStep fake_step(std::string name, void (*launch)(const LaunchArgs&) = launch_nothing) {
    return {std::move(name), no_traffic, launch};
}

/// A CPU kernel of these steps that takes every problem.
inline KernelRow fake_kernel(std::string name, std::vector<KernelStep> steps) {
    return {std::move(name),
            "test",
            DeviceKind::cpu,
            "",
            [](const AttentionProblem&, int) { return std::optional<std::string>(); },
            [](const AttentionProblem&) { return std::int64_t{0}; },
            false,
            std::move(steps)};
}

}  // namespace attnroof
