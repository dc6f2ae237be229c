// A JSON object in the making, whose nulls are explained.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace attnroof {

using Json = nlohmann::ordered_json;

inline constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53
inline constexpr const char* not_finite = "not a finite number";

/// Counts are written without a fraction: 68719476736, not 68719476736.0.
inline Json json_number(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == std::trunc(value) && std::abs(value) <= largest_exact_integer)
        return static_cast<std::int64_t>(value);
    return value;
}

/// An object whose nulls are explained.
class JsonBlock {
  public:
    JsonBlock& set(const char* key, Json value) {
        object_[key] = std::move(value);
        return *this;
    }
    JsonBlock& number(const char* key, std::optional<double> value, const std::string& why = "") {
        if (value && std::isfinite(*value)) return set(key, json_number(*value));
        return missing(key, value ? not_finite : why);
    }
    JsonBlock& text(const char* key, const std::string& value, const std::string& why) {
        return value.empty() ? missing(key, why) : set(key, value);
    }
    template <class T>
    JsonBlock& value(const char* key, const std::optional<T>& value, const std::string& why) {
        return value ? set(key, *value) : missing(key, why);
    }
    JsonBlock& missing(const char* key, const std::string& why) {
        missing_[key] = why;
        return set(key, nullptr);
    }
    Json done() {
        if (!missing_.empty()) object_["missing"] = missing_;
        return object_;
    }

  private:
    Json object_ = Json::object(), missing_ = Json::object();
};

}  // namespace attnroof
