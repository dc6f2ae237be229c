#include "report/memory_levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/table_columns.h"
#include "report/units.h"

namespace attnroof {
namespace {

const Ceiling* find(const Report& report, const std::string& id) {
    for (const Ceiling& c : report.ceilings)
        if (c.id == id && c.mode == CeilingMode::burst && c.value > 0) return &c;
    return nullptr;
}

std::optional<LevelPoint> of_memory(const CaseResult& c) {
    if (!drawable(c)) return std::nullopt;
    const Point& p = *c.point;
    return LevelPoint{p.hbm_bytes,
                      p.bytes_source,
                      p.bytes_kind,
                      p.intensity_flop_per_byte,
                      p.achieved_flops_per_s,
                      p.ceiling,
                      p.fraction_of_roof,
                      p.bound};
}

/// A cache's roof takes the place of the memory's; the others stay as they are.
std::optional<LevelPoint> of_cache(const Report& report, const CaseResult& c, Counter counter,
                                   const Ceiling& roof) {
    const auto found = c.counted.in_range.find(counter);
    if (!drawable(c) || found == c.counted.in_range.end()) return std::nullopt;
    const double bytes = found->second.value.value_or(0);
    if (bytes <= 0) return std::nullopt;
    const Ceiling* compute = find(report, compute_ceiling(report.ceilings, c.plan.problem.dtype));
    LevelPoint p{bytes,
                 Source::counted,
                 "in range",
                 c.point->flops / bytes,
                 c.point->achieved_flops_per_s,
                 roof.id,
                 0,
                 Bound::memory};
    double attainable = p.intensity_flop_per_byte * roof.value;
    if (compute && compute->value < attainable) {
        attainable = compute->value;
        p.ceiling = compute->id;
        p.bound = Bound::compute;
    }
    p.fraction_of_roof = p.achieved_flops_per_s / attainable;
    return p;
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const Report& report, const Plot& plot) {
    const std::string memory = memory_name(report);
    std::vector<MemoryLevel> levels{{memory == "HBM" ? "hbm" : "dram", memory, plot.memory, {}}};
    for (const CaseResult& c : report.cases) levels[0].points.push_back(of_memory(c));

    const Ceiling* roof = find(report, "l2.read");
    if (!roof) return levels;
    MemoryLevel l2{
        "l2", "L2", {{"L2 read " + spoken(roof->value, roof->unit), roof->value, true}}, {}};
    for (const CaseResult& c : report.cases)
        l2.points.push_back(of_cache(report, c, Counter::l2_bytes, *roof));
    const bool any = std::any_of(l2.points.begin(), l2.points.end(),
                                 [](const auto& point) { return point.has_value(); });
    if (any) levels.push_back(std::move(l2));
    return levels;
}

}  // namespace attnroof
