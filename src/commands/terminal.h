// What standard output is: a terminal, or a pipe or file.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace attnroof {

/// Columns of the table; 0 (no limit) when the output goes on to a program or a file.
inline int terminal_width() { return isatty(STDOUT_FILENO) == 1 ? 100 : 0; }

inline bool wants_colour() {
    return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace attnroof
