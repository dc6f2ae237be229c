// Logical counters of one device through CUPTI. Whatever is missing becomes a shut gate.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/counters.h"
#include "backend/cuda/metrics.h"

namespace attnroof::cuda {

struct CuptiLibrary;

class CuptiCounters {
  public:
    /// Loads CUPTI and plans the counters of CUDA device `device`, the current one. A shut gate is
    /// part of the plan. Opens no session: that would slow every later launch down.
    explicit CuptiCounters(int device);

    const CounterPlan& plan() const { return plan_; }

    /// Runs every job once a pass of the groups that it asks for, a session each, on the current
    /// device. Traffic needs one pass; instructions run instrumented code, many times slower.
    /// `synchronize` waits for the device. Throws only what a job throws.
    CountOutcome count(const std::vector<CountJob>& jobs,
                       const std::function<void()>& synchronize) const;

  private:
    void make_plan(int device);
    CountOutcome count_group(CounterGroup group, const std::vector<CountJob>& jobs,
                             const std::function<void()>& synchronize) const;

    std::shared_ptr<const CuptiLibrary> library_;
    std::vector<ResolvedCounter> counters_;
    CounterPlan plan_;
};

}  // namespace attnroof::cuda
