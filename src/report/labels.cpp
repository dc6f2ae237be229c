#include "report/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attnroof {

namespace {

/// Small boxes along a line.
void add_line(std::vector<Box>& to, double x1, double y1, double x2, double y2) {
    constexpr double step = 4;
    const int steps = std::max(1, static_cast<int>(std::hypot(x2 - x1, y2 - y1) / step));
    for (int i = 0; i <= steps; ++i) {
        const double t = static_cast<double>(i) / steps;
        const double x = x1 + t * (x2 - x1), y = y1 + t * (y2 - y1);
        to.push_back({x - 1, y - 1, x + 1, y + 1});
    }
}

double distance(const Box& box, double x, double y) {
    return std::hypot(std::max({box.left - x, x - box.right, 0.0}),
                      std::max({box.top - y, y - box.bottom, 0.0}));
}

}  // namespace

void LabelPlacer::block_line(double x1, double y1, double x2, double y2) {
    add_line(blocked_, x1, y1, x2, y2);
}

void LabelPlacer::discourage_line(double x1, double y1, double x2, double y2) {
    add_line(discouraged_, x1, y1, x2, y2);
}

void LabelPlacer::add_mark(double x, double y, double radius, std::size_t series) {
    block({x - radius, y - radius, x + radius, y + radius});
    marks_.push_back({x, y, series});
}

bool LabelPlacer::misleading(const Box& box, double x, double y, std::size_t series) const {
    constexpr double same_place = 3;
    const double own = distance(box, x, y);
    return std::any_of(marks_.begin(), marks_.end(), [&](const Mark& mark) {
        return mark.series != series && std::hypot(mark.x - x, mark.y - y) > same_place &&
               distance(box, mark.x, mark.y) < own;
    });
}

bool LabelPlacer::free(const Box& box) const {
    return frame_.holds(box) && std::none_of(blocked_.begin(), blocked_.end(),
                                             [&](const Box& b) { return b.overlaps(box); });
}

int LabelPlacer::crossings(const Box& box) const {
    return static_cast<int>(std::count_if(discouraged_.begin(), discouraged_.end(),
                                          [&](const Box& b) { return b.overlaps(box); }));
}

std::optional<Box> LabelPlacer::place(double x, double y, double width, double height, double gap,
                                      std::size_t series) {
    // Directions in order of preference, each tried near and then further out.
    static constexpr std::array<std::array<double, 2>, 8> directions{
        {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0.7, 0.7}, {-0.7, 0.7}, {0.7, -0.7}, {-0.7, -0.7}}};
    std::optional<Box> best;
    double best_cost = std::numeric_limits<double>::max();
    for (double reach : {gap, 1.6 * gap}) {
        double cost = reach / gap - 1;
        for (const auto& [dx, dy] : directions) {
            const double cx = x + dx * (reach + width / 2), cy = y + dy * (reach + height / 2);
            const Box box{cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2};
            cost += 0.1;
            if (!free(box) || misleading(box, x, y, series) || cost + crossings(box) >= best_cost)
                continue;
            best_cost = cost + crossings(box);
            best = box;
        }
    }
    if (best) block(*best);
    return best;
}

}  // namespace attnroof
