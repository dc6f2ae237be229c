// Readers of /proc and /sys, and the events of memory controllers, on made-up trees.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cpu/dram_events.h"
#include "backend/cpu/system.h"
#include "catch.h"
#include "kernels/cpu/threads.h"
#include "temporary_folder.h"

using namespace attnroof;
using namespace attnroof::cpu;

namespace {

/// A made-up /sys/bus/event_source/devices.
class Tree {
  public:
    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((root() / path).parent_path());
        folder_.write(path, text + "\n");
    }
    const std::filesystem::path& root() const { return folder_.path(); }

  private:
    TemporaryFolder folder_;
};

void write_imc(const Tree& tree, const std::string& name) {
    tree.write(name + "/type", "14");
    tree.write(name + "/cpumask", "0,28");
    tree.write(name + "/format/event", "config:0-7");
    tree.write(name + "/format/umask", "config:8-15");
    tree.write(name + "/events/cas_count_read", "event=0x04,umask=0x03");
    tree.write(name + "/events/cas_count_read.scale", "6.103515625e-5");
    tree.write(name + "/events/cas_count_read.unit", "MiB");
    tree.write(name + "/events/cas_count_write", "event=0x04,umask=0x0c");
    tree.write(name + "/events/cas_count_write.scale", "6.103515625e-5");
    tree.write(name + "/events/cas_count_write.unit", "MiB");
}

}  // namespace

TEST_CASE("Sizes and CPU lists as sysfs writes them") {
    CHECK(parse_size("32768K") == 32768 * 1024);
    CHECK(parse_size("1G") == 1 << 30);
    CHECK(parse_size("17") == 17);
    CHECK_FALSE(parse_size("max").has_value());
    CHECK_FALSE(parse_size("12X").has_value());
    CHECK_FALSE(parse_size("").has_value());
    CHECK(parse_cpu_list("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
    CHECK(parse_cpu_list("5") == std::vector<int>{5});
    CHECK(parse_cpu_list("") == std::vector<int>{});
    CHECK(parse_cpu_list("0-x") == std::vector<int>{});
}

TEST_CASE("A field's bits go where its format says") {
    CHECK(encode_field("config:0-7", 0x1ff) == 0xff);
    CHECK(encode_field("config:8-15", 0x0c) == 0x0c00);
    CHECK(encode_field("config:0-7,32-35", 0xa07) == 0xa00000007u);
    CHECK(encode_field("config1:0-7", 1) == 0);
}

TEST_CASE("Intel's memory controllers are found, one event a socket") {
    const Tree tree;
    write_imc(tree, "uncore_imc_0");
    write_imc(tree, "uncore_imc_1");
    tree.write("cpu/type", "4");
    const std::vector<DramEvent> events = find_dram_events(tree.root());
    CHECK(events.size() == 2 * 2 * 2);  // controllers x (read, write) x sockets
    for (const DramEvent& event : events) {
        CHECK(event.type == 14);
        CHECK(event.bytes == Approx(64));
        CHECK((event.cpu == 0 || event.cpu == 28));
        CHECK(event.config == (event.counter == Counter::hbm_read_bytes ? 0x0304u : 0x0c04u));
    }
}

TEST_CASE("AMD's memory controllers are found") {
    const Tree tree;
    tree.write("amd_umc_0/type", "22");
    tree.write("amd_umc_0/cpumask", "0");
    tree.write("amd_umc_0/format/event", "config:0-7");
    tree.write("amd_umc_0/format/rdwrmask", "config:8-9");
    const std::vector<DramEvent> events = find_dram_events(tree.root());
    REQUIRE(events.size() == 2);
    CHECK(events[0].config == 0x10a);
    CHECK(events[1].config == 0x20a);
    CHECK(events[1].counter == Counter::hbm_write_bytes);
    CHECK(events[1].bytes == 64);
}

TEST_CASE("No controllers, no events") {
    const Tree tree;
    tree.write("software/type", "1");
    CHECK(find_dram_events(tree.root()).empty());
    CHECK(find_dram_events(tree.root() / "missing").empty());
}

TEST_CASE("The thread team does each piece once") {
    std::vector<std::atomic<int>> done(1000);
    for_each_index(1000, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
    CHECK(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }));

    std::vector<std::atomic<int>> covered(1003);
    for_each_slice(1003, 64, [&](std::int64_t first, std::int64_t n) {
        if (first % 64 != 0) throw std::logic_error("a slice starts off its step");
        for (std::int64_t i = first; i < first + n; ++i) ++covered[static_cast<std::size_t>(i)];
    });
    CHECK(std::all_of(covered.begin(), covered.end(), [](const auto& n) { return n == 1; }));
}

TEST_CASE("A worker's exception reaches the caller, and the team lives on") {
    const auto fail = [](int worker) {
        if (worker == worker_count() - 1) throw std::runtime_error("worker");
    };
    CHECK_THROWS_WITH(on_all_workers(fail), "worker");
    std::atomic<int> workers = 0;
    on_all_workers([&](int) { ++workers; });
    CHECK(workers == worker_count());
}
