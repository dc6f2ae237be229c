// Runs the attnroof binary in a folder of its own and keeps what it said.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace attnroof {

struct Outcome {
    int exit_code = -1;  // -1 when the binary was killed by a signal
    std::string out, err;
};

/// Runs `attnroof ARGS` with `folder` as the working directory.
inline Outcome run_binary(const std::vector<std::string>& args,
                          const std::filesystem::path& folder) {
    const auto quoted = [](const std::string& text) {
        std::string shell;
        for (char c : text) c == '\'' ? shell.append("'\\''") : shell.append(1, c);
        return fmt::format("'{}'", shell);
    };
    const TemporaryFolder streams;
    std::string command =
        fmt::format("cd {} && {}", quoted(folder.string()), quoted(ATTNROOF_BINARY));
    for (const std::string& arg : args) command.append(" ").append(quoted(arg));
    command.append(fmt::format(" >{} 2>{} </dev/null", quoted((streams.path() / "out").string()),
                               quoted((streams.path() / "err").string())));
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(streams.path() / "out"),
            read_text(streams.path() / "err")};
}

}  // namespace attnroof
