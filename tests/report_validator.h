// Holds JSON reports against schema/report.schema.json with a validator that is not ours.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "temporary_folder.h"

namespace attnroof {

/// One line for each place that the schema refuses, empty when it takes all of `reports`. No value
/// (and a warning) where Python has no jsonschema package.
inline std::optional<std::string> schema_errors(const std::vector<std::string>& reports) {
    const std::string tests = std::string(ATTNROOF_TEST_DATA) + "/..";
    std::string arguments =
        fmt::format("'{0}/validate_reports.py' '{0}/../schema/report.schema.json'", tests);
    for (const std::string& report : reports) arguments += fmt::format(" '{}'", report);
    const TemporaryFolder streams;
    const std::string out = (streams.path() / "out").string();
    for (const char* python : {"python3", "/usr/bin/python3"}) {
        const int status =
            std::system(fmt::format("{} {} >'{}' 2>&1", python, arguments, out).c_str());
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == 3 || code == 127) continue;
        INFO(read_text(out));
        REQUIRE((code == 0 || code == 1));
        return read_text(out);
    }
    WARN("not held against the schema: python3-jsonschema is not installed");
    return std::nullopt;
}

inline void require_valid(const std::string& report) {
    const std::optional<std::string> errors = schema_errors({report});
    if (errors) REQUIRE(*errors == "");
}

}  // namespace attnroof
