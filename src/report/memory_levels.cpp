#include "report/memory_levels.h"

#include <algorithm>
#include <cmath>

#include "report/table_columns.h"
#include "report/units.h"

namespace attnroof {
namespace {

const Ceiling* find(const Report& report, const std::string& id) {
    for (const Ceiling& c : report.ceilings)
        if (c.id == id && c.mode == CeilingMode::burst && c.value > 0) return &c;
    return nullptr;
}

struct Cache {
    Counter counter;
    const char* roof;
};

Cache cache_of(Level level) {
    return level == Level::l2 ? Cache{Counter::l2_bytes, "l2.read"}
                              : Cache{Counter::l1_bytes, "l1.read"};
}

/// Why nothing was counted at a cache.
std::string uncounted(const Report& report, const CaseResult& c, Counter counter) {
    if (report.prediction) return "the model covers device memory alone";
    if (report.device.kind == DeviceKind::cpu)
        return "not available on a CPU: its counters see memory alone";
    const auto found = c.counted.in_range.find(counter);
    if (found == c.counted.in_range.end())
        return c.counted.in_range.empty() ? uncounted_reason(c, report) : "not counted";
    return found->second.value ? "no such traffic was counted" : found->second.reason;
}

MemoryLevel level_of(const Report& report, const Plot& plot, Level level) {
    MemoryLevel shown{level, name(level), level_title(report, level), {}, {}};
    if (level == Level::hbm) {
        if (report.device.kind == DeviceKind::cpu) shown.id = "dram";
        shown.roofs = plot.memory;
    } else if (const Ceiling* roof = find(report, cache_of(level).roof)) {
        const std::string label = shown.name + " read " + spoken(roof->value, roof->unit);
        shown.roofs.push_back({label, roof->value, true});
    }
    for (const CaseResult& c : report.cases) {
        shown.points.push_back(level_point(report, c, level));
        if (!drawable(c)) shown.points.back().point.reset();
    }
    return shown;
}

}  // namespace

std::string level_title(const Report& report, Level level) {
    if (level == Level::hbm) return memory_name(report);
    return level == Level::l2 ? "L2" : "L1";
}

LevelPoint level_point(const Report& report, const CaseResult& c, Level level) {
    if (c.plan.status != Status::ok) return {std::nullopt, c.plan.reason};
    constexpr const char* nothing = "without a time, FLOPs and bytes";
    if (level == Level::hbm) return {c.point, c.point ? "" : nothing};
    const auto [counter, roof] = cache_of(level);
    const auto found = c.counted.in_range.find(counter);
    const double bytes = found == c.counted.in_range.end() ? 0 : found->second.value.value_or(0);
    if (!(bytes > 0)) return {std::nullopt, uncounted(report, c, counter)};
    if (!c.time) return {std::nullopt, nothing};
    // Without the cache's own roof no other one tells what binds.
    const auto point = place_point({.problem = c.plan.problem,
                                    .flops = c.useful_flops,
                                    .traffic = {std::llround(bytes), 0},
                                    .traffic_source = Source::counted,
                                    .traffic_kind = "in range",
                                    .seconds = c.time->median_s,
                                    .throttled = c.time->clocks.throttled.value_or(false),
                                    .launches = launches_of(c.plan),
                                    .memory_ceiling = roof},
                                   find(report, roof) ? report.ceilings : std::vector<Ceiling>{});
    return {point, point ? "" : nothing};
}

bool has_points(const Report& report, Level level) {
    return std::any_of(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
        return level_point(report, c, level).point.has_value();
    });
}

std::vector<MemoryLevel> memory_levels(const Report& report, const Plot& plot) {
    std::vector<MemoryLevel> levels;
    for (Level level : levels_of(report.config)) {
        const bool drawn = level == Level::hbm || find(report, cache_of(level).roof);
        if (drawn && has_points(report, level)) levels.push_back(level_of(report, plot, level));
    }
    if (levels.empty()) levels.push_back(level_of(report, plot, Level::hbm));
    return levels;
}

}  // namespace attnroof
