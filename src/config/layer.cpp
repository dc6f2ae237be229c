#include "config/layer.h"

#include <fmt/format.h>

#include <utility>

#include "config/conflicts.h"
#include "config/embedded.h"
#include "config/parse.h"
#include "errors.h"

namespace attnroof {
namespace {

template <typename T>
void replace(std::optional<T>& lower, const std::optional<T>& upper) {
    if (upper) lower = upper;
}

template <typename T, typename U>
void assign(T& setting, const std::optional<U>& given) {
    if (given) setting = *given;
}

bool sized_by_total(const ConfigLayer& l) { return l.tokens || l.hidden; }
bool sized_by_count(const ConfigLayer& l) { return l.batches || l.heads || l.kv_heads; }

/// The shipped config of a kind of device: configs/default.json, configs/cpu.json.
ConfigLayer default_layer(DeviceKind device) {
    return load_config(device == DeviceKind::cuda ? "default" : "cpu");
}

void check_axes(const ConfigLayer& l, const std::string& source) {
    const std::string start = source.empty() ? "" : source + ": ";
    if (!l.seq_lens && !(l.q_lens && l.kv_lens))
        throw UsageError(start + "axes.seq_len is missing" +
                         (l.q_lens    ? ": only q_len is given"
                          : l.kv_lens ? ": only kv_len is given"
                                      : ""));
    if (!l.head_dims) throw UsageError(start + "axes.head_dim is missing");
    for (std::int64_t heads : l.heads.value_or(std::vector<std::int64_t>{1}))
        for (std::int64_t kv_heads : l.kv_heads.value_or(std::vector<std::int64_t>{}))
            if (heads % kv_heads != 0)
                throw UsageError(
                    fmt::format("{}kv_heads {} does not divide heads {}", start, kv_heads, heads));
}

SweepConfig config_from(const ConfigLayer& l) {
    SweepConfig config;
    assign(config.kernels, l.kernels);
    assign(config.passes, l.passes);
    assign(config.dtypes, l.dtypes);
    assign(config.masks, l.masks);
    assign(config.seq_lens, l.seq_lens);
    assign(config.q_lens, l.q_lens);
    assign(config.kv_lens, l.kv_lens);
    assign(config.head_dims, l.head_dims);
    assign(config.batches, l.batches);
    assign(config.heads, l.heads);
    assign(config.kv_heads, l.kv_heads);
    config.tokens = l.tokens;
    config.hidden = l.hidden;
    assign(config.caches, l.caches);
    assign(config.counters, l.counters);
    assign(config.selftest, l.selftest);
    assign(config.levels, l.levels);
    assign(config.timing.max_seconds, l.max_seconds);
    assign(config.timing.target_ci, l.target_ci);
    assign(config.timing.min_samples, l.min_samples);
    assign(config.timing.max_samples, l.max_samples);
    assign(config.timing.warmup, l.warmup);
    assign(config.seed, l.seed);
    assign(config.lesson, l.lesson);
    return config;
}

struct Setting {
    bool given;
    const char* key;
    const char* option;

    const char* named(Naming naming) const { return naming == Naming::keys ? key : option; }
};

}  // namespace

void reject_conflicts(const ConfigLayer& l, const std::string& source, Naming naming) {
    const std::string start = source.empty() ? "" : source + ": ";
    const Setting totals[] = {{l.tokens.has_value(), "tokens", "--tokens"},
                              {l.hidden.has_value(), "hidden", "--hidden"}};
    const Setting counts[] = {{l.batches.has_value(), "axes.batch", "--batch"},
                              {l.heads.has_value(), "axes.heads", "--heads"},
                              {l.kv_heads.has_value(), "axes.kv_heads", "--kv-heads"}};
    for (const Setting& total : totals)
        for (const Setting& count : counts)
            if (total.given && count.given)
                throw UsageError(fmt::format(
                    "{}{} and {} exclude each other: tokens and hidden derive batch and heads",
                    start, total.named(naming), count.named(naming)));
    if (l.seq_lens && l.q_lens && l.kv_lens)
        throw UsageError(start +
                         (naming == Naming::keys
                              ? "axes.seq_len has no effect beside axes.q_len and axes.kv_len"
                              : "--seq-len has no effect beside --q-len and --kv-len"));
}

ConfigLayer overlay(const ConfigLayer& lower, const ConfigLayer& upper) {
    ConfigLayer l = lower;
    if (upper.seq_lens) l.q_lens = l.kv_lens = std::nullopt;
    if (sized_by_count(upper)) l.tokens = l.hidden = std::nullopt;
    if (sized_by_total(upper)) l.batches = l.heads = l.kv_heads = std::nullopt;
    replace(l.kernels, upper.kernels);
    replace(l.passes, upper.passes);
    replace(l.dtypes, upper.dtypes);
    replace(l.masks, upper.masks);
    replace(l.seq_lens, upper.seq_lens);
    replace(l.q_lens, upper.q_lens);
    replace(l.kv_lens, upper.kv_lens);
    replace(l.head_dims, upper.head_dims);
    replace(l.batches, upper.batches);
    replace(l.heads, upper.heads);
    replace(l.kv_heads, upper.kv_heads);
    replace(l.tokens, upper.tokens);
    replace(l.hidden, upper.hidden);
    replace(l.caches, upper.caches);
    replace(l.counters, upper.counters);
    replace(l.selftest, upper.selftest);
    replace(l.levels, upper.levels);
    replace(l.max_seconds, upper.max_seconds);
    replace(l.target_ci, upper.target_ci);
    replace(l.min_samples, upper.min_samples);
    replace(l.max_samples, upper.max_samples);
    replace(l.warmup, upper.warmup);
    replace(l.seed, upper.seed);
    replace(l.gate, upper.gate);
    replace(l.lesson, upper.lesson);
    if (l.q_lens && l.kv_lens) l.seq_lens.reset();
    return l;
}

SweepConfig resolve(const SweepRequest& request, DeviceKind device) {
    reject_conflicts(request.overrides, "", Naming::options);
    ConfigLayer lower = request.file ? *request.file : default_layer(device);
    if (device == DeviceKind::cpu)
        for (const ConfigLayer& layer : std::exchange(lower.on_cpu, {}))
            lower = overlay(lower, layer);
    const ConfigLayer merged = overlay(lower, request.overrides);
    check_axes(merged, request.config_name);
    SweepConfig config = config_from(merged);
    if (config.timing.min_samples > config.timing.max_samples)
        throw UsageError(fmt::format("{}timing.min_samples {} is more than max_samples {}",
                                     request.config_name.empty() ? "" : request.config_name + ": ",
                                     config.timing.min_samples, config.timing.max_samples));
    return config;
}

}  // namespace attnroof
