#include "report/json_config.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

template <class Enum>
Json names(const std::vector<Enum>& values) {
    Json array = Json::array();
    for (Enum value : values) array.push_back(name(value));
    return array;
}

Json axes_json(const SweepConfig& c) {
    Json axes = {{"pass", names(c.passes)}, {"dtype", names(c.dtypes)}, {"mask", names(c.masks)}};
    const auto sizes = [&](const char* key, const std::vector<std::int64_t>& values) {
        if (!values.empty()) axes[key] = values;
    };
    sizes("seq_len", c.seq_lens);
    sizes("q_len", c.q_lens);
    sizes("kv_len", c.kv_lens);
    sizes("head_dim", c.head_dims);
    // Tokens and hidden derive batch and heads; a config gives one pair or the other.
    if (!c.tokens && !c.hidden) {
        sizes("batch", c.batches);
        sizes("heads", c.heads);
        sizes("kv_heads", c.kv_heads);
    }
    return axes;
}

template <class Enum, std::size_t n>
void read_words(const JsonNode& node, const char* key, const std::array<const char*, n>& names,
                std::vector<Enum>& to) {
    if (!node.has(key)) return;
    to.clear();
    for (const JsonNode& item : node.at(key).items()) to.push_back(item.word<Enum>(names));
}

void read_sizes(const JsonNode& axes, const char* key, std::vector<std::int64_t>& to) {
    if (!axes.has(key)) return;
    to.clear();
    for (const JsonNode& item : axes.at(key).items()) to.push_back(item.integer());
}

void read_axes(const JsonNode& axes, SweepConfig& c) {
    read_words(axes, "pass", pass_names, c.passes);
    read_words(axes, "dtype", dtype_names, c.dtypes);
    read_words(axes, "mask", mask_names, c.masks);
    read_sizes(axes, "seq_len", c.seq_lens);
    read_sizes(axes, "q_len", c.q_lens);
    read_sizes(axes, "kv_len", c.kv_lens);
    read_sizes(axes, "head_dim", c.head_dims);
    read_sizes(axes, "batch", c.batches);
    read_sizes(axes, "heads", c.heads);
    read_sizes(axes, "kv_heads", c.kv_heads);
}

KernelChoice read_kernel(const JsonNode& node) {
    const std::string text = node.text();
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {text, ""};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

TimingPlan read_timing(const JsonNode& node) {
    const auto count = [&](const char* key) { return node.at(key).small_count(); };
    return {node.at("max_seconds").positive(), node.at("target_ci").positive(),
            count("min_samples"), count("max_samples"), count("warmup")};
}

}  // namespace

SweepConfig read_config(const JsonNode& node) {
    SweepConfig c;
    c.kernels.clear();
    for (const JsonNode& kernel : node.at("kernels").items())
        c.kernels.push_back(read_kernel(kernel));
    read_axes(node.at("axes"), c);
    read_words(node, "cache", cache_mode_names, c.caches);
    if (node.has("tokens")) c.tokens = node.at("tokens").count();
    if (node.has("hidden")) c.hidden = node.at("hidden").count();
    c.counters = node.at("counters").word<CounterMode>(counter_mode_names);
    c.selftest = !node.has("selftest") || node.at("selftest").boolean();
    read_words(node, "levels", level_names, c.levels);
    c.timing = read_timing(node.at("timing"));
    c.seed = node.at("seed").unsigned_integer();
    c.lesson = node.has("lesson") && node.at("lesson").boolean();
    return c;
}

Json config_json(const SweepConfig& c) {
    Json kernels = Json::array();
    for (const KernelChoice& kernel : c.kernels) kernels.push_back(kernel.text());
    Json json = {{"kernels", std::move(kernels)}, {"axes", axes_json(c)}};
    if (c.tokens) json["tokens"] = *c.tokens;
    if (c.hidden) json["hidden"] = *c.hidden;
    json["cache"] = names(c.caches);
    json["counters"] = name(c.counters);
    if (!c.selftest) json["selftest"] = false;
    if (!c.levels.empty()) json["levels"] = names(c.levels);
    json["timing"] = {{"max_seconds", c.timing.max_seconds},
                      {"target_ci", c.timing.target_ci},
                      {"min_samples", c.timing.min_samples},
                      {"max_samples", c.timing.max_samples},
                      {"warmup", c.timing.warmup}};
    json["seed"] = c.seed;
    if (c.lesson) json["lesson"] = true;
    return json;
}

}  // namespace attnroof
