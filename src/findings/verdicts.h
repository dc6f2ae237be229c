// What bounds the kernels, which one wins, and how far counts and models part.
#pragma once

#include <vector>

#include "report/plot.h"
#include "report/report.h"

namespace attnroof {

/// Ceilings that cannot both be right, and those that no two samples agree on: what stands on them
/// is doubtful.
std::vector<Finding> ceiling_findings(const Report& report);
std::vector<Finding> bound_findings(const Plot& plot);
std::vector<Finding> compute_roof_findings(const Report& report, const Plot& plot);
/// Every other kernel against naive, at equal problems and cache modes.
std::vector<Finding> speed_findings(const Plot& plot);
std::vector<Finding> model_findings(const Plot& plot);

}  // namespace attnroof
