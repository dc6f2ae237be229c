// The nearest known word, for messages about an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnroof {

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// ", did you mean fused?" or nothing when no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// The text in single quotes, control characters replaced and cut when long: fit for a message.
std::string in_quotes(std::string_view text);

}  // namespace attnroof
