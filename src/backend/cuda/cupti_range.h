// The device half of CUPTI: user ranges, user replay, one session for many ranges.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/counters.h"

namespace attnroof::cuda {

class CuptiHost;
struct CuptiLibrary;

/// CUPTI's name of the chip of CUDA device `device`, the current one: "GH100". Throws the
/// CuptiError that names what shuts the counters of this device, if anything does.
std::string profiled_chip(const CuptiLibrary& library, int device);

/// Values as counted: one row a job, one column a metric. NaN where CUPTI gave no value.
struct RangeValues {
    std::vector<std::vector<double>> rows;
    int passes = 0;
};

/// Runs every job once for each pass that `metrics` need, on the current CUDA context. `host` must
/// be fresh. `synchronize` waits for the device. Throws CuptiError; what a job throws goes through.
RangeValues count_ranges(const CuptiLibrary& library, CuptiHost& host,
                         const std::vector<std::string>& metrics, const std::vector<CountJob>& jobs,
                         const std::function<void()>& synchronize);

}  // namespace attnroof::cuda
