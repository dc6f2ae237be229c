#include "config/read_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "config/words.h"
#include "errors.h"

namespace attnroof {

std::string read_file(const std::string& path, const char* what, std::size_t largest) {
    const std::string shown = printable(path);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UsageError(fmt::format("{}: is a directory, not {}", shown, what));
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    const auto unreadable = [&] {
        return UsageError(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
    };
    if (!file) throw unreadable();
    std::string text;
    std::array<char, 1 << 16> part;
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
        text.append(part.data(), count);
        if (text.size() > largest)
            throw UsageError(
                fmt::format("{}: is larger than {} bytes: not {}", shown, largest, what));
    }
    if (std::ferror(file.get()) != 0) throw unreadable();
    return text;
}

}  // namespace attnroof
