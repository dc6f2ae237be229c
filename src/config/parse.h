// Text to settings: JSON files and command-line values, with one line for every mistake.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/layer.h"

namespace attnroof {

/// Reads a config from JSON text. `source` (a file name) starts every message; the JSON path and
/// the value follow. Throws UsageError.
ConfigLayer parse_config(std::string_view text, const std::string& source);

/// The config of that name among the shipped ones, else the file of that path. Throws UsageError.
ConfigLayer load_config(const std::string& name_or_path);

/// Values of one command-line option, separated by commas. `option` starts every message.
/// Sizes may be ranges: 512:65536:*2 and 512:4096:+512, both ends included.
std::vector<std::int64_t> parse_sizes(const std::string& option, const std::string& text);
std::int64_t parse_size(const std::string& option, const std::string& text);
std::vector<KernelChoice> parse_kernels(const std::string& option, const std::string& text);
std::vector<Pass> parse_passes(const std::string& option, const std::string& text);
std::vector<DType> parse_dtypes(const std::string& option, const std::string& text);
std::vector<Mask> parse_masks(const std::string& option, const std::string& text);
std::vector<CacheMode> parse_caches(const std::string& option, const std::string& text);
CounterMode parse_counters(const std::string& option, const std::string& text);
std::vector<Level> parse_levels(const std::string& option, const std::string& text);
double parse_seconds(const std::string& option, const std::string& text);
/// Of a gate: percent or seconds, above 0.
double parse_limit(const std::string& option, const std::string& text);
std::uint64_t parse_seed(const std::string& option, const std::string& text);

}  // namespace attnroof
