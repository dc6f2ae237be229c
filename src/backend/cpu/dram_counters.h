// Bytes through the memory controllers, from Linux perf events.
#pragma once

#include <string>
#include <vector>

#include "backend/counters.h"
#include "backend/cpu/dram_events.h"

namespace attnroof::cpu {

/// Counts machine-wide, other processes' bytes too: controllers do not know who asked.
class DramCounters {
  public:
    explicit DramCounters(std::string chip);

    CounterPlan plan() const;
    CountOutcome count(const std::vector<CountJob>& jobs) const;

  private:
    CountOutcome count_bytes(const std::vector<CountJob>& jobs) const;

    std::string chip_;
    std::vector<DramEvent> events_;
};

}  // namespace attnroof::cpu
