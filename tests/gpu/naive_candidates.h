// Ways in which steps 1 and 3 of naive:sm90 could go about their work, for naive_bench.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/launch.h"

namespace attnroof::testing {

/// What a candidate does of its step; `bytes` moves all of them and does nothing else. A share
/// counts the bytes of the whole step all the same, and then tells what the rest would allow; that
/// of `stores` counts what it stores.
enum class Part { whole, products, stores, bytes };

struct Candidate {
    std::string name;
    std::function<void(const LaunchArgs&)> launch;
    Part part = Part::whole;
};

/// bf16, head_dim up to 128, compute capability 9.x. The kernel's own choice comes first.
std::vector<Candidate> scores_candidates();
std::vector<Candidate> output_candidates();

}  // namespace attnroof::testing
