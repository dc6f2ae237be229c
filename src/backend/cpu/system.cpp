#include "backend/cpu/system.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <set>

#include "kernels/cpu/drivers.h"
#include "kernels/cpu/threads.h"

namespace attnroof::cpu {
namespace {

namespace fs = std::filesystem;

const fs::path cpus_root = "/sys/devices/system/cpu";

fs::path cpu_folder(int cpu) { return cpus_root / ("cpu" + std::to_string(cpu)); }

std::optional<std::int64_t> size_in(const fs::path& path) {
    const std::optional<std::string> line = first_line(path);
    return line ? parse_size(*line) : std::nullopt;
}

/// "MemTotal:  24683652 kB" of /proc/meminfo, in bytes.
std::optional<std::int64_t> memory_field(std::string_view key) {
    const std::optional<std::string> text = value_of("/proc/meminfo", key);
    if (!text) return std::nullopt;
    const std::optional<std::int64_t> kilobytes =
        parse_size(std::string_view(*text).substr(0, text->find(' ')));
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

/// The kernel's own word, for a machine (a bare root) without /proc: free memory, which leaves out
/// what caches would give back.
struct Memory {
    std::int64_t total = 0, free = 0;
};
Memory memory_without_proc() {
    struct sysinfo info {};
    if (::sysinfo(&info) != 0) return {};
    const auto unit = static_cast<std::int64_t>(info.mem_unit);
    return {static_cast<std::int64_t>(info.totalram) * unit,
            static_cast<std::int64_t>(info.freeram + info.bufferram) * unit};
}

/// Bytes of the outermost data cache: every instance that an allowed CPU reaches, added up.
std::int64_t last_level_cache_bytes() {
    std::int64_t total = 0, deepest = 0;
    std::set<std::string> seen;
    for (const int cpu : allowed_cpus())
        for (int index = 0;; ++index) {
            const fs::path cache = cpu_folder(cpu) / "cache" / ("index" + std::to_string(index));
            const std::optional<std::int64_t> level = size_in(cache / "level");
            if (!level) break;
            if (first_line(cache / "type") == "Instruction" || *level < deepest) continue;
            if (*level > deepest) {
                deepest = *level;
                total = 0;
                seen.clear();
            }
            if (!seen.insert(first_line(cache / "shared_cpu_list").value_or("")).second) continue;
            total += size_in(cache / "size").value_or(0);
        }
    return total;
}

/// What is left to this process's control group and each group above it, in versions 1 and 2.
std::int64_t control_group_room() {
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/path" (version 2) or "8:memory:/path" (version 1)
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && controllers != "memory") continue;
        const bool v2 = controllers.empty();
        const fs::path root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (fs::path group = line.substr(second + 1);; group = group.parent_path()) {
            const fs::path folder = root / group.relative_path();
            const auto limit = size_in(folder / (v2 ? "memory.max" : "memory.limit_in_bytes"));
            const auto used = size_in(folder / (v2 ? "memory.current" : "memory.usage_in_bytes"));
            if (limit && used) room = std::min(room, std::max<std::int64_t>(0, *limit - *used));
            if (!group.has_relative_path()) break;
        }
    }
    return room;
}

std::string machine_name() {
    if (auto name = value_of("/proc/cpuinfo", "model name")) return *name;
    utsname names{};
    return uname(&names) == 0 ? std::string(names.machine) + " CPU" : "CPU";
}

}  // namespace

std::optional<std::string> first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    return line;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (suffix.empty()) return value;
    const std::size_t power = std::string_view("KMG").find(suffix);
    if (power == std::string_view::npos) return std::nullopt;
    return value << (10 * (power + 1));
}

std::vector<int> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const std::size_t dash = part.find('-');
        const auto first = parse_size(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_size(part.substr(dash + 1));
        if (!first || !last) return {};
        for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

std::optional<std::string> value_of(const fs::path& path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (!line.starts_with(key) || colon == std::string::npos) continue;
        const std::size_t start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return std::nullopt;
}

DeviceFacts read_facts() {
    DeviceFacts facts;
    facts.kind = DeviceKind::cpu;
    facts.name = machine_name();
    facts.chip = best_isa().name;
    facts.sm_count = worker_count();
    facts.cache_bytes = last_level_cache_bytes();
    facts.memory_bytes = memory_field("MemTotal").value_or(memory_without_proc().total);
    if (const auto khz = size_in(cpu_folder(0) / "cpufreq/cpuinfo_max_freq"))
        facts.sm_clock_max_mhz = static_cast<double>(*khz) / 1e3;
    return facts;
}

std::int64_t available_memory() {
    const std::int64_t free = memory_field("MemAvailable").value_or(memory_without_proc().free);
    return std::min(free, control_group_room()) / 10 * 9;
}

ClockReading read_clocks() {
    double sum_khz = 0;
    int read = 0;
    for (const int cpu : allowed_cpus())
        if (const auto khz = size_in(cpu_folder(cpu) / "cpufreq/scaling_cur_freq")) {
            sum_khz += static_cast<double>(*khz);
            ++read;
        }
    ClockReading clocks;
    if (read > 0) clocks.sm_clock_mhz = sum_khz / read / 1e3;
    return clocks;
}

bool is_virtual_machine() {
    const std::string flags = value_of("/proc/cpuinfo", "flags").value_or("");
    return (" " + flags + " ").find(" hypervisor ") != std::string::npos;
}

}  // namespace attnroof::cpu
