#include "backend/cpu/dram_events.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "backend/cpu/system.h"

namespace attnroof::cpu {
namespace {

namespace fs = std::filesystem;

/// An event whose encoding `terms` ("event=0x04,umask=0x03") gives, through the PMU's formats.
std::optional<std::uint64_t> encode_event(const fs::path& device, const std::string& terms) {
    std::uint64_t config = 0;
    for (std::size_t at = 0; at < terms.size();) {
        const std::size_t end = std::min(terms.find(',', at), terms.size());
        const std::string term = terms.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = term.find('=');
        const auto format = first_line(device / "format" / term.substr(0, equals));
        if (!format || !format->starts_with("config:")) return std::nullopt;
        const std::uint64_t value =
            equals == std::string::npos ? 1 : std::strtoull(term.c_str() + equals + 1, nullptr, 0);
        config |= encode_field(*format, value);
    }
    return config;
}

/// Bytes of one count: the kernel's scale file holds MiB, without one it is a cache line.
double bytes_of_event(const fs::path& device, const std::string& name) {
    const auto scale = first_line(device / "events" / (name + ".scale"));
    if (!scale) return 64;
    const bool mebibytes = first_line(device / "events" / (name + ".unit")) == "MiB";
    return std::strtod(scale->c_str(), nullptr) * (mebibytes ? 1 << 20 : 1);
}

struct KnownEvent {
    const char* pmu;    // the device's name starts with this
    const char* name;   // a file in its folder `events`, or just our name for `terms`
    const char* terms;  // null: the file has them
    Counter counter;
};

constexpr std::array known_events{
    KnownEvent{"uncore_imc", "cas_count_read", nullptr, Counter::hbm_read_bytes},
    KnownEvent{"uncore_imc", "cas_count_write", nullptr, Counter::hbm_write_bytes},
    KnownEvent{"uncore_imc", "cas_count_read_sch0", nullptr, Counter::hbm_read_bytes},
    KnownEvent{"uncore_imc", "cas_count_read_sch1", nullptr, Counter::hbm_read_bytes},
    KnownEvent{"uncore_imc", "cas_count_write_sch0", nullptr, Counter::hbm_write_bytes},
    KnownEvent{"uncore_imc", "cas_count_write_sch1", nullptr, Counter::hbm_write_bytes},
    KnownEvent{"uncore_imc", "data_reads", nullptr, Counter::hbm_read_bytes},  // client chips
    KnownEvent{"uncore_imc", "data_writes", nullptr, Counter::hbm_write_bytes},
    KnownEvent{"uncore_imc", "data_read", nullptr, Counter::hbm_read_bytes},
    KnownEvent{"uncore_imc", "data_write", nullptr, Counter::hbm_write_bytes},
    KnownEvent{"amd_umc", "umc_cas_cmd.rd", "event=0x0a,rdwrmask=0x1", Counter::hbm_read_bytes},
    KnownEvent{"amd_umc", "umc_cas_cmd.wr", "event=0x0a,rdwrmask=0x2", Counter::hbm_write_bytes},
};

void add_events(const fs::path& device, const KnownEvent& known, std::vector<DramEvent>& events) {
    const std::string pmu = device.filename();
    if (!pmu.starts_with(known.pmu)) return;
    const auto terms = known.terms ? known.terms : first_line(device / "events" / known.name);
    const auto type = parse_size(first_line(device / "type").value_or(""));
    if (!terms || !type) return;
    const auto config = encode_event(device, *terms);
    if (!config) return;
    // One CPU a socket.
    for (const int cpu : parse_cpu_list(first_line(device / "cpumask").value_or("0")))
        events.push_back({known.counter, pmu + "/" + known.name, static_cast<std::uint32_t>(*type),
                          *config, cpu, bytes_of_event(device, known.name)});
}

}  // namespace

std::uint64_t encode_field(const std::string& format, std::uint64_t value) {
    constexpr std::string_view word = "config:";
    if (!format.starts_with(word)) return 0;
    std::uint64_t config = 0;
    for (const int bit : parse_cpu_list(std::string_view(format).substr(word.size()))) {
        config |= (value & 1) << bit;
        value >>= 1;
    }
    return config;
}

std::vector<DramEvent> find_dram_events(const fs::path& devices) {
    std::vector<DramEvent> events;
    std::error_code none;
    for (const fs::directory_entry& device : fs::directory_iterator(devices, none))
        for (const KnownEvent& known : known_events) add_events(device.path(), known, events);
    return events;
}

}  // namespace attnroof::cpu
