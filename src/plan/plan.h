// config -> plan: the cases of a sweep, each with what it needs and whether it can run.
#pragma once

#include <string>
#include <vector>

#include "backend/device_facts.h"
#include "config/config.h"
#include "kernels/registry.h"

namespace attnroof {

enum class Status { ok, unsupported, skipped, failed, wrong };
inline constexpr std::array status_names{"ok", "unsupported", "skipped", "failed", "wrong"};
inline const char* name(Status v) { return status_names[static_cast<std::size_t>(v)]; }

/// kernel x problem x cache mode.
struct Case {
    /// forward/fused/bf16/full/b1/h16/kv16/q4096/k4096/d128/cold; a variant asked for by name
    /// stands in it (forward/fused:sm80/...), one that the device chose does not.
    std::string id;
    AttentionProblem problem;
    KernelChoice asked;
    const KernelRow* kernel = nullptr;  // null only when status is unsupported
    CacheMode cache = CacheMode::cold;
    std::int64_t needed_bytes = 0;  // operands + workspace + the cache-displacing buffer
    Status status = Status::ok;     // ok: can run; else reason says why not
    std::string reason;
};

/// How many kernels a case launches, one after the other; 1 when its kernel is not known.
inline int launches_of(const Case& c) {
    return c.kernel ? static_cast<int>(c.kernel->steps.size()) : 1;
}

/// Cases in a stable order: problems outermost (pass, dtype, mask, head_dim, length), kernels and
/// cache modes innermost, so that naive and fused of one problem stand side by side.
/// `available_bytes`: what the device can allocate; cases that need more are `skipped`.
/// Throws UsageError when two cases get one id.
std::vector<Case> make_plan(const SweepConfig& config, const DeviceFacts& device,
                            std::int64_t available_bytes);

}  // namespace attnroof
