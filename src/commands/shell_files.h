// Completions and the man page, made from the options themselves so that they cannot lag behind.
#pragma once

#include <string>
#include <vector>

namespace attnroof {

struct OptionHelp {
    std::vector<std::string> names;  // "-N", "--seq-len"; empty: an argument without a name
    std::string value;               // "SIZES"; empty: a flag
    std::string text;
};

struct CommandHelp {
    std::string name, text;
    std::string footer;  // what follows the options in --help: examples
    std::vector<OptionHelp> options;
    std::vector<CommandHelp> commands;
};

/// A completion script for `shell`: bash, zsh or fish. Throws UsageError for another.
std::string completion(const CommandHelp& tool, const std::string& shell);

/// The page attnroof(1) in man(7) macros.
std::string man_page(const CommandHelp& tool, const std::string& version);

}  // namespace attnroof
