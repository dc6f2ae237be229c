#include "config/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/words.h"
#include "errors.h"

namespace attnroof {

std::string path_of_key(const std::string& path, std::string_view key) {
    const std::string shown = key.size() > 120 ? in_quotes(key) : printable(key);
    return path.empty() ? shown : path + "." + shown;
}

std::string path_of_item(const std::string& path, std::size_t index) {
    return fmt::format("{}[{}]", path, index);
}

std::string JsonValue::shown() const {
    switch (kind) {
        case Kind::array:
            return items.empty() ? "an empty array" : "an array";
        case Kind::object:
            return "an object";
        case Kind::string:
            return "the string " + in_quotes(text);
        default:
            return printable(text);
    }
}

namespace {

constexpr std::size_t deepest_nesting = 16;

/// Receives nlohmann's events. Open arrays and objects stand on a stack, outermost first.
class TreeBuilder {
  public:
    TreeBuilder(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    JsonValue take() { return std::move(root_); }

    using Kind = JsonValue::Kind;
    bool null() { return leaf(Kind::null, "null"); }
    bool boolean(bool value) { return leaf(Kind::boolean, value ? "true" : "false"); }
    bool number_integer(std::int64_t value) { return leaf(Kind::number, std::to_string(value)); }
    bool number_unsigned(std::uint64_t value) { return leaf(Kind::number, std::to_string(value)); }
    bool number_float(double, const std::string& written) { return leaf(Kind::number, written); }
    bool string(std::string& value) { return leaf(Kind::string, value); }
    bool binary(std::vector<std::uint8_t>&) { return false; }
    bool start_object(std::size_t) { return open(Kind::object); }
    bool start_array(std::size_t) { return open(Kind::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        std::vector<std::string>& keys = open_.back().keys;
        if (std::find(keys.begin(), keys.end(), name) != keys.end())
            refuse(path_of_key(path(), name) + ": this key is given twice");
        keys.push_back(name);
        return true;
    }

    /// `position` counts the bytes read, the offending one included.
    bool parse_error(std::size_t position, const std::string& token, const std::exception& error) {
        const std::string_view before = text_.substr(0, std::min(position, text_.size()));
        const std::size_t newline = before.rfind('\n');
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t column =
            newline == std::string_view::npos ? position : position - newline - 1;
        const bool overflow = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
        refuse(fmt::format(
            "line {}, column {}: {}", line, column,
            overflow ? in_quotes(token) + " is too large for a number" : plain(error.what())));
    }

  private:
    /// nlohmann's text without its own tag and position, cut when it quotes a long token.
    static std::string plain(std::string what) {
        const std::size_t tag = what.find("] ");
        if (tag != std::string::npos) what.erase(0, tag + 2);
        const std::size_t place = what.find(": ");
        if (what.rfind("parse error", 0) == 0 && place != std::string::npos)
            what.erase(0, place + 2);
        if (what.size() > 200) what = what.substr(0, 200) + "...";
        return printable(what);
    }

    [[noreturn]] void refuse(const std::string& problem) const {
        throw UsageError(source_ + ": " + problem);
    }

    std::string path() const {
        std::string path;
        for (std::size_t i = 0; i + 1 < open_.size(); ++i)
            path = open_[i].kind == Kind::object ? path_of_key(path, open_[i].keys.back())
                                                 : path_of_item(path, open_[i].items.size());
        return path;
    }

    bool leaf(Kind kind, std::string text) {
        JsonValue node;
        node.kind = kind;
        node.text = std::move(text);
        return place(std::move(node));
    }

    bool open(Kind kind) {
        if (open_.size() == deepest_nesting)
            refuse(fmt::format("{}: nested deeper than {} levels", path(), deepest_nesting));
        open_.emplace_back().kind = kind;
        return true;
    }

    bool close() {
        JsonValue node = std::move(open_.back());
        open_.pop_back();
        return place(std::move(node));
    }

    bool place(JsonValue node) {
        if (open_.empty())
            root_ = std::move(node);
        else
            open_.back().items.push_back(std::move(node));
        return true;
    }

    std::string_view text_;
    const std::string& source_;
    std::vector<JsonValue> open_;
    JsonValue root_;
};

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw UsageError(source + ": the file is empty");
    for (const std::string_view mark : {"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"})
        if (text.substr(0, mark.size()) == mark)
            throw UsageError(source + ": starts with a byte-order mark; save it as plain UTF-8");
    TreeBuilder builder(text, source);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

}  // namespace attnroof
