#include "kernels/cpu/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

namespace attnroof::cpu {
namespace {

int affinity_cores() {
    // The mask must be as large as the kernel's, which may hold more CPUs than cpu_set_t.
    for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
        std::vector<cpu_set_t> mask(static_cast<std::size_t>(cpus / CPU_SETSIZE));
        const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// CPUs' worth of time that the control group (version 2) grants, or no limit.
double quota_cores() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    double quota = 0, period = 0;
    if (file >> quota >> period && period > 0) return quota / period;
    return INFINITY;  // no such file, or the word max
}

class Team {
  public:
    explicit Team(int size) {
        for (int worker = 1; worker < size; ++worker)
            threads_.emplace_back([this, worker] { serve(worker); });
    }
    ~Team() {
        work_ = nullptr;
        start();
    }

    int size() const { return static_cast<int>(threads_.size()) + 1; }

    void run(const std::function<void(int)>& work) {
        const std::lock_guard turn(turn_);
        work_ = &work;
        busy_ = static_cast<int>(threads_.size());
        error_ = nullptr;
        start();
        attempt(0);
        for (int busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void start() {
        ++round_;
        round_.notify_all();
    }

    void serve(int worker) {
        for (std::uint64_t seen = 0;;) {
            round_.wait(seen);
            ++seen;
            if (!work_) return;
            attempt(worker);
            if (--busy_ == 0) busy_.notify_one();
        }
    }

    void attempt(int worker) {
        try {
            (*work_)(worker);
        } catch (...) {
            const std::lock_guard lock(error_lock_);
            if (!error_) error_ = std::current_exception();
        }
    }

    std::mutex turn_, error_lock_;
    std::exception_ptr error_;
    const std::function<void(int)>* work_ = nullptr;
    std::atomic<std::uint64_t> round_ = 0;
    std::atomic<int> busy_ = 0;
    std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

Team& team() {
    static Team instance(std::max(
        1, static_cast<int>(std::min<double>(affinity_cores(), std::ceil(quota_cores())))));
    return instance;
}

}  // namespace

int worker_count() { return team().size(); }

void on_all_workers(const std::function<void(int)>& work) { team().run(work); }

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& body) {
    std::atomic<std::int64_t> next = 0;
    on_all_workers([&](int) {
        for (std::int64_t i = next++; i < count; i = next++) body(i);
    });
}

}  // namespace attnroof::cpu
