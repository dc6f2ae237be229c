#include "report/facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/chrono.h>

#include "version.h"

namespace attnroof {
namespace {

/// The value of the first line of a file that starts with `key`, without quotes.
std::string value_in(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        std::string value = line.substr(line.find_first_of("=:") + 1);
        std::erase(value, '"');
        return value.substr(std::min(value.find_first_not_of(" \t"), value.size()));
    }
    return "";
}

}  // namespace

ToolFacts tool_facts() {
    ToolFacts facts;
    facts.version = build::version;
    facts.git_sha = build::git_sha;
    facts.git_dirty = build::git_dirty;
    facts.cuda = build::nvcc;
    facts.compiler = build::compiler;
    return facts;
}

std::map<std::string, std::string> host_facts() {
    utsname names{};
    uname(&names);
    return {{"name", names.nodename},
            {"os", value_in("/etc/os-release", "PRETTY_NAME")},
            {"kernel", std::string(names.sysname) + " " + names.release},
            {"cpu", value_in("/proc/cpuinfo", "model name")},
            {"cores", std::to_string(std::thread::hardware_concurrency())}};
}

std::string utc_now() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace attnroof
