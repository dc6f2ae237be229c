// How a JSON report is laid out: two spaces a level, short things on one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace attnroof {

/// Text of a JSON value, ending in a newline. Arrays of scalars, and objects of scalars that fit in
/// 160 columns, take one line. Bytes that are not UTF-8 become U+FFFD.
std::string layout(const nlohmann::ordered_json& value);

}  // namespace attnroof
