// What the command line of `attnroof sweep` asks for.
#pragma once

#include <string>
#include <vector>

#include "config/layer.h"

namespace attnroof {

/// Checked before a command gets it: the request resolves, outputs are writable and their formats
/// known.
struct SweepOptions {
    SweepRequest request;         // resolve(request, device kind) is the config
    std::string device = "auto";  // auto, cpu, cuda or cuda:INDEX, for open_backend
    std::vector<std::string> outputs;
    bool dry_run = false;
    bool resume = false;               // go on from the JSON report among outputs
    bool ceilings = true;              // false: measure none, so no case is held against a roof
    bool quiet = false;                // no progress on stderr
    std::vector<std::string> command;  // argv, for the report
};

}  // namespace attnroof
