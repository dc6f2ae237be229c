// What a roofline picture shows, without coordinates: roofs, and cases joined along N.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace attnroof {

struct Roof {
    std::string label;  // "HBM copy 4.28 TB/s"
    double value = 0;   // byte/s of a memory roof, FLOP/s of a compute roof
    bool main = true;   // bounds the attainable region; the others are for comparison
};

/// Cases that differ in length alone, shortest first.
struct Series {
    std::vector<const CaseResult*> cases;
    std::vector<Point> points;          // one a case
    std::size_t kernel = 0, shape = 0;  // indices into Plot::kernels and Plot::shapes
    std::string label;                  // what else sets it apart: "d=128"; empty when nothing does
};

struct Plot {
    std::vector<Roof> memory, compute;  // highest first; at most one of each is main
    std::vector<std::string> kernels;   // one colour each
    std::vector<std::string> shapes;    // one mark each: mask, and dtype where it varies
    std::vector<Series> series;
    bool counted = false, modelled = false;  // whether points have such bytes
    /// Levels of memory by name, where points of several or of a cache are drawn: the shapes then.
    std::vector<std::string> levels;

    const Roof* memory_roof() const;
    const Roof* compute_roof() const;
    /// FLOP/byte where the main roofs meet; 0 when one is missing.
    double ridge() const;
};

/// Cases at the level of device memory.
Plot plot_of(const Report& report);

/// The same at the levels that the config asks for, as far as there are points: one roof and one
/// shape each.
Plot plot_of_levels(const Report& report);

/// True when a case can be drawn on log axes.
bool drawable(const CaseResult& result);

}  // namespace attnroof
