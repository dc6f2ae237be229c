#include "report/json_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t line_width = 160;

std::string scalar(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool flat(const Json& value) {
    return std::all_of(value.begin(), value.end(),
                       [](const Json& child) { return !child.is_structured() || child.empty(); });
}

std::string key_text(const Json& parent, const Json::const_iterator& child) {
    return parent.is_object() ? scalar(child.key()) + ": " : "";
}

std::string one_line(const Json& value) {
    if (!value.is_structured()) return scalar(value);
    std::string text;
    for (auto child = value.begin(); child != value.end(); ++child)
        text += (text.empty() ? "" : ", ") + key_text(value, child) + one_line(*child);
    return value.is_object() ? fmt::format("{{{}}}", text) : fmt::format("[{}]", text);
}

void append(std::string& out, const Json& value, std::size_t indent, std::size_t key_width) {
    if (!value.is_structured() || value.empty()) {
        out += one_line(value);
        return;
    }
    if (flat(value)) {
        const std::string text = one_line(value);
        if (value.is_array() || indent + key_width + text.size() < line_width) {
            out += text;
            return;
        }
    }
    out += value.is_object() ? "{" : "[";
    for (auto child = value.begin(); child != value.end(); ++child) {
        const std::string key = key_text(value, child);
        out += child == value.begin() ? "\n" : ",\n";
        out.append(indent + 2, ' ') += key;
        append(out, *child, indent + 2, key.size());
    }
    out += '\n';
    out.append(indent, ' ') += value.is_object() ? '}' : ']';
}

}  // namespace

std::string layout(const Json& value) {
    std::string out;
    append(out, value, 0, 0);
    return out + "\n";
}

}  // namespace attnroof
