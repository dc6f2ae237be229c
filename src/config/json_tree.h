// JSON as a small tree that keeps numbers as they were written, and refuses what is not plain JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnroof {

struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    std::string text;               // a string's content; number, boolean and null as written
    std::vector<std::string> keys;  // of an object, one for each item
    std::vector<JsonValue> items;   // of an array or object

    /// For a message: 512.5, "512", an array.
    std::string shown() const;
};

/// Throws UsageError that starts with `source`, with line and column for a syntax error and the
/// path for a key given twice. Comments, a byte-order mark and NaN are syntax errors, nesting is
/// limited.
JsonValue parse_json(std::string_view text, const std::string& source);

/// "axes.seq_len[2]"; an empty path is the whole document.
std::string path_of_key(const std::string& path, std::string_view key);
std::string path_of_item(const std::string& path, std::size_t index);

}  // namespace attnroof
