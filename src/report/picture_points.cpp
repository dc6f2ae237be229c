// The cases: lines, marks and labels.
#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/units.h"

namespace attnroof::picture {

std::string Picture::tooltip(const Series& s, std::size_t point) const {
    const CaseResult& c = *s.cases[point];
    const Point& p = s.points[point];
    const std::string level = plot_.levels.empty() ? "" : " of " + plot_.levels[s.shape];
    if (!c.time)
        return fmt::format("{}\n{} at {} FLOP/byte{}, attainable\nbound by {}, {}\n{}, {} {}",
                           c.plan.id, si(p.attainable_flops_per_s, "FLOP/s"),
                           significant(p.intensity_flop_per_byte), level, name(p.bound),
                           roof_name(p), si(p.attainable_s, "s"), spoken(p.hbm_bytes, "byte"),
                           name(p.bytes_source));
    const std::string roof =
        p.bound ? fmt::format("\n{} % of {}, bound by {}", percent(p.fraction_of_roof),
                              roof_name(p), name(p.bound))
                : "";
    return fmt::format("{}\n{} at {} FLOP/byte{}{}\n{}, {} {}", c.plan.id,
                       si(p.achieved_flops_per_s, "FLOP/s"), significant(p.intensity_flop_per_byte),
                       level, roof, si(c.time->median_s, "s"), spoken(p.hbm_bytes, "byte"),
                       name(p.bytes_source));
}

void Picture::series() {
    for (const Series& s : plot_.series) {
        std::vector<Position> points;
        for (const Point& p : s.points) points.push_back(at(p));
        for (std::size_t i = 1; i < points.size(); ++i)
            labels_.discourage_line(points[i - 1].x, points[i - 1].y, points[i].x, points[i].y);
        if (points.size() > 1)
            svg_.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.4\" opacity=\"0.55\"",
                                              colour_of(plot_, s.kernel)));
    }
}

void Picture::marks() {
    const double r = mark_radius();
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
        for (std::size_t k = 0; k < plot_.series[i].cases.size(); ++k) {
            const Series& s = plot_.series[i];
            const Position p = at(s.points[k]);
            svg_.open_group("", tooltip(s, k));
            svg_.mark(p, r, s.shape,
                      mark_style(colour_of(plot_, s.kernel),
                                 s.points[k].bytes_source == Source::counted));
            svg_.close_group();
            labels_.add_mark(p.x, p.y, r, i);
        }
}

void Picture::label(std::size_t series, std::size_t point, const std::string& text) {
    const Position p = at(plot_.series[series].points[point]);
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

/// N at the last and the first point of every series, and what sets the series apart. At a second
/// level the same cases stand at the same heights: they are not labelled again.
void Picture::series_labels() {
    const auto length = [](const CaseResult& c) {
        const AttentionProblem& p = c.plan.problem;
        return p.q_len == p.kv_len
                   ? "N=" + short_length(p.q_len)
                   : fmt::format("{}x{}", short_length(p.q_len), short_length(p.kv_len));
    };
    const auto labelled = [&](std::size_t i) {
        return plot_.levels.empty() || plot_.series[i].shape == 0;
    };
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        if (!labelled(i)) continue;
        const CaseResult& last = *plot_.series[i].cases.back();
        const std::string& apart = plot_.series[i].label;
        label(i, plot_.series[i].cases.size() - 1,
              apart.empty() ? length(last) : length(last) + " " + apart);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i)
        if (labelled(i) && plot_.series[i].cases.size() > 1)
            label(i, 0, length(*plot_.series[i].cases.front()));
}

}  // namespace attnroof::picture
