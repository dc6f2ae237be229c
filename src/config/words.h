// Words in messages: the nearest known one, and text from outside made fit to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnroof {

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other: the
/// optimal string alignment distance, on bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// True when they differ in ASCII capitals only: H100 and h100.
bool same_word(std::string_view a, std::string_view b);

/// The known word at the least distance, or nothing when less than a third of it fits.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// ", did you mean fused?", or nothing when no known word is near. `before` stands before the word.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view before = "");

/// One line of valid UTF-8: control characters and broken bytes become '?'.
std::string printable(std::string_view text);

/// Length in bytes of the UTF-8 character (RFC 3629) at the start of `text`, which is not empty; 0
/// when there is none.
std::size_t utf8_length(std::string_view text);

/// printable text in single quotes, cut when longer than a message can bear.
std::string in_quotes(std::string_view text);

}  // namespace attnroof
