// What standard output is: a terminal, or a pipe or file; and a line for standard error.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace attnroof {

/// Columns of the table; 0 (no limit) when the output goes on to a program or a file.
inline int terminal_width() { return isatty(STDOUT_FILENO) == 1 ? 100 : 0; }

inline bool wants_colour() {
    const char* refused = std::getenv("NO_COLOR");  // no-color.org: present and not empty
    return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

/// "attnroof: TEXT" on standard error. That nobody reads it (a closed pipe) is no error.
template <class... T>
void note(fmt::format_string<T...> text, T&&... values) {
    const std::string line = "attnroof: " + fmt::format(text, std::forward<T>(values)...) + "\n";
    std::fputs(line.c_str(), stderr);
}

}  // namespace attnroof
