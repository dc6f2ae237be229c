// A report as an SVG picture: what to show, the range of the axes, then the drawing.
#include <algorithm>

#include "report/formats.h"
#include "report/picture.h"

namespace attnroof {
namespace {

struct Range {
    double low, high;
    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Room around the points and around the ridge; ten FLOP/byte where there is neither.
Range x_range(const Plot& plot) {
    const double ridge = plot.ridge();
    Range range = ridge > 0 ? Range{ridge / 8, ridge * 8} : Range{10, 10};
    bool first = ridge <= 0;
    for (const Series& s : plot.series)
        for (const Point& p : s.points) {
            const double x = p.intensity_flop_per_byte;
            if (first) range = {x, x};
            first = false;
            range.include(x / 2);
            range.include(x * 3);
        }
    // Each level's roof has a stretch to be seen and labelled along.
    if (!plot.levels.empty() && plot.compute_roof())
        for (const Roof& roof : plot.memory)
            range.include(plot.compute_roof()->value / roof.value / 8);
    return range.high > range.low ? range : Range{range.low / 10, range.high * 10};
}

Range y_range(const Plot& plot) {
    const Roof* compute = plot.compute_roof();
    Range range = compute ? Range{compute->value / 30, compute->value * 2} : Range{1e9, 1e9};
    bool first = !compute;
    for (const Series& s : plot.series)
        for (const Point& p : s.points) {
            const double y = shown_flops_per_s(p);
            if (first) range = {y, y};
            first = false;
            range.include(y / 2);
            range.include(y * 2);
        }
    return range.high > range.low ? range : Range{range.low / 10, range.high * 10};
}

}  // namespace

std::string to_svg(const Report& report) {
    const Plot plot = plot_of_levels(report);
    const Range x = x_range(plot), y = y_range(plot);
    return picture::Picture(report, plot,
                            LogAxis(x.low, x.high, picture::frame.left, picture::frame.right),
                            LogAxis(y.low, y.high, picture::frame.bottom, picture::frame.top))
        .draw();
}

}  // namespace attnroof
