// attnroof: parse, dispatch, one catch, exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "commands/command.h"
#include "errors.h"

namespace {

/// One line whatever the text holds: file names and values come from the user.
std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
}

int report_error(const char* what, attnroof::ExitCode code) {
    fmt::print(stderr, "attnroof: {}\n", one_line(what));
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return attnroof::run_command_line(argc, argv);
    } catch (const attnroof::Error& error) {
        return report_error(error.what(), error.code());
    } catch (const std::exception& error) {
        return report_error(error.what(), attnroof::ExitCode::failed);
    }
}
