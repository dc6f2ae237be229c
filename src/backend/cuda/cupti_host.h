// The host half of CUPTI: chips, metric names, schedules, values. Works with no GPU and no driver.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/metric_plan.h"

struct CUpti_Profiler_Host_Object;

namespace attnroof::cuda {

struct CuptiLibrary;

/// The first library among `candidates` (default: cupti_candidates()) that is a CUPTI of the major
/// version this was built for. Throws GateShut (counter_gate.h).
std::shared_ptr<const CuptiLibrary> open_cupti(const std::vector<std::string>& candidates);
std::shared_ptr<const CuptiLibrary> open_cupti();

/// Names of the chips that the library lists. It may still refuse one of them.
std::vector<std::string> cupti_chips(const CuptiLibrary& library);

/// Metrics of one chip. Throws CuptiError when CUPTI has no metrics for it.
class CuptiHost {
  public:
    CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip);
    ~CuptiHost();
    CuptiHost(const CuptiHost&) = delete;
    CuptiHost& operator=(const CuptiHost&) = delete;

    /// Counters that the chip has, without a rollup: "dram__bytes_read".
    std::set<std::string> base_metrics() const;
    /// Whether `base` can be rolled up as `rollup` (".sum").
    bool has_rollup(const std::string& base, const std::string& rollup) const;

    /// The schedule that collects `metrics` (with rollup: "dram__bytes_read.sum"). Once an object.
    std::vector<std::uint8_t> schedule(const std::vector<std::string>& metrics);
    /// How often the work has to run for a schedule.
    int passes(std::vector<std::uint8_t>& schedule) const;

    /// Values of `metrics` in one range of a decoded counter image. NaN where it holds none.
    std::vector<double> evaluate(std::span<const std::uint8_t> image, std::size_t range,
                                 const std::vector<std::string>& metrics) const;

  private:
    std::shared_ptr<const CuptiLibrary> library_;
    CUpti_Profiler_Host_Object* object_;
};

/// How often work has to run for `counters` of `chip`, a session a group. Throws CuptiError.
int passes_of(const std::shared_ptr<const CuptiLibrary>& library, const std::string& chip,
              const std::vector<ResolvedCounter>& counters);

}  // namespace attnroof::cuda
