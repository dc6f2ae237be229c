#include "report/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "errors.h"
#include "report/atomic_file.h"

namespace attnroof {
namespace {

std::string to_text(const Report& report) { return to_table(report, false, 0); }

std::string known_extensions() {
    std::string known;
    for (const Format& format : formats())
        known += (known.empty() ? "." : ", .") + format.extension;
    return known;
}

}  // namespace

std::string lower_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

const std::vector<Format>& formats() {
    static const std::vector<Format> rows{
        {"json", to_json}, {"csv", to_csv},     {"svg", to_svg},
        {"html", to_html}, {"md", to_markdown}, {"txt", to_text},
    };
    return rows;
}

const Format& format_of(const std::string& path) {
    const std::string extension = lower_extension(path);
    if (extension.empty() && is_stream(path)) return formats().front();
    for (const Format& format : formats())
        if (format.extension == extension) return format;
    throw UsageError(fmt::format(
        "{}: {}; known: {}", path,
        extension.empty() ? "no extension names the format" : "unknown extension ." + extension,
        known_extensions()));
}

void write_report(const Report& report, const std::string& path) {
    write_file(path, format_of(path).render(report));
}

}  // namespace attnroof
