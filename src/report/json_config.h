// The resolved config as JSON, in the keys of a config file.
#pragma once

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "report/json_node.h"

namespace attnroof {

nlohmann::ordered_json config_json(const SweepConfig& config);

/// The config of a report, taken as it stands: it was checked before the sweep.
SweepConfig read_config(const JsonNode& node);

}  // namespace attnroof
