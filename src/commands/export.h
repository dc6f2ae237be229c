// What the command line of `attnroof export` asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace attnroof {

struct ExportOptions {
    std::string report;
    std::vector<std::string> outputs;
    std::optional<std::vector<Level>> levels;  // to draw rooflines for; empty: the report's own
};

/// `attnroof export REPORT -o FILE...`: a saved report in other formats. Touches no device.
int run_export(const ExportOptions& options);

}  // namespace attnroof
