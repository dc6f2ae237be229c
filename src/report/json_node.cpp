#include "report/json_node.h"

#include <limits>

namespace attnroof {

void JsonNode::fail(const std::string& what) const {
    throw UsageError(path_.empty() ? fmt::format("{}: {}", source_, what)
                                   : fmt::format("{}: {}: {}", source_, path_, what));
}

void JsonNode::wrong_type(const char* expected) const {
    constexpr std::size_t shown = 40;
    std::string got = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (value_->is_structured()) got = value_->is_array() ? "an array" : "an object";
    if (got.size() > shown) got = got.substr(0, shown) + "...";
    fail(fmt::format("expected {}, got {}", expected, got));
}

bool JsonNode::has(const char* key) const {
    if (!value_->is_object()) wrong_type("an object");
    const auto found = value_->find(key);
    return found != value_->end() && !found->is_null();
}

JsonNode JsonNode::at(const char* key) const {
    if (!value_->is_object()) wrong_type("an object");
    const auto found = value_->find(key);
    const JsonNode child(found == value_->end() ? *value_ : *found, source_,
                         path_.empty() ? key : path_ + "." + key);
    if (found == value_->end()) child.fail("missing");
    return child;
}

std::vector<JsonNode> JsonNode::items() const {
    if (!value_->is_array()) wrong_type("an array");
    std::vector<JsonNode> items;
    for (const auto& item : *value_)
        items.emplace_back(item, source_, fmt::format("{}[{}]", path_, items.size()));
    return items;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
    if (!value_->is_object()) wrong_type("an object");
    std::vector<std::pair<std::string, JsonNode>> members;
    for (const auto& [key, value] : value_->items())
        members.emplace_back(key, JsonNode(value, source_, path_ + "." + key));
    return members;
}

std::string JsonNode::text() const {
    if (!value_->is_string()) wrong_type("a string");
    return value_->get<std::string>();
}

double JsonNode::number() const {
    if (value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value_->is_number()) wrong_type("a number");
    return value_->get<double>();
}

double JsonNode::amount() const {
    const double value = number();
    if (value < 0) fail(fmt::format("expected 0 or more, got {}", value));
    return value;
}

double JsonNode::positive() const {
    const double value = number();
    if (value <= 0) fail(fmt::format("expected a number above 0, got {}", value));
    return value;
}

std::int64_t JsonNode::count() const {
    const std::int64_t value = integer();
    if (value < 0 || value > std::int64_t{1} << 62)
        fail(fmt::format("expected 0 to 2^62, got {}", value));
    return value;
}

std::int64_t JsonNode::integer() const {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const bool fits = value_->is_number_unsigned() ? value_->get<std::uint64_t>() <= largest
                                                   : value_->is_number_integer();
    if (!fits) wrong_type("a whole number of 64 bits");
    return value_->get<std::int64_t>();
}

int JsonNode::small_count() const {
    const std::int64_t value = count();
    if (value > std::numeric_limits<int>::max()) fail(fmt::format("{} is too large", value));
    return static_cast<int>(value);
}

std::uint64_t JsonNode::unsigned_integer() const {
    if (!value_->is_number_unsigned()) wrong_type("a whole number of 64 bits, 0 or more");
    return value_->get<std::uint64_t>();
}

bool JsonNode::boolean() const {
    if (!value_->is_boolean()) wrong_type("true or false");
    return value_->get<bool>();
}

}  // namespace attnroof
