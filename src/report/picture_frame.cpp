// What stands around and behind the points: heading, legend, axes.
#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/axes.h"
#include "report/units.h"

namespace attnroof::picture {
namespace {

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

}  // namespace

/// Okabe and Ito's palette: told apart with every kind of colour vision, and in print.
std::string colour_of(const Plot& plot, std::size_t kernel) {
    const std::string& name = plot.kernels[kernel];
    if (name == "naive") return "#d55e00";
    if (name == "fused") return "#0072b2";
    static constexpr std::array others{"#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
    return others[kernel % others.size()];
}

double text_width(const std::string& text, double size) {
    const auto ems = [](char c) {
        if (std::string_view("=+<>~").find(c) != std::string_view::npos) return 0.84;
        if (std::string_view("mwMW%").find(c) != std::string_view::npos) return 1.0;
        if (std::string_view(" .,:;/ijlftr()").find(c) != std::string_view::npos) return 0.42;
        return c >= 'A' && c <= 'Z' ? 0.77 : 0.64;
    };
    double width = 0;
    for (const char c : text) width += ems(c);
    return width * size;
}

std::string mark_style(const std::string& colour, bool filled) {
    return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"", filled ? colour : "#ffffff",
                       filled ? "#ffffff" : colour, filled ? 1 : 1.8);
}

void Picture::heading() {
    svg_.text({20, 34}, report_title(report_),
              fmt::format("font-size=\"20\" font-weight=\"600\" fill=\"{}\"", ink));
    const auto of_datasheet = [](const Ceiling& c) { return c.source == Source::datasheet; };
    const bool all = !report_.ceilings.empty() &&
                     std::all_of(report_.ceilings.begin(), report_.ceilings.end(), of_datasheet);
    svg_.text({20, 57}, common_axes(report_) + (all ? "; roofs of the datasheet" : ""),
              fmt::format("font-size=\"13\" fill=\"{}\"", muted));
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
            add(s, mark_style(muted, true),
                plot_.shapes[s] + (plot_.levels.empty() ? " mask" : ""));
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
    const std::string memory = !plot_.levels.empty()
                                   ? fmt::format("{}", fmt::join(plot_.levels, ", "))
                               : gpu ? "HBM"
                                     : "DRAM";
    svg_.text({(frame.left + frame.right) / 2, frame.bottom + 42},
              fmt::format("Arithmetic intensity (FLOP per byte of {})", memory), title);
    const Position middle{20, (frame.top + frame.bottom) / 2};
    svg_.text(middle, "Useful FLOP/s",
              fmt::format("{} transform=\"rotate(-90 {:.1f} {:.1f})\"", title, middle.x, middle.y));
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

}  // namespace attnroof::picture
