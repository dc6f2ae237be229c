// What the page draws, worked out here so that its script only draws.
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace attnroof {

/// Title, axes to filter by, kernels, series, roofs by level of memory, quantities against N and
/// the lesson. Cases stand in the order of the report, which the page holds as JSON beside this.
nlohmann::ordered_json html_view(const Report& report);

}  // namespace attnroof
