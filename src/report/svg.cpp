// The roofline as a picture for a slide. Colour is the kernel, shape the mask (and dtype), a hollow
// mark has modelled bytes; cases that differ in length alone are joined.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/axes.h"
#include "report/formats.h"
#include "report/labels.h"
#include "report/log_axis.h"
#include "report/plot.h"
#include "report/svg_canvas.h"
#include "report/units.h"

namespace attnroof {
namespace {

constexpr int width = 960, height = 600;
constexpr Box frame{74, 112, 764, 536};  // the axes; to its right the compute roofs are labelled
constexpr const char* ink = "#1f2937";
constexpr const char* muted = "#6b7280";
constexpr double label_size = 11.5;

/// Wider than any usual sans-serif sets it, so that boxes err on the safe side.
double text_width(const std::string& text, double size) {
    return 0.62 * size * static_cast<double>(text.size());
}

/// 1e12 -> "1 T", for ticks: no digits that say nothing.
std::string tick_text(double value) {
    std::string text = si(value, "");
    const std::size_t space = text.find(' ');
    std::string number = text.substr(0, space);
    if (number.find('.') != std::string::npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.') number.pop_back();
    }
    return number + text.substr(space);
}

/// Okabe and Ito's palette: told apart with every kind of colour vision, and in print.
std::string colour_of(const Plot& plot, std::size_t kernel) {
    const std::string& name = plot.kernels[kernel];
    if (name == "naive") return "#d55e00";
    if (name == "fused") return "#0072b2";
    static constexpr std::array others{"#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
    return others[kernel % others.size()];
}

std::string mark_style(const std::string& colour, bool filled) {
    return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"", filled ? colour : "#ffffff",
                       filled ? "#ffffff" : colour, filled ? 1 : 1.8);
}

struct Range {
    double low, high;
    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Draws one plot; the members are what every part of it needs.
class Picture {
  public:
    Picture(const Report& report, const Plot& plot, LogAxis x, LogAxis y)
        : report_(report),
          plot_(plot),
          x_(x),
          y_(y),
          labels_(frame),
          svg_(width, height, "Attention roofline, " + report.device.name) {}

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
    Position at(const CaseResult& c) const {
        return at(c.point->intensity_flop_per_byte, c.point->achieved_flops_per_s);
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
    void label(std::size_t series, const CaseResult& c, const std::string& text);
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

void Picture::heading() {
    svg_.text({20, 34}, "Attention roofline, " + report_.device.name,
              fmt::format("font-size=\"20\" font-weight=\"600\" fill=\"{}\"", ink));
    svg_.text({20, 57}, common_axes(report_), fmt::format("font-size=\"13\" fill=\"{}\"", muted));
    const std::string date = report_.started_at.substr(0, report_.started_at.find('T'));
    svg_.text({width - 20, 34}, fmt::format("{}, attnroof {}", date, report_.tool.version),
              fmt::format("font-size=\"12\" text-anchor=\"end\" fill=\"{}\"", muted));
}

/// One line above the axes: kernels, shapes, and what a hollow mark means.
void Picture::legend() {
    double x = frame.left;
    constexpr double y = 90;
    const auto add = [&](std::size_t shape, const std::string& style, const std::string& text) {
        svg_.mark({x + 6, y - 4}, 5.5, shape, style);
        svg_.text({x + 17, y}, text, fmt::format("font-size=\"13\" fill=\"{}\"", ink));
        x += 17 + text_width(text, 13) + 14;
    };
    for (std::size_t k = 0; k < plot_.kernels.size(); ++k)
        add(0, mark_style(colour_of(plot_, k), true), plot_.kernels[k]);
    x += 16;
    if (plot_.shapes.size() > 1)
        for (std::size_t s = 0; s < plot_.shapes.size(); ++s)
            add(s, mark_style(muted, true), plot_.shapes[s] + " mask");
    x += 16;
    if (plot_.modelled && plot_.counted) add(0, mark_style(muted, true), "counted bytes");
    if (plot_.modelled) add(0, mark_style(muted, false), "modelled bytes");
}

/// What no kernel can reach is grey.
void Picture::region() {
    svg_.rectangle(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top,
                   "fill=\"#ffffff\"");
    const Roof* memory = plot_.memory_roof();
    const Roof* compute = plot_.compute_roof();
    if (!memory || !compute) return;
    const double start = std::max(x_.low(), y_.low() / memory->value);
    const double ridge = plot_.ridge();
    svg_.polygon({{frame.left, frame.top},
                  {frame.left, at(start, y_.low()).y},
                  at(start, start * memory->value),
                  at(ridge, compute->value),
                  {frame.right, y_.pixel(compute->value)},
                  {frame.right, frame.top}},
                 "fill=\"#f3f4f6\"");
}

void Picture::grid() {
    const std::string label = fmt::format("font-size=\"12\" fill=\"{}\"", muted);
    const auto style = [](bool decade) {
        return fmt::format("stroke=\"{}\" stroke-width=\"1\"", decade ? "#d1d5db" : "#eceef1");
    };
    for (const Tick& tick : x_.ticks()) {
        const double x = x_.pixel(tick.value);
        svg_.line({x, frame.top}, {x, frame.bottom}, style(tick.labelled));
        if (tick.labelled)
            svg_.text({x, frame.bottom + 18}, fmt::format("{:g}", tick.value),
                      label + " text-anchor=\"middle\"");
    }
    for (const Tick& tick : y_.ticks()) {
        const double y = y_.pixel(tick.value);
        svg_.line({frame.left, y}, {frame.right, y}, style(tick.labelled));
        if (tick.labelled) {
            const std::string text = tick_text(tick.value);
            svg_.text({frame.left - 8, y + 4}, text, label + " text-anchor=\"end\"");
        }
    }
    const std::string title =
        fmt::format("font-size=\"13\" text-anchor=\"middle\" fill=\"{}\"", ink);
    const bool gpu = report_.device.kind == DeviceKind::cuda;
    svg_.text({(frame.left + frame.right) / 2, frame.bottom + 42},
              fmt::format("Arithmetic intensity (FLOP per byte of {})", gpu ? "HBM" : "DRAM"),
              title);
    const Position middle{20, (frame.top + frame.bottom) / 2};
    svg_.text(middle, "Useful FLOP/s",
              fmt::format("{} transform=\"rotate(-90 {:.1f} {:.1f})\"", title, middle.x, middle.y));
}

std::string roof_style(bool main) {
    return main ? fmt::format("stroke=\"{}\" stroke-width=\"2.2\"", ink)
                : fmt::format("stroke=\"{}\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"", muted);
}

/// From the left or bottom edge up to the highest compute roof, with the label along it.
void Picture::memory_roof(const Roof& roof) {
    const double top = plot_.compute.empty() ? y_.high() : plot_.compute_roof()->value;
    const double start = std::max(x_.low(), y_.low() / roof.value);
    const double end = std::min(x_.high(), top / roof.value);
    if (start >= end) return;
    const Position from = at(start, start * roof.value), to = at(end, end * roof.value);
    svg_.line(from, to, roof_style(roof.main) + " stroke-linecap=\"round\"");
    labels_.block_line(from.x, from.y, to.x, to.y);
    constexpr double start_along = 24, off = 7;
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double reach = (start_along + 8 + text_width(roof.label, 13)) / length;
    if (reach > 1) return;
    const double cosine = (to.x - from.x) / length, sine = (to.y - from.y) / length;
    const auto beside = [&](double along, double above) {
        return Position{from.x + along * cosine + above * sine,
                        from.y + along * sine - above * cosine};
    };
    const Position foot = beside(start_along, off);
    svg_.text(foot, roof.label,
              fmt::format("font-size=\"13\" font-weight=\"600\" fill=\"{}\" "
                          "transform=\"rotate({:.2f} {:.1f} {:.1f})\"",
                          ink, std::atan2(sine, cosine) * 57.29577951308232, foot.x, foot.y));
    for (double along = start_along; along < reach * length; along += 8) {
        const auto [x, y] = beside(along, off + 5);
        labels_.block({x - 6, y - 6, x + 6, y + 6});
    }
}

/// From the memory roof to the right edge; labels stand in the margin, 15 pixels apart at least.
void Picture::compute_roof(const Roof& roof, double& label_y) {
    if (roof.value < y_.low() || roof.value > y_.high()) return;
    const Roof* memory = plot_.memory_roof();
    const double start = memory ? std::max(x_.low(), roof.value / memory->value) : x_.low();
    const double y = y_.pixel(roof.value);
    const double left = x_.pixel(std::min(start, x_.high()));
    svg_.line({left, y}, {frame.right, y}, roof_style(roof.main));
    labels_.discourage_line(left, y, frame.right, y);
    label_y = std::max(label_y + 15, y + 4);
    svg_.line({frame.right, y}, {frame.right + 6, label_y - 4},
              fmt::format("stroke=\"{}\" stroke-width=\"1\"", muted));
    const double room = width - frame.right - 14;
    const double size = std::min(12.0, 12.0 * room / text_width(roof.label, 12));
    svg_.text({frame.right + 9, label_y}, roof.label,
              fmt::format("font-size=\"{:.1f}\" {}fill=\"{}\"", size,
                          roof.main ? "font-weight=\"600\" " : "", roof.main ? ink : muted));
}

void Picture::ridge() {
    const double intensity = plot_.ridge();
    if (intensity <= x_.low() || intensity >= x_.high()) return;
    const Position top = at(intensity, plot_.compute_roof()->value);
    svg_.line(top, {top.x, frame.bottom},
              fmt::format("stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"2 4\"", muted));
    const std::string style = fmt::format("font-size=\"12\" fill=\"{}\"", muted);
    const double y = frame.bottom - 8;
    const std::string left = "memory-bound";
    const std::string right =
        fmt::format("compute-bound from {} FLOP/byte", significant(intensity));
    svg_.text({top.x - 8, y}, left, style + " text-anchor=\"end\"");
    svg_.text({top.x + 8, y}, right, style);
    labels_.block(
        {top.x - 8 - text_width(left, 12), y - 12, top.x + 8 + text_width(right, 12), y + 4});
}

void Picture::roofs() {
    ridge();
    double label_y = 0;
    for (const Roof& roof : plot_.compute) compute_roof(roof, label_y);
    for (const Roof& roof : plot_.memory) memory_roof(roof);
    svg_.rectangle(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top,
                   "fill=\"none\" stroke=\"#9ca3af\" stroke-width=\"1\"");
}

void Picture::series() {
    for (const Series& s : plot_.series) {
        std::vector<Position> points;
        for (const CaseResult* c : s.cases) points.push_back(at(*c));
        for (std::size_t i = 1; i < points.size(); ++i)
            labels_.discourage_line(points[i - 1].x, points[i - 1].y, points[i].x, points[i].y);
        if (points.size() > 1)
            svg_.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.4\" opacity=\"0.55\"",
                                              colour_of(plot_, s.kernel)));
    }
}

std::string tooltip(const CaseResult& c) {
    const Point& p = *c.point;
    return fmt::format("{}\n{} at {} FLOP/byte\n{:.0f} % of {}, bound by {}\n{}, {} {}", c.plan.id,
                       si(p.achieved_flops_per_s, "FLOP/s"), significant(p.intensity_flop_per_byte),
                       100 * p.fraction_of_roof, p.ceiling, name(p.bound),
                       c.time ? si(c.time->median_s, "s") : "not timed",
                       spoken(p.hbm_bytes, "byte"), name(p.bytes_source));
}

void Picture::marks() {
    const double r = mark_radius();
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
        for (const CaseResult* c : plot_.series[i].cases) {
            const Series& s = plot_.series[i];
            const Position p = at(*c);
            svg_.open_group("", tooltip(*c));
            svg_.mark(
                p, r, s.shape,
                mark_style(colour_of(plot_, s.kernel), c->point->bytes_source == Source::counted));
            svg_.close_group();
            labels_.add_mark(p.x, p.y, r, i);
        }
}

void Picture::label(std::size_t series, const CaseResult& c, const std::string& text) {
    const Position p = at(c);
    const std::string colour = colour_of(plot_, plot_.series[series].kernel);
    // Points of two masks or dtypes often lie together: one label is enough.
    for (const Label& other : placed_)
        if (other.text == text && other.colour == colour &&
            std::hypot(other.at.x - p.x, other.at.y - p.y) < 30)
            return;
    const double wide = text_width(text, label_size);
    const auto box = labels_.place(p.x, p.y, wide, label_size + 1, mark_radius() + 3, series);
    if (!box) return;
    placed_.push_back({text, colour, p});
    // A little white behind the text keeps it legible where it crosses a line.
    svg_.rectangle(box->left, box->top, wide, label_size + 1,
                   "fill=\"#ffffff\" fill-opacity=\"0.75\" rx=\"2\"");
    const bool right = box->left > p.x, left = box->right < p.x;
    const double x = right ? box->left : left ? box->right : (box->left + box->right) / 2;
    const char* anchor = right ? "start" : left ? "end" : "middle";
    svg_.text(
        {x, box->bottom - 2.5}, text,
        fmt::format("font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"", label_size, anchor, colour));
}

/// N at the last and the first point of every series, and what sets the series apart.
void Picture::series_labels() {
    const auto length = [](const CaseResult& c) {
        const AttentionProblem& p = c.plan.problem;
        return p.q_len == p.kv_len
                   ? "N=" + short_length(p.q_len)
                   : fmt::format("{}x{}", short_length(p.q_len), short_length(p.kv_len));
    };
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        const CaseResult& last = *plot_.series[i].cases.back();
        const std::string& apart = plot_.series[i].label;
        label(i, last, apart.empty() ? length(last) : length(last) + " " + apart);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
        if (plot_.series[i].cases.size() > 1)
            label(i, *plot_.series[i].cases.front(), length(*plot_.series[i].cases.front()));
}

/// Cases that have no point are not passed over in silence.
void Picture::note() {
    const auto without = std::count_if(report_.cases.begin(), report_.cases.end(),
                                       [](const CaseResult& c) { return !drawable(c); });
    const auto all = static_cast<std::ptrdiff_t>(report_.cases.size());
    if (without == all) {
        const Position middle{(frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2};
        svg_.text(middle, "No case gave a point",
                  fmt::format("font-size=\"18\" text-anchor=\"middle\" fill=\"{}\"", ink));
        svg_.text({middle.x, middle.y + 24}, tally(report_),
                  fmt::format("font-size=\"14\" text-anchor=\"middle\" fill=\"{}\"", muted));
    } else if (without > 0) {
        svg_.text({width - 20, height - 12}, tally(report_),
                  fmt::format("font-size=\"12\" text-anchor=\"end\" fill=\"{}\"", muted));
    }
}

/// Room around the points and around the ridge; ten FLOP/byte where there is neither.
Range x_range(const Plot& plot) {
    const double ridge = plot.ridge();
    Range range = ridge > 0 ? Range{ridge / 8, ridge * 8} : Range{10, 10};
    bool first = ridge <= 0;
    for (const Series& s : plot.series)
        for (const CaseResult* c : s.cases) {
            const double x = c->point->intensity_flop_per_byte;
            if (first) range = {x, x};
            first = false;
            range.include(x / 2);
            range.include(x * 3);
        }
    return range.high > range.low ? range : Range{range.low / 10, range.high * 10};
}

Range y_range(const Plot& plot) {
    const Roof* compute = plot.compute_roof();
    Range range = compute ? Range{compute->value / 30, compute->value * 2} : Range{1e9, 1e9};
    bool first = !compute;
    for (const Series& s : plot.series)
        for (const CaseResult* c : s.cases) {
            const double y = c->point->achieved_flops_per_s;
            if (first) range = {y, y};
            first = false;
            range.include(y / 2);
            range.include(y * 2);
        }
    return range.high > range.low ? range : Range{range.low / 10, range.high * 10};
}

}  // namespace

std::string to_svg(const Report& report) {
    const Plot plot = plot_of(report);
    const Range x = x_range(plot), y = y_range(plot);
    return Picture(report, plot, LogAxis(x.low, x.high, frame.left, frame.right),
                   LogAxis(y.low, y.high, frame.bottom, frame.top))
        .draw();
}

}  // namespace attnroof
