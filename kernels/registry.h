// The kernels this tool knows: one row each. Adding a kernel is one folder and one row.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/launch.h"
#include "kernels/model.h"
#include "kernels/problem.h"

namespace attnroof {

/// One launch of a kernel. `naive` has three (scores, softmax, output), `fused` one.
struct KernelStep {
    std::string name;
    /// Modelled memory traffic, given a last-level cache of `cache_bytes`.
    Traffic (*traffic)(const AttentionProblem&, std::int64_t cache_bytes);
    /// Enqueues the work on args.stream (GPU) or does it (CPU). Null when this build lacks the
    /// backend. Throws on a launch error.
    void (*launch)(const LaunchArgs&);
};

struct KernelRow {
    std::string name;     // naive, fused
    std::string variant;  // cpu, sm80, sm90
    DeviceKind device;
    std::string summary;  // one line for --list-kernels
    /// Why this kernel cannot run the problem on a device of this compute capability
    /// (10 * major + minor; 0 on the CPU), or nothing when it can. The text names what is required
    /// and what was asked for.
    std::optional<std::string> (*refuses)(const AttentionProblem&, int compute_capability);
    std::int64_t (*workspace_bytes)(const AttentionProblem&);
    /// True when scores are rounded to the problem's dtype before the softmax: a wider error bound.
    bool scores_in_dtype = false;
    std::vector<KernelStep> steps;
};

/// Traffic of all the steps of a kernel.
Traffic modelled_traffic(const KernelRow& row, const AttentionProblem& problem,
                         std::int64_t cache_bytes);

/// Every row; for one name and device the preferred variant comes first.
const std::vector<KernelRow>& kernel_registry();

/// Distinct kernel names, in registry order.
std::vector<std::string> kernel_names();

}  // namespace attnroof
