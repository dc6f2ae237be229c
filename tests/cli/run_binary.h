// Runs the attnroof binary in a folder of its own and keeps what it said.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace attnroof {

/// A fresh folder that goes away with its content.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "attnroof-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    /// Writes a file into the folder; returns its full path.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

struct Outcome {
    int exit_code = -1;  // -1 when the binary was killed by a signal
    std::string out, err;
};

/// Runs `attnroof ARGS` with `folder` as the working directory.
inline Outcome run_binary(const std::vector<std::string>& args,
                          const std::filesystem::path& folder) {
    const auto quoted = [](const std::string& text) {
        std::string shell = "'";
        for (char c : text) shell += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return shell + "'";
    };
    const TemporaryFolder streams;
    std::string command = "cd " + quoted(folder.string()) + " && " + quoted(ATTNROOF_BINARY);
    for (const std::string& arg : args) command += " " + quoted(arg);
    command += " >" + quoted((streams.path() / "out").string()) + " 2>" +
               quoted((streams.path() / "err").string()) + " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(streams.path() / "out"),
            read_text(streams.path() / "err")};
}

}  // namespace attnroof
