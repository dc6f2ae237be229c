// What a user asks for: the resolved config of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem.h"

namespace attnroof {

enum class CacheMode { cold, warm };
inline constexpr std::array cache_mode_names{"cold", "warm"};
inline const char* name(CacheMode v) { return cache_mode_names[static_cast<std::size_t>(v)]; }

enum class CounterMode { automatic, on, off };
inline constexpr std::array counter_mode_names{"auto", "on", "off"};
inline const char* name(CounterMode v) { return counter_mode_names[static_cast<std::size_t>(v)]; }

/// Levels of memory that a roofline is drawn for: device memory (a CPU's DRAM), L2, and L1, whose
/// data path is shared memory's too.
enum class Level { hbm, l2, l1 };
inline constexpr std::array level_names{"hbm", "l2", "l1"};
inline const char* name(Level v) { return level_names[static_cast<std::size_t>(v)]; }

/// "fused" or, by variant, "fused:sm80".
struct KernelChoice {
    std::string name;
    std::string variant;  // empty: the device chooses

    bool operator==(const KernelChoice&) const = default;
    std::string text() const { return variant.empty() ? name : name + ":" + variant; }
};

/// When a case has been timed enough.
struct TimingPlan {
    double max_seconds = 0.25;  // per case, warm-up not included
    double target_ci = 0.01;    // stop once the 95 % interval of the median is this narrow
    int min_samples = 7;
    int max_samples = 200;
    int warmup = 2;
};

/// Every axis holds at least one value and none twice; validated on reading.
/// `q_len` and `kv_len` are empty unless given; then they take the place of `seq_len` (each alone
/// combines with seq_len for the other). `tokens` and `hidden` derive batch = max(1, tokens /
/// q_len) and heads = max(1, hidden / head_dim); then batch, heads and kv_heads must not be given.
/// Empty kv_heads means as many as heads.
struct SweepConfig {
    std::vector<KernelChoice> kernels{{"naive", ""}, {"fused", ""}};
    std::vector<Pass> passes{Pass::forward};
    std::vector<DType> dtypes{DType::bf16};
    std::vector<Mask> masks{Mask::full};
    std::vector<std::int64_t> seq_lens;
    std::vector<std::int64_t> q_lens;
    std::vector<std::int64_t> kv_lens;
    std::vector<std::int64_t> head_dims;
    std::vector<std::int64_t> batches{1};
    std::vector<std::int64_t> heads{1};
    std::vector<std::int64_t> kv_heads;
    std::optional<std::int64_t> tokens;
    std::optional<std::int64_t> hidden;
    std::vector<CacheMode> caches{CacheMode::cold};
    CounterMode counters = CounterMode::automatic;
    bool selftest = true;       // jobs of known counts beside the cases, where counters are had
    std::vector<Level> levels;  // empty: levels_of, but memory alone in tables and pictures
    TimingPlan timing;
    std::uint64_t seed = 1;
    bool lesson = false;  // the report walks through the claims on attention
};

/// The levels asked for, else hbm and l2.
inline std::vector<Level> levels_of(const SweepConfig& config) {
    return config.levels.empty() ? std::vector{Level::hbm, Level::l2} : config.levels;
}

}  // namespace attnroof
