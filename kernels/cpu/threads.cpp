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
    const auto cores = [] {
        const auto allowed = static_cast<double>(allowed_cpus().size());
        return static_cast<int>(std::max(1.0, std::min(allowed, std::ceil(quota_cores()))));
    };
    static Team instance(cores());
    return instance;
}

}  // namespace

std::vector<int> allowed_cpus() {
    std::vector<int> allowed;
    // The mask must be as large as the kernel's, which may hold more CPUs than one cpu_set_t.
    for (int cpus = CPU_SETSIZE; cpus <= 1 << 20 && allowed.empty(); cpus *= 2) {
        std::vector<cpu_set_t> mask(static_cast<std::size_t>(cpus / CPU_SETSIZE));
        const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
        for (int cpu = 0; cpu < cpus; ++cpu)
            if (CPU_ISSET_S(cpu, bytes, mask.data())) allowed.push_back(cpu);
    }
    return allowed;
}

int worker_count() { return team().size(); }

void on_all_workers(const std::function<void(int)>& work) { team().run(work); }

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& body) {
    std::atomic<std::int64_t> next = 0;
    on_all_workers([&](int) {
        for (std::int64_t i = next++; i < count; i = next++) body(i);
    });
}

void for_each_slice(std::int64_t count, std::int64_t step,
                    const std::function<void(std::int64_t, std::int64_t)>& body) {
    const std::int64_t steps = (count + step - 1) / step;
    on_all_workers([&](int worker) {
        const std::int64_t first = steps * worker / worker_count() * step;
        const std::int64_t end = std::min(count, steps * (worker + 1) / worker_count() * step);
        if (first < end) body(first, end - first);
    });
}

}  // namespace attnroof::cpu
