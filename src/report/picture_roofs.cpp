// The roofs and their labels.
#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/units.h"

namespace attnroof::picture {
namespace {

std::string roof_style(bool main) {
    return main ? fmt::format("stroke=\"{}\" stroke-width=\"2.2\"", ink)
                : fmt::format("stroke=\"{}\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"", muted);
}

}  // namespace

/// From the left or bottom edge up to the highest compute roof, with the label along it.
void Picture::memory_roof(const Roof& roof) {
    const double top = plot_.compute.empty() ? y_.high() : plot_.compute_roof()->value;
    const double start = std::max(x_.low(), y_.low() / roof.value);
    const double end = std::min(x_.high(), top / roof.value);
    if (start >= end) return;
    const Position from = at(start, start * roof.value), to = at(end, end * roof.value);
    svg_.line(from, to, roof_style(roof.main) + " stroke-linecap=\"round\"");
    labels_.block_line(from.x, from.y, to.x, to.y);
    constexpr double start_along = 24, off = 9;
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

}  // namespace attnroof::picture
