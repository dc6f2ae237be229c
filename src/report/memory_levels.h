// The levels of memory that a roofline can be drawn for: each with its roofs and its points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot.h"
#include "report/report.h"

namespace attnroof {

/// Where a case sits under the roofs of one level, or why that is not known.
struct LevelPoint {
    std::optional<Point> point;
    std::string reason;
};

/// Of hbm the case's own point. A cache's bytes are those counted while the kernel ran, and its
/// roof takes the place of the memory's; without that ceiling its intensity and rates stand alone.
LevelPoint level_point(const Report& report, const CaseResult& result, Level level);

/// Whether any case has a point at that level.
bool has_points(const Report& report, Level level);

/// "HBM" (on a CPU "DRAM"), "L2", "L1".
std::string level_title(const Report& report, Level level);

struct MemoryLevel {
    Level level = Level::hbm;
    std::string id, name;  // "hbm", "HBM"
    std::vector<Roof> roofs;
    std::vector<LevelPoint> points;  // one a case of the report
};

/// The levels to draw: those that the report shows, where any case has a point and a cache its
/// ceiling; with none of them device memory alone.
std::vector<MemoryLevel> memory_levels(const Report& report, const Plot& plot);

}  // namespace attnroof
