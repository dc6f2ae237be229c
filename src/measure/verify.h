// launch: runs a case once into poisoned outputs and checks it against an fp64 reference.
#pragma once

#include <optional>
#include <string>

#include "backend/backend.h"
#include "measure/buffers.h"

namespace attnroof {

struct CheckResult {
    double max_abs_error = 0;  // of O, over the sampled rows
    double tolerance = 0;      // bound of the element whose error / bound is largest
    double worst_ratio = 0;    // that largest error / bound, over O and LSE; above 1 is wrong
    double lse_max_abs_error = 0;
    std::int64_t rows = 0;       // rows compared with the reference
    std::int64_t unwritten = 0;  // elements of O and LSE still NaN, over all rows
};

/// Poisons O, LSE and the workspace, runs the kernel, counts NaNs over the whole output and
/// compares `sampled_rows` rows (first and last row of the first and last head among them) with
/// fp64.
CheckResult verify_case(Backend& backend, const CaseBuffers& buffers, int sampled_rows,
                        std::uint64_t seed);

/// What is wrong, in a sentence, or nothing.
std::optional<std::string> fault_of(const CheckResult& check);

}  // namespace attnroof
