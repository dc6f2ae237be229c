// Ways in which steps 1 and 3 of naive:sm90 could go about their work, for naive_bench.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/launch.h"

namespace attnroof::testing {

struct Candidate {
    std::string name;
    std::function<void(const LaunchArgs&)> launch;
    bool complete = true;      // false: leaves work out, to show what the rest takes
    bool bytes_alone = false;  // moves all of the step's bytes through memory and does nothing else
};

/// bf16, head_dim up to 128, compute capability 9.x. The kernel's own choice comes first.
std::vector<Candidate> scores_candidates();
std::vector<Candidate> output_candidates();

}  // namespace attnroof::testing
