// The levels of memory that a roofline can be drawn for: each with its roofs and its points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot.h"
#include "report/report.h"

namespace attnroof {

/// Where a case sits under the roofs of one level.
struct LevelPoint {
    double bytes = 0;
    Source source = Source::modelled;
    std::string kind;  // "settled", "in range" or "model"
    double intensity_flop_per_byte = 0;
    double achieved_flops_per_s = 0;
    std::string ceiling;
    double fraction_of_roof = 0;
    std::optional<Bound> bound;  // as in Point
};

struct MemoryLevel {
    std::string id, name;  // "hbm", "HBM"
    std::vector<Roof> roofs;
    /// One entry a case of the report; empty where the level has no bytes for it.
    std::vector<std::optional<LevelPoint>> points;
};

/// Device memory always; a cache level when it has both a ceiling and counted bytes.
std::vector<MemoryLevel> memory_levels(const Report& report, const Plot& plot);

}  // namespace attnroof
