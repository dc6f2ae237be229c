// What the command line of `attnroof counters` asks for.
#pragma once

#include <string>

namespace attnroof {

struct CountersOptions {
    std::string chip;  // a chip of CUPTI's, a shipped device, "all", or empty: this machine's own
    bool json = false;
};

/// `attnroof counters`: prints which hardware metric stands for each logical counter, or why none
/// does, and the passes they need together. Works with no GPU and no driver.
int run_counters(const CountersOptions& options);

}  // namespace attnroof
