// What the command line of `attnroof predict` asks for.
#pragma once

#include <string>
#include <vector>

#include "config/layer.h"

namespace attnroof {

struct PredictRequest {
    std::string device_spec;  // for load_device_spec
    SweepRequest request;     // as in a sweep
    std::vector<std::string> outputs;
    bool quiet = false;                // as in a sweep; a prediction has no progress to hide
    std::vector<std::string> command;  // argv, for the report
};

/// `attnroof predict`: the plan's cases on a device that need not be here. Touches none. Throws
/// UsageError.
int run_predict(const PredictRequest& request);

}  // namespace attnroof
