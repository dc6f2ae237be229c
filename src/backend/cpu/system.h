// What the operating system says about this machine: /proc and /sys, read as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_facts.h"

namespace attnroof::cpu {

/// First line of a file, without the newline; nothing when it cannot be read.
std::optional<std::string> first_line(const std::filesystem::path& path);

/// A whole number with an optional suffix K, M or G (powers of 1024), as in "32768K".
std::optional<std::int64_t> parse_size(std::string_view text);

/// CPU numbers of a list such as "0-3,8"; empty for one that is malformed.
std::vector<int> parse_cpu_list(std::string_view text);

/// Value after the colon in the first line of a "key : value" file that starts with `key`.
std::optional<std::string> value_of(const std::filesystem::path& path, std::string_view key);

/// Name, cores in use, instruction set, cache and memory of this machine.
DeviceFacts read_facts();

/// Bytes that can be allocated without swapping or being killed: MemAvailable, or what is left of
/// the control group's limit where that is less, minus a tenth.
std::int64_t available_memory();

/// Mean clock of the allowed CPUs, where cpufreq tells; the rest is unknown on a CPU.
ClockReading read_clocks();

/// True when the CPU says that it runs under a hypervisor.
bool is_virtual_machine();

}  // namespace attnroof::cpu
