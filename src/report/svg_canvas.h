// The few SVG elements that a picture needs, written as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnroof {

struct Position {
    double x = 0, y = 0;
};

/// Text that is safe in XML content and attributes: & < > " ' escaped, control characters and bytes
/// that are not UTF-8 replaced.
std::string xml_text(std::string_view text);

/// Attributes are given as written in SVG: fill="#fff" stroke-width="2".
class SvgCanvas {
  public:
    SvgCanvas(int width, int height, const std::string& title);

    void line(Position from, Position to, const std::string& attributes);
    void polyline(const std::vector<Position>& points, const std::string& attributes);
    void polygon(const std::vector<Position>& points, const std::string& attributes);
    void rectangle(double x, double y, double width, double height, const std::string& attributes);
    void text(Position at, const std::string& content, const std::string& attributes);
    /// Opens a group; `tooltip` is shown when the pointer rests on it.
    void open_group(const std::string& attributes, const std::string& tooltip = "");
    void close_group();
    /// Shape 0 is a circle, then triangle, square, diamond, and round again.
    void mark(Position at, double radius, std::size_t shape, const std::string& attributes);

    std::string done() const;

  private:
    std::string out_;
};

}  // namespace attnroof
