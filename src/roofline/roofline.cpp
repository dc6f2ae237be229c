#include "roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnroof {
namespace {

/// A point this far above its roof is timing noise of the two measurements, not a fault.
constexpr double noise_allowance = 1.01;

/// Ceilings that are this far the wrong way round are no noise.
constexpr double contradiction_allowance = 1.05;

constexpr const char* above_roof = ": above the roof; suspect: ";

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::optional<double> value_of(const std::vector<Ceiling>& ceilings, std::string_view id) {
    for (const Ceiling& c : ceilings)
        if (c.id == id && c.mode == CeilingMode::burst) return c.value;
    return std::nullopt;
}

bool has_sustained(const std::vector<Ceiling>& ceilings, std::string_view id) {
    return std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) {
        return c.id == id && c.mode == CeilingMode::sustained;
    });
}

/// The ceilings with the sustained value, where there is one, in the place of the burst one.
std::vector<Ceiling> sustained_first(const std::vector<Ceiling>& ceilings) {
    std::vector<Ceiling> chosen;
    for (Ceiling c : ceilings) {
        if (c.mode == CeilingMode::burst && has_sustained(ceilings, c.id)) continue;
        c.mode = CeilingMode::burst;
        chosen.push_back(std::move(c));
    }
    return chosen;
}

/// hbm.read on a GPU, dram.read on a CPU, whichever was measured.
std::optional<double> memory_value(const std::vector<Ceiling>& ceilings, const char* what) {
    if (auto value = value_of(ceilings, std::string("hbm.") + what)) return value;
    return value_of(ceilings, std::string("dram.") + what);
}

std::string memory_ceiling(const std::vector<Ceiling>& ceilings, double read_share) {
    const bool gpu = value_of(ceilings, "hbm.read") || value_of(ceilings, "hbm.copy");
    const char* what = read_share >= 0.75 ? "read" : read_share <= 0.25 ? "write" : "copy";
    if (!memory_value(ceilings, what)) what = memory_value(ceilings, "copy") ? "copy" : "read";
    return std::string(gpu ? "hbm." : "dram.") + what;
}

struct Roof {
    double flops_per_s;
    std::string ceiling;
    Bound bound;
};

std::vector<Roof> roofs_of(const Workload& work, const std::vector<Ceiling>& ceilings) {
    std::vector<Roof> roofs;
    const double bytes = static_cast<double>(work.traffic.total());
    const double share = bytes > 0 ? static_cast<double>(work.traffic.read_bytes) / bytes : 1;
    const bool level = !work.memory_ceiling.empty();
    const auto bandwidth =
        level ? value_of(ceilings, work.memory_ceiling) : attainable_bandwidth(ceilings, share);
    if (bandwidth && bytes > 0)
        roofs.push_back({work.flops / bytes * *bandwidth,
                         level ? work.memory_ceiling : memory_ceiling(ceilings, share),
                         Bound::memory});
    if (const std::string id = compute_ceiling(ceilings, work.problem.dtype); !id.empty())
        roofs.push_back({*value_of(ceilings, id), id, Bound::compute});
    // One exponential a visible score: 2 * gemms * d FLOPs share one.
    if (const auto exp_rate = value_of(ceilings, "exp")) {
        const double exps = static_cast<double>(work.problem.batch * work.problem.heads) *
                            static_cast<double>(work.problem.visible_pairs());
        if (exps > 0) roofs.push_back({work.flops / exps * *exp_rate, "exp", Bound::exp});
    }
    return roofs;
}

void hold_against_roofs(Point& point, const Workload& work, const std::vector<Ceiling>& ceilings) {
    point.attainable_flops_per_s = point.attainable_s = nan;
    const std::vector<Roof> roofs =
        roofs_of(work, work.throttled ? sustained_first(ceilings) : ceilings);
    if (roofs.empty()) return;
    const Roof& lowest = *std::min_element(
        roofs.begin(), roofs.end(),
        [](const Roof& a, const Roof& b) { return a.flops_per_s < b.flops_per_s; });
    point.ceiling = lowest.ceiling;
    if (work.throttled && has_sustained(ceilings, lowest.ceiling))
        point.ceiling_mode = CeilingMode::sustained;
    point.attainable_flops_per_s = lowest.flops_per_s;
    point.bound = lowest.bound;
    const auto launch_s = value_of(ceilings, "launch");
    point.attainable_s = work.flops / lowest.flops_per_s;
    if (launch_s && point.attainable_s < *launch_s) {
        point.bound = Bound::latency;
        point.attainable_s = *launch_s;
    }
}

/// The lowest roof binds what comes near it. What does not is short of its launches, or of neither.
void doubt_bound(Point& point, const Workload& work, std::optional<double> launch_s) {
    if (!point.bound || point.bound == Bound::latency) return;
    if (!(point.fraction_of_roof < bound_share)) return;
    const bool launching = launch_s && work.seconds < near_launches * work.launches * *launch_s;
    point.bound = launching ? Bound::latency : Bound::neither;
}

}  // namespace

std::optional<double> attainable_bandwidth(const std::vector<Ceiling>& ceilings,
                                           double read_share) {
    const auto read = memory_value(ceilings, "read");
    const auto write = memory_value(ceilings, "write");
    const auto copy = memory_value(ceilings, "copy");
    const auto between = [](std::optional<double> low, std::optional<double> high,
                            double t) -> std::optional<double> {
        if (!low || !high) return low ? low : high;
        return *low + t * (*high - *low);
    };
    if (read_share >= 0.5) return between(copy ? copy : write, read, 2 * read_share - 1);
    return between(write, copy ? copy : read, 2 * read_share);
}

std::string compute_ceiling(const std::vector<Ceiling>& ceilings, DType dtype) {
    const std::string tensor = std::string("tensor.") + name(dtype);
    if (value_of(ceilings, tensor)) return tensor;
    return value_of(ceilings, "fma.fp32") ? "fma.fp32" : "";
}

std::optional<Point> place_point(const Workload& work, const std::vector<Ceiling>& ceilings) {
    if (work.seconds <= 0) return std::nullopt;
    std::optional<Point> point = point_at_roof(work, ceilings);
    if (!point) return point;
    point->achieved_flops_per_s = work.flops / work.seconds;
    point->achieved_bytes_per_s = point->hbm_bytes / work.seconds;
    point->fraction_of_roof = point->achieved_flops_per_s / point->attainable_flops_per_s;
    doubt_bound(*point, work, value_of(ceilings, "launch"));
    return point;
}

std::optional<Point> point_at_roof(const Workload& work, const std::vector<Ceiling>& ceilings) {
    if (work.flops <= 0 || work.traffic.total() <= 0) return std::nullopt;
    Point point;
    point.flops = work.flops;
    point.hbm_bytes = static_cast<double>(work.traffic.total());
    point.bytes_source = work.traffic_source;
    point.bytes_kind = work.traffic_kind;
    point.intensity_flop_per_byte = work.flops / point.hbm_bytes;
    point.achieved_flops_per_s = point.achieved_bytes_per_s = point.fraction_of_roof = nan;
    hold_against_roofs(point, work, ceilings);
    return point;
}

std::vector<Contradiction> contradictions(const std::vector<Ceiling>& ceilings) {
    std::vector<Contradiction> found;
    const auto hold = [&](const std::string& higher, std::optional<double> high,
                          const std::string& lower, std::optional<double> low) {
        if (high && low && *low > 0 && *high > contradiction_allowance * *low)
            found.push_back({higher, lower, *high / *low});
    };
    for (const std::string memory : {"hbm", "dram"}) {
        // Half of a copy is reads, half writes: the faster of the two is the measure.
        const auto read = value_of(ceilings, memory + ".read"),
                   write = value_of(ceilings, memory + ".write");
        const bool writes = write.value_or(0) > read.value_or(0);
        hold(memory + ".copy", value_of(ceilings, memory + ".copy"),
             memory + (writes ? ".write" : ".read"), writes ? write : read);
    }
    hold("hbm.read", value_of(ceilings, "hbm.read"), "l2.read", value_of(ceilings, "l2.read"));
    hold("l2.read", value_of(ceilings, "l2.read"), "l1.read", value_of(ceilings, "l1.read"));
    for (const Ceiling& c : ceilings)
        if (c.mode == CeilingMode::sustained)
            hold(c.id, c.value, "its burst", value_of(ceilings, c.id));
    return found;
}

double shown_flops_per_s(const Point& point) {
    return std::isfinite(point.achieved_flops_per_s) ? point.achieved_flops_per_s
                                                     : point.attainable_flops_per_s;
}

std::optional<std::string> above_roof_warning(const Point& point) {
    if (!(point.fraction_of_roof > noise_allowance)) return std::nullopt;
    const char* suspect = point.bound != Bound::memory
                              ? "the ceiling was measured too low, or the FLOPs are too many"
                          : point.bytes_source == Source::counted
                              ? "part of the data was still in the cache, or the ceiling is too low"
                              : "the modelled bytes are too many: data stayed in the cache";
    return fmt::format("{:.1f} % of {}{}{}", 100 * point.fraction_of_roof, roof_name(point),
                       above_roof, suspect);
}

bool is_above_roof_warning(std::string_view text) {
    return text.find(above_roof) != std::string_view::npos;
}

}  // namespace attnroof
