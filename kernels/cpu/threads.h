// All cores at once: a team of threads that stays alive between launches.
#pragma once

#include <cstdint>
#include <functional>

namespace attnroof::cpu {

/// Threads that a launch uses: the CPUs of this process's affinity mask, fewer where its control
/// group is granted less CPU time than that.
int worker_count();

/// Calls work(worker) once for each worker 0 ... worker_count() - 1, each on its own thread, the
/// caller's among them, and returns when all are done. Rethrows the first exception. Calls from
/// several threads take turns; `work` must not call it.
void on_all_workers(const std::function<void(int worker)>& work);

/// Calls body(i) for every i in [0, count) on all workers; low indices start first.
void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& body);

}  // namespace attnroof::cpu
