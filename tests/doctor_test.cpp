// Every state of a machine that doctor tells apart, made up.
#include "doctor/doctor.h"

#include <algorithm>
#include <map>

#include "catch.h"

using namespace attnroof;

namespace {

struct Machine {
    GpuInspection gpu = healthy();
    CounterPlan cpu;
    std::map<std::string, std::string> files{
        {"/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n"},
        {"/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n"},
        {"/proc/version", "Linux version 6.8.0"},
        {"/proc/1/cgroup", "0::/init.scope\n"}};
    std::map<std::string, std::string> environment;

    static GpuInspection healthy() {
        GpuInspection gpu;
        gpu.built = true;
        gpu.driver_cuda = 13000;
        gpu.runtime_cuda = 13000;
        gpu.device.kind = DeviceKind::cuda;
        gpu.device.name = "NVIDIA H200";
        gpu.device.chip = "GH100";
        gpu.device.compute_capability = 90;
        gpu.device.driver = "580.159.04";
        gpu.device.mig = false;
        gpu.device.ecc = true;
        gpu.device.power_limit_w = 700;
        gpu.device.sm_clock_max_mhz = 1980;
        gpu.nvml = true;
        gpu.virtualization = "none";
        gpu.confidential_compute = false;
        gpu.other_processes = 0;
        gpu.power_limit_default_w = 700;
        gpu.busy.sm_clock_mhz = 1500;
        gpu.busy.throttle_reasons = 0x2;
        gpu.cupti = "CUPTI 13.0.1 (/usr/local/cuda/lib64/libcupti.so.13)";
        gpu.counter_passes = 4;
        return gpu;
    }

    std::vector<Diagnosis> lines() const {
        const auto look = [](const std::map<std::string, std::string>& in, const std::string& key) {
            const auto found = in.find(key);
            return found == in.end() ? std::nullopt : std::optional(found->second);
        };
        return diagnose(
            gpu, cpu,
            {.file = [&](const std::string& path) { return look(files, path); },
             .environment = [&](const std::string& name) { return look(environment, name); }});
    }
    Diagnosis line(const std::string& id) const {
        const std::vector<Diagnosis> all = lines();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const Diagnosis& line) { return line.id == id; });
        REQUIRE(found != all.end());
        return *found;
    }
    /// Closed or a warning, with a remedy that holds `remedy`.
    void expect(const std::string& id, Health health, const std::string& text,
                const std::string& remedy = "") const {
        const Diagnosis found = line(id);
        INFO(found.text << " -> " << found.remedy);
        CHECK(found.id + ' ' + name(found.health) == id + ' ' + name(health));
        CHECK(found.text.find(text) != std::string::npos);
        CHECK(found.remedy.find(remedy) != std::string::npos);
        if (health == Health::closed) CHECK_FALSE(counters_can_work(lines()));
    }
};

}  // namespace

TEST_CASE("a healthy machine has no line but ok", "[doctor]") {
    const Machine machine;
    for (const Diagnosis& line : machine.lines()) {
        INFO(line.id << ": " << line.text);
        CHECK(line.health == Health::ok);
        CHECK(line.remedy.empty());
    }
    CHECK(counters_can_work(machine.lines()));
    CHECK(machine.lines().size() == 19);
}

TEST_CASE("a machine without a GPU says so line by line", "[doctor]") {
    Machine machine;
    machine.gpu = {};
    machine.gpu.built = true;
    machine.gpu.runtime_cuda = 13000;
    machine.gpu.device_fault = "no CUDA driver was found (libcuda.so.1)";
    machine.gpu.counters_fault = machine.gpu.device_fault;
    machine.gpu.cupti_fault = "libcupti.so.13 was not found";
    machine.gpu.cupti_remedy = "install CUPTI 13";
    machine.files.clear();
    machine.expect("driver", Health::closed, "no CUDA driver", "install the NVIDIA driver");
    machine.expect("cuda", Health::warning, "not known");
    machine.expect("device", Health::closed, "no CUDA driver", "install the NVIDIA driver");
    machine.expect("nvml", Health::warning, "NVML does not answer", "libnvidia-ml.so.1");
    machine.expect("cupti", Health::closed, "was not found", "install CUPTI 13");
    machine.expect("permission", Health::warning, "not known");
    machine.expect("capability", Health::warning, "not known");
    machine.expect("counters", Health::closed, "no range can be counted");
}

TEST_CASE("a build without CUDA says so", "[doctor]") {
    Machine machine;
    machine.gpu = {};
    machine.gpu.device_fault = machine.gpu.counters_fault = "this build has no CUDA backend";
    machine.expect("driver", Health::closed, "no CUDA backend", "build again");
    machine.expect("device", Health::closed, "no CUDA backend", "build again");
}

TEST_CASE("driver and device faults", "[doctor]") {
    Machine machine;
    machine.gpu.driver_cuda = 12080;
    machine.expect("cuda", Health::closed, "CUDA 12.8", "update the driver");
    machine.gpu.driver_cuda = 13010;
    machine.expect("cuda", Health::ok, "CUDA 13.1");
    machine.gpu.device_fault = "Tesla T4 has compute capability 7.5, 8.0 is needed";
    machine.expect("device", Health::closed, "7.5", "compute capability 8.0 or newer");
}

TEST_CASE("the driver's flag and the capabilities decide together", "[doctor]") {
    Machine machine;
    machine.files["/proc/driver/nvidia/params"] = "Mobile: 4294967295\nRmProfilingAdminOnly: 1\n";
    machine.expect("permission", Health::closed, "administrators only",
                   "NVreg_RestrictProfilingToAdminUsers=0");
    machine.expect("capability", Health::closed, "neither", "--cap-add=SYS_ADMIN");
    for (const char* capabilities :
         {"CapEff:\t0000000000200000\n", "CapEff:\t0000004000000000\n"}) {
        machine.files["/proc/self/status"] = capabilities;
        machine.expect("permission", Health::ok, "administrators only");
        machine.expect("capability", Health::ok, "this process has CAP_");
    }
}

TEST_CASE("CUPTI, another profiler, and a range that is refused all the same", "[doctor]") {
    Machine machine;
    machine.environment["CUDA_INJECTION64_PATH"] = "/opt/nsight/libinject.so";
    machine.expect("profiler", Health::warning, "CUDA_INJECTION64_PATH is set", "run without ncu");
    machine.gpu.counters_fault = "another profiler is attached (CUPTI_ERROR_MULTIPLE_...)";
    machine.gpu.counters_remedy = "run without it";
    machine.expect("profiler", Health::closed, "another profiler is attached", "run without ncu");
    machine.expect("counters", Health::closed, "another profiler is attached", "run without it");
    machine.gpu.cupti.clear();
    machine.gpu.cupti_fault = "libcupti.so.12 is CUPTI API version 24 (CUDA 12 or older)";
    machine.gpu.cupti_remedy = "install CUPTI 13";
    machine.expect("cupti", Health::closed, "CUDA 12", "install CUPTI 13");
}

TEST_CASE("containers and sandboxes", "[doctor]") {
    Machine machine;
    machine.files["/.dockerenv"] = "";
    machine.expect("container", Health::ok, "docker");
    machine.gpu.counters_fault = "the driver refuses performance counters to this user";
    machine.expect("container", Health::warning, "docker", "--cap-add=SYS_ADMIN");
    machine.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    machine.expect("container", Health::warning, "kubernetes");
    machine.files["/proc/version"] = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016";
    machine.expect("container", Health::warning, "gVisor", "run outside of it");
}

TEST_CASE("a container is to be started with what it lacks, no more", "[doctor]") {
    Machine machine;
    machine.files["/.dockerenv"] = "";
    machine.gpu.counters_fault = "refused (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)";
    machine.gpu.counters_remedy = "run with CAP_SYS_ADMIN";
    const auto remedy = [&] { return machine.line("container").remedy; };
    CHECK(remedy() == "start it with --cap-add=SYS_ADMIN");
    CHECK(machine.line("counters").remedy == "run with CAP_SYS_ADMIN");
    machine.files["/proc/self/status"] = "CapEff:\t0000000000200000\n";
    machine.expect("container", Health::ok, "that has the GPU and the capability");
    for (const Diagnosis& line : machine.lines()) {
        INFO(line.id << ": " << line.remedy);
        CHECK(line.remedy.find("SYS_ADMIN") == std::string::npos);
    }
    machine.gpu.device = {};
    CHECK(remedy() == "start it with the GPU (docker run --gpus all ...)");
    machine.files.erase("/proc/self/status");
    CHECK(remedy() == "start it with the GPU (docker run --gpus all ...) and --cap-add=SYS_ADMIN");
}

TEST_CASE("WSL, MIG, virtual GPUs, confidential computing", "[doctor]") {
    Machine machine;
    machine.gpu.device.mig = true;
    machine.expect("mig", Health::warning, "MIG is on", "nvidia-smi -mig 0");
    machine.gpu.confidential_compute = true;
    machine.expect("confidential", Health::closed, "confidential computing is on", "devtools");
    machine.gpu.virtualization = "vGPU";
    machine.files["/proc/version"] = "Linux version 5.15.167.4-microsoft-standard-WSL2";
    machine.expect("vgpu", Health::ok, "profiling enabled");
    machine.expect("wsl", Health::ok, "counters allowed");
    machine.gpu.counters_fault = "refused";
    machine.expect("vgpu", Health::warning, "virtual GPU", "vGPU profiling");
    machine.expect("wsl", Health::warning, "under WSL", "Windows driver");
}

TEST_CASE("clocks, power, ECC and company", "[doctor]") {
    Machine machine;
    machine.expect("clocks", Health::ok, "locked by a user: 1500 of 1980 MHz");
    machine.gpu.busy.throttle_reasons = 0;
    machine.expect("clocks", Health::ok, "locked by a user");
    machine.gpu.busy.sm_clock_mhz = 1980;
    machine.expect("clocks", Health::warning, "not locked", "nvidia-smi -lgc");
    machine.gpu.busy.throttle_reasons = 0x4;  // the power cap, at full speed
    machine.expect("clocks", Health::warning, "not locked", "nvidia-smi -lgc");
    machine.gpu.busy.throttle_reasons = 0x40;
    machine.expect("clocks", Health::warning, "held down by power or heat", "cool down");
    machine.gpu.device.power_limit_w = 500;
    machine.expect("power", Health::warning, "capped at 500 W, 700 W", "nvidia-smi -pl 700");
    machine.gpu.other_processes = 2;
    machine.expect("processes", Health::warning, "2 other processes", "stop them");
    machine.gpu.device.ecc = false;
    machine.expect("ecc", Health::ok, "ECC is off");
    CHECK(counters_can_work(machine.lines()));
}

TEST_CASE("what NVML will not say is a warning, not a guess", "[doctor]") {
    Machine machine;
    machine.gpu.nvml = false;
    machine.gpu.device.mig.reset();
    machine.gpu.virtualization.clear();
    machine.gpu.other_processes.reset();
    machine.gpu.device.power_limit_w.reset();
    machine.gpu.busy = {};
    for (const char* id : {"nvml", "mig", "vgpu", "processes", "power", "clocks"})
        CHECK(machine.line(id).health == Health::warning);
    CHECK(counters_can_work(machine.lines()));
}

TEST_CASE("the CPU's counters have a line of their own and close nothing", "[doctor]") {
    Machine machine;
    machine.cpu.closed_gate = "no memory-controller PMU";
    machine.cpu.remedy = "run on the bare machine";
    machine.expect("cpu_events", Health::warning, "no memory-controller PMU", "bare machine");
    CHECK(counters_can_work(machine.lines()));
}
