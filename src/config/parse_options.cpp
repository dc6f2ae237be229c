// Values of command-line options.
#include "config/parse.h"
#include "config/values.h"

namespace attnroof {
namespace {

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find(separator, start);
        parts.push_back(trimmed(text.substr(start, end - start)));
        if (end == std::string_view::npos) return parts;
        start = end + 1;
    }
}

/// The pieces between commas, none of them empty.
std::vector<std::string> pieces(const std::string& option, const std::string& text) {
    std::vector<std::string> parts = split(text, ',');
    for (const std::string& part : parts)
        if (part.empty()) fail(option, "empty value in " + in_quotes(text));
    return parts;
}

/// One value a piece, none twice.
template <typename One>
auto list(const std::string& option, const std::string& text, One one) {
    std::vector<decltype(one(text))> values;
    for (const std::string& piece : pieces(option, text))
        append_new(values, one(piece), option, piece);
    return values;
}

/// 512:65536:*2 or 512:4096:+512
std::vector<std::int64_t> range(const std::string& option, const std::string& text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() != 3 || parts[2].empty() || (parts[2][0] != '*' && parts[2][0] != '+'))
        fail(option, in_quotes(text) + " is not a range; write FROM:TO:*FACTOR or FROM:TO:+STEP");
    const Progression kind = parts[2][0] == '*' ? Progression::times : Progression::step;
    return expand_range(
        option, parse_size(option, parts[0]), parse_size(option, parts[1]), kind,
        whole_number(option, parts[2].substr(1), kind == Progression::times ? 2 : 1, largest_size));
}

}  // namespace

std::int64_t parse_size(const std::string& option, const std::string& text) {
    return whole_number(option, text, 1, largest_size);
}

std::vector<std::int64_t> parse_sizes(const std::string& option, const std::string& text) {
    std::vector<std::int64_t> values;
    for (const std::string& piece : pieces(option, text)) {
        if (piece.find(':') == std::string::npos)
            append_new(values, parse_size(option, piece), option, piece);
        else
            for (std::int64_t value : range(option, piece))
                append_new(values, value, option, std::to_string(value));
        if (values.size() > longest_axis)
            fail(option, fmt::format("more than {} values", longest_axis));
    }
    return values;
}

std::vector<KernelChoice> parse_kernels(const std::string& option, const std::string& text) {
    return list(option, text, [&](const std::string& s) { return kernel_choice(option, s); });
}

std::vector<Pass> parse_passes(const std::string& option, const std::string& text) {
    return list(option, text,
                [&](const std::string& s) { return word<Pass>(option, s, "pass", pass_names); });
}

std::vector<DType> parse_dtypes(const std::string& option, const std::string& text) {
    return list(option, text,
                [&](const std::string& s) { return word<DType>(option, s, "dtype", dtype_names); });
}

std::vector<Mask> parse_masks(const std::string& option, const std::string& text) {
    return list(option, text,
                [&](const std::string& s) { return word<Mask>(option, s, "mask", mask_names); });
}

std::vector<CacheMode> parse_caches(const std::string& option, const std::string& text) {
    return list(option, text, [&](const std::string& s) {
        return word<CacheMode>(option, s, "cache mode", cache_mode_names);
    });
}

CounterMode parse_counters(const std::string& option, const std::string& text) {
    return word<CounterMode>(option, text, "counter mode", counter_mode_names);
}

std::vector<Level> parse_levels(const std::string& option, const std::string& text) {
    return list(option, text, [&](const std::string& s) {
        return word<Level>(option, s, "memory level", level_names);
    });
}

double parse_seconds(const std::string& option, const std::string& text) {
    return positive_number(option, text, 3600);
}

double parse_limit(const std::string& option, const std::string& text) {
    return positive_number(option, text, 1e6);
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
    return seed_number(option, text);
}

}  // namespace attnroof
