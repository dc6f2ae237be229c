#include "config/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "kernels/registry.h"

namespace attnroof {

void fail(const std::string& where, const std::string& problem) {
    throw UsageError(where + ": " + problem);
}

namespace {

/// The whole text as a number, else nothing.
template <typename Number>
std::optional<Number> read(const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

/// Finite numbers only; one past the range of double counts as infinite.
std::optional<double> read_real(const std::string& text) {
    const std::optional<double> value = read<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

std::int64_t whole_number(const std::string& where, const std::string& text, std::int64_t least,
                          std::int64_t most) {
    if (const auto whole = read<std::int64_t>(text); whole && *whole >= least && *whole <= most)
        return *whole;
    const std::optional<double> real = read_real(text);
    if (!real || *real != std::floor(*real))
        fail(where, in_quotes(text) + " is not a whole number");
    if (*real < static_cast<double>(least))
        fail(where, fmt::format("{} is less than {}", in_quotes(text), least));
    if (*real > static_cast<double>(most))
        fail(where, fmt::format("{} is more than {}", in_quotes(text), most));
    return static_cast<std::int64_t>(*real);  // 1e3: both bounds are exact in double
}

double positive_number(const std::string& where, const std::string& text, double most) {
    const std::optional<double> value = read_real(text);
    if (!value) fail(where, in_quotes(text) + " is not a number");
    if (*value <= 0) fail(where, in_quotes(text) + " is not above 0");
    if (*value > most) fail(where, fmt::format("{} is more than {}", in_quotes(text), most));
    return *value;
}

std::uint64_t seed_number(const std::string& where, const std::string& text) {
    if (const auto seed = read<std::uint64_t>(text)) return *seed;
    return static_cast<std::uint64_t>(whole_number(where, text, 0, std::int64_t{1} << 53));
}

KernelChoice kernel_choice(const std::string& where, const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::vector<std::string> names = kernel_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
        fail(where, fmt::format("unknown kernel {}{} (known: {})", in_quotes(text),
                                did_you_mean(name, names), fmt::join(names, ", ")));
    if (colon == std::string::npos) return {name, ""};

    const std::string variant = text.substr(colon + 1);
    std::vector<std::string> variants;
    for (const KernelRow& row : kernel_registry())
        if (row.name == name) variants.push_back(row.variant);
    if (std::find(variants.begin(), variants.end(), variant) == variants.end())
        fail(where, fmt::format("unknown variant {} of kernel {}{} (known: {})", in_quotes(variant),
                                name, did_you_mean(variant, variants), fmt::join(variants, ", ")));
    return {name, variant};
}

std::vector<std::int64_t> expand_range(const std::string& where, std::int64_t from, std::int64_t to,
                                       Progression kind, std::int64_t by) {
    if (from > to)
        fail(where, fmt::format("the range starts at {} and ends below, at {}", from, to));
    std::vector<std::int64_t> values;
    for (std::int64_t value = from;;) {
        values.push_back(value);
        if (values.size() > longest_axis)
            fail(where, fmt::format("the range holds more than {} values", longest_axis));
        if (kind == Progression::times ? value > to / by : value > to - by) return values;
        value = kind == Progression::times ? value * by : value + by;
    }
}

}  // namespace attnroof
