// The roofline as a picture for a slide. Colour is the kernel, shape the mask (and dtype), a hollow
// mark has modelled bytes; cases that differ in length alone are joined.
#pragma once

#include <string>
#include <vector>

#include "report/axes.h"
#include "report/labels.h"
#include "report/log_axis.h"
#include "report/plot.h"
#include "report/svg_canvas.h"

namespace attnroof::picture {

inline constexpr int width = 960, height = 600;
/// The axes; the compute roofs are labelled to the right of it.
inline constexpr Box frame{74, 112, 764, 536};
inline constexpr const char* ink = "#1f2937";
inline constexpr const char* muted = "#6b7280";
inline constexpr double label_size = 11.5;

/// As wide as DejaVu Sans and Verdana set it, the widest of the usual sans-serifs, so that boxes
/// err on the safe side.
double text_width(const std::string& text, double size);

std::string colour_of(const Plot& plot, std::size_t kernel);
std::string mark_style(const std::string& colour, bool filled);

/// Draws one plot; the members are what every part of it needs.
class Picture {
  public:
    Picture(const Report& report, const Plot& plot, LogAxis x, LogAxis y)
        : report_(report),
          plot_(plot),
          x_(x),
          y_(y),
          labels_(frame),
          svg_(width, height, report_title(report)) {}

    std::string draw() {
        heading();
        legend();
        region();
        grid();
        roofs();
        series();
        marks();
        series_labels();
        note();
        return svg_.done();
    }

  private:
    Position at(double intensity, double flops_per_s) const {
        return {x_.pixel(intensity), y_.pixel(flops_per_s)};
    }
    Position at(const Point& p) const {
        return at(p.intensity_flop_per_byte, shown_flops_per_s(p));
    }
    double mark_radius() const { return report_.cases.size() > 60 ? 4 : 5.5; }

    void heading();
    void legend();
    void region();
    void grid();
    void roofs();
    void memory_roof(const Roof& roof);
    void compute_roof(const Roof& roof, double& label_y);
    void ridge();
    void series();
    void marks();
    void series_labels();
    void label(std::size_t series, std::size_t point, const std::string& text);
    std::string tooltip(const Series& s, std::size_t point) const;
    void note();

    struct Label {
        std::string text, colour;
        Position at;
    };

    const Report& report_;
    const Plot& plot_;
    LogAxis x_, y_;
    LabelPlacer labels_;
    std::vector<Label> placed_;
    SvgCanvas svg_;
};

}  // namespace attnroof::picture
