// Where a config comes from: a shipped one by name, or a file.
#include <fmt/format.h>

#include <filesystem>

#include "config/embedded.h"
#include "config/parse.h"
#include "config/read_file.h"
#include "config/words.h"
#include "errors.h"

namespace attnroof {
namespace {

constexpr std::size_t largest_file = 1 << 20;

}  // namespace

ConfigLayer load_config(const std::string& name_or_path) {
    std::vector<std::string> names;
    for (const EmbeddedConfig& config : embedded_configs()) {
        if (same_word(config.name, name_or_path)) return parse_config(config.text, config.name);
        names.push_back(config.name);
    }
    if (name_or_path.empty()) throw UsageError("--config: empty name");
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name_or_path, ignored)))
        throw UsageError(fmt::format(
            "--config: {} is no file, and no shipped config has that name{} "
            "(shipped: {})",
            in_quotes(name_or_path), did_you_mean(name_or_path, names), fmt::join(names, ", ")));
    return parse_config(read_file(name_or_path, "a config", largest_file), printable(name_or_path));
}

}  // namespace attnroof
