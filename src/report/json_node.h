// A JSON value that knows its path, so that every type error names the place.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "errors.h"

namespace attnroof {

/// Every accessor throws UsageError: "FILE: cases[3].time.median_s: expected a number, got ...".
class JsonNode {
  public:
    JsonNode(const nlohmann::json& value, std::string source, std::string path = "")
        : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

    bool is_null() const { return value_->is_null(); }
    /// True when the object has the key and it is not null.
    bool has(const char* key) const;
    JsonNode at(const char* key) const;
    std::vector<JsonNode> items() const;                            // of an array
    std::vector<std::pair<std::string, JsonNode>> members() const;  // of an object

    std::string text() const;
    double number() const;         // NaN for null
    double amount() const;         // the same, and refuses what is below 0
    double positive() const;       // and 0 itself
    std::int64_t integer() const;  // refuses fractions and what does not fit
    std::int64_t count() const;    // 0 to 2^62: two of them can be added
    int small_count() const;       // 0 to the largest int
    std::uint64_t unsigned_integer() const;
    bool boolean() const;

    template <class Enum, std::size_t n>
    Enum word(const std::array<const char*, n>& names) const {
        const std::string given = text();
        std::string known;
        for (std::size_t i = 0; i < n; ++i) {
            if (given == names[i]) return static_cast<Enum>(i);
            known += (i ? ", " : "") + std::string(names[i]);
        }
        fail(fmt::format("unknown value \"{}\"; known: {}", given, known));
    }

    [[noreturn]] void fail(const std::string& what) const;

  private:
    [[noreturn]] void wrong_type(const char* expected) const;

    const nlohmann::json* value_;
    std::string source_, path_;
};

}  // namespace attnroof
