// Compares text with a file in tests/data/golden. ATTNROOF_UPDATE_GOLDEN=1 writes the file anew.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "catch.h"

namespace attnroof {

inline std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(ATTNROOF_TEST_DATA) + "/golden/" + name;
    if (std::getenv("ATTNROOF_UPDATE_GOLDEN") != nullptr)
        std::ofstream(path, std::ios::binary) << text;
    INFO("golden file " << path);
    // Not one assertion over the whole text: a failure should show the first line that differs.
    std::istringstream expected(file_text(path)), given(text);
    std::string expected_line, given_line;
    for (int line = 1;; ++line) {
        const bool more_expected = static_cast<bool>(std::getline(expected, expected_line));
        const bool more_given = static_cast<bool>(std::getline(given, given_line));
        INFO("line " << line);
        REQUIRE(more_expected == more_given);
        if (!more_expected) return;
        REQUIRE(given_line == expected_line);
    }
}

}  // namespace attnroof
