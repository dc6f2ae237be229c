// attnroof compare: reports to verdicts to an exit code. Touches no device.
#pragma once

#include <string>
#include <vector>

#include "config/gate.h"

namespace attnroof {

/// The command line as given; run_compare checks it.
struct CompareRequest {
    std::vector<std::string> reports;      // BASE NEW
    std::vector<std::string> base, fresh;  // or these
    std::string config;                    // whose gate; empty without one
    LimitRule limits;                      // of every case, over the config's
    std::vector<std::string> required;     // patterns, besides the config's
    std::vector<std::string> aliases;      // OLD=NEW
    std::vector<std::string> outputs;
    std::string annotations;  // "github" or empty
    bool strict = false, any_device = false;
    bool quiet = false;  // no table
};

/// Writes every output that was asked for, then prints the table unless quiet. Returns the exit
/// code of exit_code(). Throws UsageError.
int run_compare(const CompareRequest& request);

}  // namespace attnroof
