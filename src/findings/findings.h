// findings: what the cases of a report say together, in sentences with a number.
#pragma once

#include <vector>

#include "report/report.h"

namespace attnroof {

/// In the order of the story: how the work, the traffic and the memory grow with N, where the
/// scores leave the cache, which ceilings are doubtful, what bounds the kernels, how near they
/// come to the compute roof, where fused wins, and how far counts and models part. What the report
/// cannot tell is left out; a prediction has none.
///
/// Ids: exponent.{flops,bytes,footprint}.KERNEL, score_bytes.64k (lesson alone),
/// score_leaves_cache.KERNEL, ceilings.contradict.CEILING,
/// ceilings.unsteady.CEILING[.sustained], bound.KERNEL.BOUND, compute_roof.KERNEL,
/// wins_from.KERNEL, speedup.KERNEL, excess_bytes.KERNEL, useful_per_executed.KERNEL.
std::vector<Finding> findings_of(const Report& report);

}  // namespace attnroof
