// How FLOPs, bytes and footprint grow with N, and where the scores outgrow the cache.
#pragma once

#include <vector>

#include "report/plot.h"
#include "report/report.h"

namespace attnroof {

/// Quantities of one head: a sweep may change batch and heads along with N. Bytes are fitted to the
/// cases whose scores leave the cache; where these are too few the finding has no value and says
/// so. A sweep of fewer than three lengths has no exponents.
std::vector<Finding> growth_findings(const Report& report, const Plot& plot);

/// The first N at which a kernel's counted bytes hold more than half of what the model says its
/// score matrix moves when it does not fit.
std::vector<Finding> cache_findings(const Report& report, const Plot& plot);

}  // namespace attnroof
