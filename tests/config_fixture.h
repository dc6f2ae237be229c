// Configs as text: what becomes of them, or what refuses them.
#pragma once

#include <string>
#include <vector>

#include "catch.h"
#include "config/parse.h"
#include "errors.h"
#include "plan/problems.h"

namespace attnroof {

using Sizes = std::vector<std::int64_t>;

/// Everything that happens to a config before a device is opened.
inline SweepConfig accept(const std::string& text, const ConfigLayer& overrides = {}) {
    const SweepRequest request{"test.json", parse_config(text, "test.json"), overrides};
    const SweepConfig config = resolve(request, DeviceKind::cuda);
    list_problems(config);
    return config;
}

/// The message of the UsageError; fails the test when there is none.
inline std::string refusal(const std::string& text) {
    try {
        accept(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    FAIL("accepted: " << text.substr(0, 200));
    return "";
}

inline bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string axes(const std::string& text) { return "{\"axes\": {" + text + "}}"; }

}  // namespace attnroof
