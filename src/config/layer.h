// Layers of a config: a file, the command line and the shipped default each give some settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/gate.h"

namespace attnroof {

/// What one source gives; everything else stays empty. Values are valid one by one: lists hold at
/// least one value and none twice, sizes are in [1, 2^40], words and kernels are known.
struct ConfigLayer {
    std::optional<std::vector<KernelChoice>> kernels;
    std::optional<std::vector<Pass>> passes;
    std::optional<std::vector<DType>> dtypes;
    std::optional<std::vector<Mask>> masks;
    std::optional<std::vector<std::int64_t>> seq_lens, q_lens, kv_lens, head_dims;
    std::optional<std::vector<std::int64_t>> batches, heads, kv_heads;
    std::optional<std::int64_t> tokens, hidden;
    std::optional<std::vector<CacheMode>> caches;
    std::optional<CounterMode> counters;
    std::optional<std::vector<Level>> levels;
    std::optional<double> max_seconds, target_ci;
    std::optional<int> min_samples, max_samples, warmup;
    std::optional<std::uint64_t> seed;
    std::optional<Gate> gate;  // for compare; a sweep takes no notice of it
    std::optional<bool> selftest;
    std::optional<bool> lesson;
    std::vector<ConfigLayer> on_cpu;  // none or one: goes over this layer on a CPU

    bool operator==(const ConfigLayer&) const = default;
};

/// What a user asked for, before the device is known.
struct SweepRequest {
    std::string config_name;          // as given to --config; empty without one
    std::optional<ConfigLayer> file;  // its content
    ConfigLayer overrides;            // options of the command line
};

/// `upper` over `lower`: what upper gives replaces what lower gives. Settings that exclude each
/// other go too: seq_len takes q_len and kv_len away; batch, heads or kv_heads take tokens and
/// hidden away, and tokens or hidden take those three.
ConfigLayer overlay(const ConfigLayer& lower, const ConfigLayer& upper);

/// The config to run: options over the file, or without a file over the shipped default of the
/// device's kind (`default` on a GPU, `cpu` on a CPU). Throws UsageError when an axis that has no
/// default is missing (seq_len, head_dim) or kv_heads does not divide heads.
SweepConfig resolve(const SweepRequest& request, DeviceKind device);

}  // namespace attnroof
