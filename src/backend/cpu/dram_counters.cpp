#include "backend/cpu/dram_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "backend/count_groups.h"
#include "backend/cpu/system.h"

namespace attnroof::cpu {
namespace {

constexpr const char* devices_root = "/sys/bus/event_source/devices";

class EventFile {
  public:
    explicit EventFile(const DramEvent& event) {
        perf_event_attr attributes{};
        attributes.size = sizeof(attributes);
        attributes.type = event.type;
        attributes.config = event.config;
        attributes.disabled = 1;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fd_ = static_cast<int>(
            syscall(SYS_perf_event_open, &attributes, -1, event.cpu, -1, PERF_FLAG_FD_CLOEXEC));
        error_ = fd_ < 0 ? errno : 0;
    }
    EventFile(EventFile&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), error_(other.error_) {}
    EventFile& operator=(EventFile&&) = delete;
    ~EventFile() {
        if (fd_ >= 0) close(fd_);
    }

    int error() const { return error_; }
    void start() const {
        ioctl(fd_, PERF_EVENT_IOC_RESET, 0);
        ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
    }
    void stop() const { ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0); }

    /// Counts since start, scaled up when the event shared its counter; nothing when it never ran.
    std::optional<double> counts() const {
        struct {
            std::uint64_t value, enabled, running;
        } reading{};
        if (read(fd_, &reading, sizeof(reading)) != sizeof(reading) || reading.running == 0)
            return std::nullopt;
        return static_cast<double>(reading.value) * static_cast<double>(reading.enabled) /
               static_cast<double>(reading.running);
    }

  private:
    int fd_ = -1;
    int error_ = 0;
};

struct Gate {
    std::string closed, remedy;
};

Gate no_controller() {
    const std::string gate = fmt::format("no memory-controller PMU under {}", devices_root);
    if (is_virtual_machine())
        return {gate + ": this is a virtual machine, and its hypervisor passes none through",
                "run on the bare machine"};
    return {gate, "load the module intel_uncore or amd_uncore (Zen 4 and Linux 6.8 or later)"};
}

Gate refused(int error) {
    if (error != EACCES && error != EPERM)
        return {fmt::format("perf_event_open: {}", std::strerror(error)),
                "use a kernel with CONFIG_PERF_EVENTS and the uncore driver of this CPU"};
    const std::string level =
        first_line("/proc/sys/kernel/perf_event_paranoid").value_or("unknown");
    return {fmt::format("perf_event_open: {} (kernel.perf_event_paranoid is {}; machine-wide "
                        "counters need 0 or less, or CAP_PERFMON)",
                        std::strerror(error), level),
            "sudo sysctl kernel.perf_event_paranoid=0; in a container also --cap-add PERFMON and a "
            "seccomp profile that lets perf_event_open through"};
}

/// Opens every event, or says why that cannot be.
std::vector<EventFile> open_events(const std::vector<DramEvent>& events, Gate& gate) {
    std::vector<EventFile> files;
    if (events.empty()) gate = no_controller();
    for (const DramEvent& event : events) {
        files.emplace_back(event);
        if (const int error = files.back().error()) {
            gate = refused(error);
            return {};
        }
    }
    return files;
}

CounterSet read_set(const std::vector<DramEvent>& events, const std::vector<EventFile>& files) {
    CounterSet set;
    for (const CounterInfo& info : counter_table())
        set[info.counter] = {std::nullopt, "", "a CPU's memory controllers count bytes alone"};
    for (std::size_t i = 0; i < events.size(); ++i) {
        CounterValue& sum = set[events[i].counter];
        const std::optional<double> counts = files[i].counts();
        const bool first = sum.metric.empty();
        sum.metric = first ? events[i].metric : sum.metric + " + " + events[i].metric;
        if (!counts) {
            sum.value.reset();
            sum.reason = events[i].metric + " was never scheduled on its counter";
        } else if (first) {
            sum = {*counts * events[i].bytes, sum.metric, ""};
        } else if (sum.value) {
            *sum.value += *counts * events[i].bytes;
        }
    }
    return set;
}

}  // namespace

DramCounters::DramCounters(std::string chip)
    : chip_(std::move(chip)), events_(find_dram_events(devices_root)) {}

CounterPlan DramCounters::plan() const {
    Gate gate;
    open_events(events_, gate);
    CounterPlan plan;
    plan.chip = chip_;
    plan.passes = gate.closed.empty() ? 1 : 0;
    plan.closed_gate = gate.closed;
    plan.remedy = gate.remedy;
    return plan;
}

CountOutcome DramCounters::count(const std::vector<CountJob>& jobs) const {
    return count_by_group(jobs, [&](CounterGroup group, const std::vector<CountJob>& chosen) {
        if (group == CounterGroup::traffic) return count_bytes(chosen);
        CountOutcome none;  // for the one reason, without running anything
        none.sets.assign(chosen.size(), read_set({}, {}));
        return none;
    });
}

CountOutcome DramCounters::count_bytes(const std::vector<CountJob>& jobs) const {
    CountOutcome outcome;
    Gate gate;
    const std::vector<EventFile> files = open_events(events_, gate);
    outcome.closed_gate = gate.closed;
    outcome.remedy = gate.remedy;
    if (!gate.closed.empty()) return outcome;
    outcome.passes = 1;
    for (const CountJob& job : jobs) {
        job.prepare();
        for (const EventFile& file : files) file.start();
        job.body();
        for (const EventFile& file : files) file.stop();
        if (job.after) job.after();
        outcome.sets.push_back(read_set(events_, files));
    }
    return outcome;
}

}  // namespace attnroof::cpu
