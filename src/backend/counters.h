// Logical hardware counters and the outcome of a counted run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace attnroof {

/// Logical counters; a backend resolves each to what its chip really has.
/// hbm_* are bytes through memory, l2_bytes between the SMs and L2, l1_bytes through the data stage
/// of L1 and shared memory (128 a cycle that it works: a bank conflict costs bytes), tensor_* FLOPs
/// of the tensor path, fma_* and the like executed thread instructions (2, 1, 1 FLOPs each; the
/// packed half forms 4, 2, 2), xu instructions of the special-function pipe in units of one thread.
enum class Counter {
    hbm_read_bytes,
    hbm_write_bytes,
    l2_bytes,
    l1_bytes,
    tensor_bf16_flops,
    tensor_fp16_flops,
    ffma,
    fadd,
    fmul,
    hfma,
    hadd,
    hmul,
    xu_threads,
};

/// Counters that are counted together, in a session of their own. The three need as many passes as
/// all counters in one session would, most of them over few jobs.
enum class CounterGroup {
    traffic,       // bytes, which depend on what the caches hold, and what fits into their one pass
    operations,    // depend on the kernel and its problem alone
    instructions,  // the same, and counted by code that the driver adds at each one: many times
                   // slower, so a job may run a part of the work
};
inline constexpr std::array counter_groups{CounterGroup::traffic, CounterGroup::operations,
                                           CounterGroup::instructions};
inline constexpr std::array counter_group_names{"traffic", "operations", "instructions"};
inline const char* name(CounterGroup v) { return counter_group_names[static_cast<std::size_t>(v)]; }

struct CounterInfo {
    Counter counter;
    const char* name;   // key in a report: hbm_read_bytes
    const char* unit;   // byte, FLOP, instruction
    double flops_each;  // FLOPs that one count stands for; 0 for bytes
    CounterGroup group;
};

/// One row a counter, in report order.
const std::vector<CounterInfo>& counter_table();
const CounterInfo& info_of(Counter counter);
inline const char* name(Counter counter) { return info_of(counter).name; }

/// A counter's value, or why there is none. Never both, never a stand-in number.
struct CounterValue {
    std::optional<double> value;
    std::string metric;  // the hardware's own name and, where a part was counted, which; empty
                         // when not counted
    std::string reason;  // why value is empty
};

/// Begins the reason of a counter that the device has and that could not be counted all the same.
inline constexpr const char* counting_failed = "counting failed: ";

using CounterSet = std::map<Counter, CounterValue>;

/// One range to count: `prepare` runs before it, `body` inside, `after` behind it, once for each
/// pass of each group asked for. Inputs must be the same at every pass. Names are unique within a
/// call.
struct CountJob {
    std::string range;
    std::function<void()> prepare;
    std::function<void()> body;
    std::set<CounterGroup> groups{counter_groups.begin(), counter_groups.end()};
    std::function<void()> after{};
};

/// A job whose counts are known beforehand: the self-test holds counters to it.
struct Calibration {
    CountJob job;
    std::string name;                    // "read", "mma bf16"
    std::map<Counter, double> expected;  // at least one of them above 0
};

struct CountOutcome {
    /// One set a job, in the order of the jobs, of the counters that it asked for; empty when the
    /// gate is shut.
    std::vector<CounterSet> sets;
    int passes = 0;  // of all sessions together
    /// A session that failed after another had counted; its counters hold the reason too.
    std::string fault;
    /// Which gate is shut (empty when counters worked), and what opens it.
    std::string closed_gate;
    std::string remedy;
};

/// What the counters need on this device, known without running anything.
struct CounterPlan {
    std::string chip;
    int passes = 0;           // of all sessions together
    std::string closed_gate;  // as in CountOutcome
    std::string remedy;
    std::string library{};  // "CUPTI 13.0.1 (PATH)": what was loaded; empty when nothing was
};

}  // namespace attnroof
