// All cores at once: a team of threads that stays alive between launches.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace attnroof::cpu {

/// Numbers of the CPUs that this process may run on: its affinity mask.
std::vector<int> allowed_cpus();

/// Threads that a launch uses: one for each allowed CPU, fewer where the control group is granted
/// less CPU time than that.
int worker_count();

/// Calls work(worker) once for each worker 0 ... worker_count() - 1, each on its own thread, the
/// caller's among them, and returns when all are done. Rethrows the first exception. Calls from
/// several threads take turns; `work` must not call it.
void on_all_workers(const std::function<void(int worker)>& work);

/// Calls body(i) for every i in [0, count) on all workers; low indices start first.
void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& body);

/// Calls body(first, n) on all workers with one slice of [0, count) each, the same at every call.
/// Slices start at multiples of `step`.
void for_each_slice(std::int64_t count, std::int64_t step,
                    const std::function<void(std::int64_t first, std::int64_t n)>& body);

}  // namespace attnroof::cpu
