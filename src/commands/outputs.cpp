#include "commands/outputs.h"

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <ctime>

#include "commands/terminal.h"
#include "report/atomic_file.h"

namespace attnroof {
namespace {

/// "2026-11-30 02:27", the machine's own time.
std::string minute(std::time_t time) {
    std::tm local{};
    char text[32] = "";
    if (localtime_r(&time, &local)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

std::string listed(const std::vector<std::string>& paths) {
    return printable(fmt::format("{}", fmt::join(paths, ", ")));
}

}  // namespace

void note_replaced(const std::vector<std::string>& outputs) {
    std::vector<std::string> there;
    std::time_t last = 0;
    for (const std::string& path : outputs) {
        struct stat file {};
        if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
        there.push_back(path);
        last = std::max(last, file.st_mtime);
    }
    if (!there.empty()) note("replaces {}, last written {}", listed(there), minute(last));
}

void note_written(std::vector<std::string> outputs) {
    std::erase_if(outputs, is_stream);
    if (outputs.empty()) return;
    const bool relative = std::none_of(outputs.begin(), outputs.end(), [](const std::string& path) {
        return path.starts_with('/');
    });
    std::error_code unknown;
    const std::string folder = std::filesystem::current_path(unknown).string();
    const bool known = relative && !unknown;
    note("wrote {}{}", listed(outputs), known ? " in " + printable(folder) : "");
}

}  // namespace attnroof
