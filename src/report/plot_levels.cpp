// The roofline of several levels of memory: a case stands at one height, further right the less it
// moves through a level.
#include <algorithm>

#include "report/memory_levels.h"
#include "report/plot.h"

namespace attnroof {
namespace {

/// `s` at another level: its cases that have a point there.
Series at_level(const Report& report, const Plot& memory, const Series& s, const MemoryLevel& level,
                std::size_t shape) {
    Series shown{{}, {}, s.kernel, shape, s.label};
    if (memory.shapes.size() > 1)
        shown.label += (shown.label.empty() ? "" : " ") + memory.shapes[s.shape];
    for (const CaseResult* c : s.cases) {
        const auto& at = level.points[static_cast<std::size_t>(c - report.cases.data())];
        if (!at.point) continue;
        shown.cases.push_back(c);
        shown.points.push_back(*at.point);
    }
    return shown;
}

}  // namespace

Plot plot_of_levels(const Report& report) {
    const Plot memory = plot_of(report);
    const std::vector<MemoryLevel> levels = memory_levels(report, memory);
    if (report.config.levels.empty() || (levels.size() == 1 && levels[0].level == Level::hbm))
        return memory;
    Plot plot;
    plot.compute = memory.compute;
    plot.kernels = memory.kernels;
    for (const MemoryLevel& level : levels) {
        const std::size_t shape = plot.shapes.size();
        plot.levels.push_back(level.name);
        plot.shapes.push_back(level.name);
        for (const Roof& roof : level.roofs)
            if (roof.main) plot.memory.push_back({roof.label, roof.value, shape == 0});
        for (const Series& s : memory.series) {
            Series shown = at_level(report, memory, s, level, shape);
            for (const Point& p : shown.points)
                (p.bytes_source == Source::counted ? plot.counted : plot.modelled) = true;
            if (!shown.cases.empty()) plot.series.push_back(std::move(shown));
        }
    }
    return plot;
}

}  // namespace attnroof
