#include "report/svg_canvas.h"

#include <fmt/format.h>

#include "config/words.h"

namespace attnroof {
namespace {

/// Length of the character at the start of `text`, 0 when XML may not hold it: U+FFFE, U+FFFF.
std::size_t xml_length(std::string_view text) {
    const std::size_t length = utf8_length(text);
    return length == 3 && (text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf"))
               ? 0
               : length;
}

std::string escaped(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        case '\n':
            return "&#10;";
        default:
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? "?" : std::string(1, c);
    }
}

std::string coordinates(const std::vector<Position>& points) {
    std::string list;
    for (const Position& p : points)
        list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", p.x, p.y);
    return list;
}

}  // namespace

std::string xml_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = xml_length(text);
        if (length == 0)
            out += "?";
        else if (length == 1)
            out += escaped(text[0]);
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

SvgCanvas::SvgCanvas(int width, int height, const std::string& title) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\"\n     font-family=\"system-ui, -apple-system, 'Segoe UI', "
        "Roboto, 'Helvetica Neue', Arial, sans-serif\">\n<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        width, height, xml_text(title));
}

void SvgCanvas::line(Position from, Position to, const std::string& attributes) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                        from.x, from.y, to.x, to.y, attributes);
}

void SvgCanvas::polyline(const std::vector<Position>& points, const std::string& attributes) {
    out_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", coordinates(points),
                        attributes);
}

void SvgCanvas::polygon(const std::vector<Position>& points, const std::string& attributes) {
    out_ += fmt::format("<polygon points=\"{}\" {}/>\n", coordinates(points), attributes);
}

void SvgCanvas::rectangle(double x, double y, double width, double height,
                          const std::string& attributes) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                        x, y, width, height, attributes);
}

void SvgCanvas::text(Position at, const std::string& content, const std::string& attributes) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x, at.y, attributes,
                        xml_text(content));
}

void SvgCanvas::open_group(const std::string& attributes, const std::string& tooltip) {
    out_ += fmt::format("<g{}{}>", attributes.empty() ? "" : " ", attributes);
    if (!tooltip.empty()) out_ += fmt::format("<title>{}</title>", xml_text(tooltip));
    out_ += "\n";
}

void SvgCanvas::close_group() { out_ += "</g>\n"; }

void SvgCanvas::mark(Position at, double r, std::size_t shape, const std::string& attributes) {
    const auto [x, y] = at;
    switch (shape % 4) {
        case 0:
            out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", x, y, r,
                                attributes);
            break;
        case 1:
            polygon({{x, y - 1.25 * r}, {x + 1.15 * r, y + 0.8 * r}, {x - 1.15 * r, y + 0.8 * r}},
                    attributes);
            break;
        case 2:
            rectangle(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r, attributes);
            break;
        default:
            polygon({{x, y - 1.3 * r}, {x + 1.3 * r, y}, {x, y + 1.3 * r}, {x - 1.3 * r, y}},
                    attributes);
    }
}

std::string SvgCanvas::done() const { return out_ + "</svg>\n"; }

}  // namespace attnroof
