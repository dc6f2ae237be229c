// Attention inputs of four kinds, and an fp64 reference for them, on the GPU and as simple as can
// be.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace attnroof::testing {

enum class Inputs {
    normal,          // N(0, 1)
    outliers,        // N(0, 1) + N(0, 100) * Bernoulli(0.001)
    large_negative,  // all keys equal, every score near -120: exp underflows, LSE < -88.7
    one_hot,         // one key far above the rest
};

/// Writes Q, K and V.
void fill_inputs(const LaunchArgs& args, Inputs inputs, std::uint64_t seed);

struct Worst {
    double ratio = 0;      // largest error / bound over O and LSE; infinite for NaN
    std::int64_t row = 0;  // over batch * heads * q_len
};

/// Compares O and LSE with fp64 in every `step`-th row and the last. An error's bound is what
/// rounding can explain: P and O stored in the dtype (eight standard deviations), scores in fp32
/// or, with `scores_in_dtype`, in the dtype. A row without keys must be exactly 0 and -inf.
Worst compare_with_fp64(const LaunchArgs& args, bool scores_in_dtype, std::int64_t step);

}  // namespace attnroof::testing
