// Places labels beside points so that nothing overlaps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace attnroof {

struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;

    bool overlaps(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    bool holds(const Box& other) const {
        return left <= other.left && other.right <= right && top <= other.top &&
               other.bottom <= bottom;
    }
};

class LabelPlacer {
  public:
    explicit LabelPlacer(const Box& frame) : frame_(frame) {}

    /// No label may overlap this.
    void block(const Box& box) { blocked_.push_back(box); }
    /// A point of a series: no label may overlap its mark.
    void add_mark(double x, double y, double radius, std::size_t series);
    void block_line(double x1, double y1, double x2, double y2);
    /// Labels keep off this line as far as they can.
    void discourage_line(double x1, double y1, double x2, double y2);

    /// The best free place for a label of this size about `gap` off a point of a series, which is
    /// then taken; empty when every place overlaps something.
    std::optional<Box> place(double x, double y, double width, double height, double gap,
                             std::size_t series);

  private:
    bool free(const Box& box) const;
    /// True when a point of another series is nearer to the label than its own point.
    bool misleading(const Box& box, double x, double y, std::size_t series) const;
    int crossings(const Box& box) const;

    Box frame_;
    std::vector<Box> blocked_, discouraged_;
    struct Mark {
        double x, y;
        std::size_t series;
    };
    std::vector<Mark> marks_;
};

}  // namespace attnroof
