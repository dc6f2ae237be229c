// Which events of which memory controllers count bytes through DRAM, as sysfs describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/counters.h"

namespace attnroof::cpu {

/// One event of one memory controller, as perf_event_open wants it.
struct DramEvent {
    Counter counter = Counter::hbm_read_bytes;
    std::string metric;  // "uncore_imc_0/cas_count_read"
    std::uint32_t type = 0;
    std::uint64_t config = 0;
    int cpu = 0;       // a CPU of the controller's socket
    double bytes = 0;  // of one count
};

/// The events found under `devices`, normally /sys/bus/event_source/devices: Intel's uncore_imc
/// with the names that the kernel gives, AMD's amd_umc with the CAS events of its manual.
std::vector<DramEvent> find_dram_events(const std::filesystem::path& devices);

/// Puts `value` into the bits that a format such as "config:0-7,21" names, low bits first.
/// Returns 0 for another word than config.
std::uint64_t encode_field(const std::string& format, std::uint64_t value);

}  // namespace attnroof::cpu
