// Where a config comes from: a shipped one by name, or a file.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "config/embedded.h"
#include "config/parse.h"
#include "config/words.h"
#include "errors.h"

namespace attnroof {
namespace {

constexpr std::size_t largest_file = 1 << 20;

std::string read_file(const std::string& path) {
    const std::string shown = printable(path);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UsageError(shown + ": is a directory, not a config file");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UsageError(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
    std::string text(largest_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw UsageError(shown + ": cannot be read");
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file)
        throw UsageError(
            fmt::format("{}: is larger than {} bytes: not a config", shown, largest_file));
    return text;
}

}  // namespace

ConfigLayer load_config(const std::string& name_or_path) {
    std::vector<std::string> names;
    for (const EmbeddedConfig& config : embedded_configs()) {
        if (config.name == name_or_path) return parse_config(config.text, config.name);
        names.push_back(config.name);
    }
    if (name_or_path.empty()) throw UsageError("--config: empty name");
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name_or_path, ignored)))
        throw UsageError(fmt::format(
            "--config: {} is no file, and no shipped config has that name{} "
            "(shipped: {})",
            in_quotes(name_or_path), did_you_mean(name_or_path, names), fmt::join(names, ", ")));
    return parse_config(read_file(name_or_path), printable(name_or_path));
}

}  // namespace attnroof
