// Completion scripts for bash, zsh and fish.
#include <fmt/format.h>

#include <algorithm>

#include "commands/shell_files.h"
#include "config/config.h"
#include "config/embedded.h"
#include "config/words.h"
#include "errors.h"

namespace attnroof {
namespace {

template <std::size_t n>
std::string joined(const std::array<const char*, n>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::string names_of(const std::vector<EmbeddedConfig>& shipped) {
    std::string names;
    for (const EmbeddedConfig& one : shipped) names += (names.empty() ? "" : " ") + one.name;
    return names;
}

/// The words an option takes, separated by spaces; empty where any text will do.
std::string words_of(const CommandHelp& command, const OptionHelp& option) {
    const auto is = [&](const char* name) {
        return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
    };
    if (is("--dtype")) return joined(dtype_names);
    if (is("--mask")) return joined(mask_names);
    if (is("--pass")) return joined(pass_names);
    if (is("--cache")) return joined(cache_mode_names);
    if (is("--levels")) return joined(level_names);
    if (is("--counters")) return joined(counter_mode_names);
    if (is("--device")) return command.name == "selftest" ? "cuda" : "auto cpu cuda";
    if (is("--device-spec")) return names_of(embedded_devices());
    if (is("--kernels")) return "naive fused";
    if (is("--annotations")) return "github";
    return is("--config") ? names_of(embedded_configs()) : "";
}

bool takes_file(const OptionHelp& option) { return option.value.find("FILE") != std::string::npos; }

std::string names_of(const CommandHelp& command) {
    std::string names;
    for (const CommandHelp& sub : command.commands) names += sub.name + " ";
    for (const OptionHelp& option : command.options)
        for (const std::string& name : option.names) names += name + " ";
    if (!names.empty()) names.pop_back();
    return names;
}

/// The cases of "the word before is this option of this command".
std::string bash_values(const CommandHelp& tool) {
    std::string cases;
    for (const CommandHelp& command : tool.commands)
        for (const OptionHelp& option : command.options) {
            if (option.value.empty() || option.names.empty()) continue;
            const std::string words = words_of(command, option);
            std::string places;
            for (const std::string& name : option.names)
                places += fmt::format("{}\"{} {}\"", places.empty() ? "" : "|", command.name, name);
            // Without words the shell's own completion takes over: files.
            if (!words.empty() || takes_file(option))
                cases += fmt::format(
                    "        {}) COMPREPLY=($(compgen {}-W \"{}\" -- \"$current\")); return ;;\n",
                    places, takes_file(option) ? "-f " : "", words);
            else
                cases += fmt::format("        {}) return ;;\n", places);
        }
    return cases;
}

std::string bash(const CommandHelp& tool) {
    std::string commands;
    for (const CommandHelp& command : tool.commands)
        commands += fmt::format("        {}) words=\"{}\" ;;\n", command.name, names_of(command));
    return fmt::format(R"(# bash completion of attnroof
_attnroof() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words
    COMPREPLY=()
    case "${{COMP_WORDS[1]}} $previous" in
{}    esac
    case ${{COMP_WORDS[1]}} in
{}        *) words="{}" ;;
    esac
    [[ $COMP_CWORD -gt 1 && $current != -* ]] && return
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o bashdefault -o default -F _attnroof attnroof
)",
                       bash_values(tool), commands, names_of(tool));
}

/// `text` with each of `special` behind a backslash, in single quotes for a shell.
std::string quoted(const std::string& text, const std::string& special, const char* quote) {
    std::string out = "'";
    for (char c : text) {
        if (c == '\'') {
            out += quote;
            continue;
        }
        if (special.find(c) != std::string::npos) out += '\\';
        out += c;
    }
    return out + "'";
}

std::string zsh_option(const CommandHelp& command, const OptionHelp& option) {
    if (option.names.empty()) return "'*:file:_files'";
    std::string text = "[" + option.text + "]";
    for (std::size_t at = 1; (at = text.find_first_of("[]:", at)) + 1 < text.size(); at += 2)
        text.insert(at, "\\");
    if (!option.value.empty()) {
        const std::string words = words_of(command, option);
        text += ":" + option.value + ":";
        if (takes_file(option))
            text += words.empty() ? "_files" : "{_files; compadd " + words + "}";
        else if (!words.empty())
            text += "(" + words + ")";
    }
    // Repeatable here: attnroof itself refuses what may stand only once.
    if (option.names.size() == 1) return quoted("*" + option.names[0] + text, "", "'\\''");
    return fmt::format("'*'{{{}}}{}", fmt::join(option.names, ","), quoted(text, "", "'\\''"));
}

std::string zsh(const CommandHelp& tool) {
    std::string names, cases;
    for (const CommandHelp& command : tool.commands) {
        names += "        " + quoted(command.name + ":" + command.text, "", "'\\''") + "\n";
        cases += fmt::format("        {})\n            _arguments", command.name);
        for (const OptionHelp& option : command.options)
            cases += " \\\n                " + zsh_option(command, option);
        cases += " ;;\n";
    }
    std::string options;
    for (const OptionHelp& option : tool.options) options += " " + zsh_option(tool, option);
    return fmt::format(R"(#compdef attnroof
_attnroof() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        _arguments{}
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{}    esac
}}
_attnroof "$@"
)",
                       names, options, cases);
}

std::string fish_option(const CommandHelp& command, const OptionHelp& option,
                        const std::string& when) {
    std::string line = "complete -c attnroof -n " + when;
    for (const std::string& name : option.names)
        line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    const std::string words = words_of(command, option);
    if (!option.value.empty()) line += takes_file(option) ? " -r -F" : " -x";
    if (!words.empty()) line += " -a " + quoted(words, "\\", "\\'");
    return line + " -d " + quoted(option.text, "\\", "\\'") + "\n";
}

std::string fish(const CommandHelp& tool) {
    const std::string first = "__fish_use_subcommand";
    std::string out = "# fish completion of attnroof\ncomplete -c attnroof -f\n";
    for (const OptionHelp& option : tool.options) out += fish_option(tool, option, first);
    for (const CommandHelp& command : tool.commands) {
        out += fmt::format("complete -c attnroof -n {} -a {} -d {}\n", first, command.name,
                           quoted(command.text, "\\", "\\'"));
        const std::string when = "'__fish_seen_subcommand_from " + command.name + "'";
        for (const OptionHelp& option : command.options)
            if (!option.names.empty())
                out += fish_option(command, option, when);
            else
                out += "complete -c attnroof -n " + when + " -F\n";
    }
    return out;
}

}  // namespace

std::string completion(const CommandHelp& tool, const std::string& shell) {
    if (shell == "bash") return bash(tool);
    if (shell == "zsh") return zsh(tool);
    if (shell == "fish") return fish(tool);
    throw UsageError(fmt::format("completion: {} {} (known: bash, zsh, fish)",
                                 shell.empty() ? "which shell?" : "unknown shell",
                                 shell.empty() ? "" : in_quotes(shell)));
}

}  // namespace attnroof
