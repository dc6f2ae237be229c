// attnroof(1), in man(7) macros.
#include <fmt/format.h>

#include "commands/shell_files.h"

namespace attnroof {
namespace {

/// Text as roff shows it unchanged, also at the start of a line.
std::string roff(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '\\') {
            out += "\\e";
            continue;
        }
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        if (c == '-') out += '\\';
        out += c;
    }
    return out;
}

std::string option_entry(const OptionHelp& option) {
    std::string names;
    for (const std::string& name : option.names)
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
    const std::string value = option.value.empty() ? "" : "\\fI" + roff(option.value) + "\\fR";
    return fmt::format(".TP\n{}{}{}\n{}\n", names, names.empty() || value.empty() ? "" : " ", value,
                       roff(option.text));
}

/// Lines as they stand: examples, lists.
std::string verbatim(const std::string& text) {
    return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

}  // namespace

std::string man_page(const CommandHelp& tool, const std::string& version) {
    std::string out = fmt::format(
        ".TH ATTNROOF 1 \"\" \"attnroof {}\" \"User Commands\"\n.SH NAME\nattnroof \\- roofline "
        "profiler for naive and fused attention\n.SH SYNOPSIS\n",
        roff(version));
    for (const CommandHelp& command : tool.commands)
        out += fmt::format(".B attnroof {}\n[\\fIOPTION\\fR...]\n.br\n", roff(command.name));
    out += fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n", roff(tool.text));
    for (const OptionHelp& option : tool.options) out += option_entry(option);
    for (const CommandHelp& command : tool.commands) {
        out += fmt::format(".SH COMMAND {}\n{}\n", roff(command.name), roff(command.text));
        for (const OptionHelp& option : command.options) out += option_entry(option);
        out += verbatim(command.footer);
    }
    out +=
        ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen set, no colour. None is used, either, where "
        "standard output is no terminal.\n.SH EXAMPLES AND EXIT STATUS\n";
    return out + verbatim(tool.footer);
}

}  // namespace attnroof
