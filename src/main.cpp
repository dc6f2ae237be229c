// attnroof: parse, dispatch, one catch, exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "commands/command.h"
#include "commands/terminal.h"
#include "config/words.h"
#include "errors.h"

namespace {

int report_error(const std::string& what, attnroof::ExitCode code) {
    attnroof::note("{}", attnroof::printable(what));
    return static_cast<int>(code);
}

int run(int argc, char** argv) {
    try {
        return attnroof::run_command_line(argc, argv);
    } catch (const attnroof::Error& error) {
        return report_error(error.what(), error.code());
    } catch (const std::system_error& error) {
        // The reader of standard output has seen enough.
        if (error.code() == std::errc::broken_pipe)
            return static_cast<int>(attnroof::ExitCode::failed);
        return report_error(error.what(), attnroof::ExitCode::failed);
    } catch (const std::exception& error) {
        return report_error(error.what(), attnroof::ExitCode::failed);
    }
}

}  // namespace

int main(int argc, char** argv) {
    // `| head` ends no command: outputs are still written and the exit code is the verdict's. What
    // a command prints fits in the buffer, so that a closed pipe shows only in the flush below.
    std::signal(SIGPIPE, SIG_IGN);
    static std::array<char, 4 << 20> buffer;
    if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 && errno != EPIPE)
        return report_error(fmt::format("cannot write standard output: {}", std::strerror(errno)),
                            attnroof::ExitCode::usage);
    return code;
}
