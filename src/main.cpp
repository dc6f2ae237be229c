// attnroof: parse, dispatch, one catch, exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "commands/command.h"
#include "config/words.h"
#include "errors.h"

namespace {

int report_error(const char* what, attnroof::ExitCode code) {
    fmt::print(stderr, "attnroof: {}\n", attnroof::printable(what));
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
