// One value at a time, from text: shared by config files and the command line.
// `where` names the value's place (a JSON path or an option) and starts every message.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/words.h"
#include "errors.h"

namespace attnroof {

/// Larger sizes are refused: no memory holds them, and their products leave 64 bits.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 40;
/// Values that one axis may hold.
inline constexpr std::size_t longest_axis = 4096;

/// A whole number as written (1e3 and 512.0 are whole) in [least, most]. Throws UsageError.
std::int64_t whole_number(const std::string& where, const std::string& text, std::int64_t least,
                          std::int64_t most);
/// A number above 0, up to `most`. Throws UsageError.
double positive_number(const std::string& where, const std::string& text, double most);
/// Any whole number that fits in 64 bits without a sign. Throws UsageError.
std::uint64_t seed_number(const std::string& where, const std::string& text);

/// "fused" or "fused:sm80"; name and variant must be in the registry. Throws UsageError.
KernelChoice kernel_choice(const std::string& where, const std::string& text);

enum class Progression { times, step };

/// from, from * by (or + by), ... as far as `to`. Throws UsageError when from > to or the axis gets
/// too long.
std::vector<std::int64_t> expand_range(const std::string& where, std::int64_t from, std::int64_t to,
                                       Progression kind, std::int64_t by);

[[noreturn]] void fail(const std::string& where, const std::string& problem);

/// Appends unless the value is there already, which is a UsageError.
template <typename T>
void append_new(std::vector<T>& values, T value, const std::string& where,
                const std::string& text) {
    for (const T& present : values)
        if (present == value) fail(where, in_quotes(text) + " is given twice");
    values.push_back(std::move(value));
}

/// The enumerator of that name. `what` is the noun for the message: "dtype".
template <typename Enum, std::size_t count>
Enum word(const std::string& where, const std::string& text, const char* what,
          const std::array<const char*, count>& names) {
    for (std::size_t i = 0; i < count; ++i)
        if (text == names[i]) return static_cast<Enum>(i);
    fail(where,
         fmt::format("unknown {} {}{} (known: {})", what, in_quotes(text),
                     did_you_mean(text, {names.begin(), names.end()}), fmt::join(names, ", ")));
}

}  // namespace attnroof
