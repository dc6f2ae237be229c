// The ranges to count for a sweep: which jobs, of which counter groups, in which order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "measure/buffers.h"
#include "measure/part.h"
#include "plan/plan.h"

namespace attnroof {

/// Where the ranges of one case stand among the jobs.
struct CaseRanges {
    const Case* of = nullptr;
    std::size_t in_range = 0, settled = 0;
    std::vector<std::size_t> steps{};  // traffic of each step of a kernel of several
    /// The case whose launches give the operations and instructions: the first of this kernel and
    /// problem, since they do not depend on what the caches hold. One range a step of each.
    const Case* counted_with = nullptr;
    std::vector<std::size_t> operations{}, instructions{};
    Part part{};  // what the instructions are counted on
};

/// Builds the ranges of one case after another. One case's buffers live at a time, all in one
/// arena, and the fixed seed gives every pass the same inputs. The jobs refer to the builder.
class JobBuilder {
  public:
    JobBuilder(DeviceArena& arena, std::uint64_t seed);
    JobBuilder(const JobBuilder&) = delete;
    JobBuilder& operator=(const JobBuilder&) = delete;

    void add_calibrations(const std::vector<Calibration>& calibrations);
    /// The drain is its own range too: its bytes are taken off what was counted with it.
    void add_drain();
    /// `c` must outlive the builder; `index` makes the names of its ranges unique.
    void add_case(std::size_t index, const Case& c);

    const std::vector<CountJob>& jobs() const { return jobs_; }
    const std::vector<CaseRanges>& cases() const { return cases_; }

    /// Why a range of this group of `c` (null: the self-test, one group for all) did not run to its
    /// end; null when all did.
    const std::string* fault_of(const Case* c, CounterGroup group = CounterGroup::traffic) const;

  private:
    using Owner = std::pair<const Case*, CounterGroup>;

    void add_steps(const std::string& prefix, const Case& c, CaseRanges& ranges);
    void add_launches(const std::string& prefix, const Case& c, CaseRanges& ranges);
    std::vector<std::size_t> add_each_step(const std::string& prefix, const Case& c,
                                           CounterGroup group, const AttentionProblem& problem);
    std::size_t add(const std::string& range, const Case& c, CounterGroup group,
                    std::function<void()> prepare, std::function<void()> body);
    void attempt(const Owner& owner, const std::function<void()>& work);
    void hold(const Case& c);
    void settle(bool cold);

    Backend& backend_;
    DeviceArena& arena_;
    std::uint64_t seed_;
    std::vector<CountJob> jobs_;
    std::vector<CaseRanges> cases_;
    const Case* held_ = nullptr;
    std::unique_ptr<CaseBuffers> buffers_;
    std::map<Owner, std::string> faults_;
};

}  // namespace attnroof
