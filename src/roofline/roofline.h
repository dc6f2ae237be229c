// Williams, Waterman, Patterson: Roofline (CACM 2009). Time, bytes and FLOPs against the ceilings.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/ceiling.h"
#include "kernels/model.h"

namespace attnroof {

/// `neither`: far below every roof, so that none of them holds the case up.
enum class Bound { memory, compute, exp, latency, neither };
inline constexpr std::array bound_names{"memory", "compute", "exp", "latency", "neither"};
inline const char* name(Bound v) { return bound_names[static_cast<std::size_t>(v)]; }
inline const char* name(const std::optional<Bound>& v) { return v ? name(*v) : ""; }

/// Below this share of its roof a case takes five times as long as the roof explains: something
/// else holds it up, and no roof is said to bind it.
inline constexpr double bound_share = 0.2;

/// A case that takes no longer than this many times its empty launches is one of launches.
inline constexpr double near_launches = 2;

/// What a case did: useful FLOPs, bytes through memory, the median time.
struct Workload {
    AttentionProblem problem;
    double flops = 0;  // useful
    Traffic traffic;
    Source traffic_source = Source::modelled;
    std::string traffic_kind;  // "settled", "in range" or "model"
    double seconds = 0;
    bool throttled = false;  // the clock was held down while it was timed
    int launches = 1;        // kernels that it launches, one after the other
    /// The roof of the level that `traffic` passed: "l2.read". Empty: the memory's, by its reads.
    std::string memory_ceiling{};
};

/// Where a case sits under the roofs. Without a roof to hold it against, the ceiling and the bound
/// are empty and what would come of them is NaN; rates, bytes and intensity stand all the same.
struct Point {
    double flops = 0;
    double hbm_bytes = 0;  // of the level that the workload names, which is memory unless it does
    Source bytes_source = Source::modelled;
    std::string bytes_kind;
    double intensity_flop_per_byte = 0;
    double achieved_flops_per_s = 0;
    double achieved_bytes_per_s = 0;
    std::string ceiling;  // id of the roof that binds
    CeilingMode ceiling_mode = CeilingMode::burst;
    double attainable_flops_per_s = 0;
    double attainable_s = 0;  // the useful FLOPs at that rate, at least an empty launch
    double fraction_of_roof = 0;
    std::optional<Bound> bound;
};

/// The roof that a point is held against and its mode, as texts name them; empty without a roof.
inline std::string roof_name(const Point& p) {
    return p.ceiling.empty() ? "" : roof_name(p.ceiling, p.ceiling_mode);
}
inline const char* mode_name(const Point& p) {
    return p.ceiling.empty() ? "" : name(p.ceiling_mode);
}

/// Memory bandwidth in byte/s attainable by a stream of which `read_share` (0..1) is reads:
/// linear between the write (0), copy (0.5) and read (1) ceilings, as far as they were measured.
/// Empty when none was.
std::optional<double> attainable_bandwidth(const std::vector<Ceiling>& ceilings, double read_share);

/// Id of the compute ceiling that a dtype is held against: tensor.bf16, tensor.fp16 or fma.fp32
/// (on a device without tensor ceilings fma.fp32 for all), empty when not measured.
std::string compute_ceiling(const std::vector<Ceiling>& ceilings, DType dtype);

/// attainable = min(intensity * bandwidth, compute roof, exp roof); bound = what gives that
/// minimum, or latency when the roofs alone would take less time than an empty launch. A case below
/// `bound_share` of its roof is bound by latency when it takes hardly longer than its launches, and
/// by neither when it takes longer.
/// A throttled workload is held against the sustained ceilings, as far as they were measured.
/// Empty when the time, the FLOPs or the bytes are 0.
std::optional<Point> place_point(const Workload& work, const std::vector<Ceiling>& ceilings);

/// The same without a time: what ran nowhere. Its achieved figures and its fraction are NaN.
std::optional<Point> point_at_roof(const Workload& work, const std::vector<Ceiling>& ceilings);

/// Two ceilings of which the first cannot be above the second, and is.
struct Contradiction {
    std::string higher, lower;  // ids
    double ratio = 1;           // of their values: above 1
};

/// A copy that beats both a read and a write of the same memory, memory that beats its cache, what
/// is sustained and beats the burst: by more than 5 %, which is noise. A virtual machine, or one
/// that others use meanwhile, measures such ceilings; they stand as measured and are doubted.
std::vector<Contradiction> contradictions(const std::vector<Ceiling>& ceilings);

/// FLOP/s to draw and to list: achieved, or attainable where nothing ran.
double shown_flops_per_s(const Point& point);

/// A warning that names the suspect when the point lies above its roof, else nothing.
std::optional<std::string> above_roof_warning(const Point& point);

/// True of the texts that above_roof_warning gives.
bool is_above_roof_warning(std::string_view text);

}  // namespace attnroof
