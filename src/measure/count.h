// count: hardware counters of every case, in a session a counter group, after all were timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "config/config.h"
#include "kernels/model.h"
#include "measure/buffers.h"
#include "measure/selftest.h"
#include "plan/plan.h"

namespace attnroof {

/// One step of a kernel (scores, softmax, output) on its own.
struct StepCounters {
    std::string name;
    CounterSet counters;  // bytes are settled ones
    Traffic modelled;
    std::optional<double> median_s;  // timed on its own, behind the steps before it
};

struct CaseCounters {
    CounterSet in_range;  // what moved while the kernel ran
    /// The same with the write-back of the kernel's own output: a kernel's last writes are still
    /// dirty in the cache when it ends. Holds hbm_read_bytes and hbm_write_bytes only.
    CounterSet settled;
    std::vector<StepCounters> steps;  // empty for kernels of one step
    int passes = 0;

    /// FLOPs executed, as counted: tensor path + 2 FFMA + FADD + FMUL and the packed half forms.
    std::optional<double> executed_flops() const;
};

/// Executed FLOPs of a set; empty when any FLOP counter of the set has no value.
std::optional<double> executed_flops(const CounterSet& set);

struct CountedSweep {
    std::vector<CaseCounters> cases;         // as many as were passed in, in their order
    std::string closed_gate, remedy, fault;  // as in CountOutcome
    SelfTest selftest;  // in the same sessions; empty where the backend has no calibrations
};

/// Counts each of `cases` (all must be able to run). Traffic: one range for the whole kernel, one
/// with a draining read behind it for the settled bytes, one for each step of a kernel of several.
/// Operations: one launch of each step, once for all cases of the same kernel and problem; the
/// kernel's are their sum. Instructions: the same, of a large problem's first heads only (part.h),
/// times its parts. With `selftest` jobs of known counts run in the same sessions, and counters
/// that are off lose their values, with the reason.
CountedSweep count_cases(DeviceArena& arena, const std::vector<const Case*>& cases,
                         std::uint64_t seed, bool selftest = false);

}  // namespace attnroof
