// The launchers of launchers.h with the instruction set as a parameter.
#pragma once

#include <vector>

#include "kernels/cpu/isa.h"
#include "kernels/launch.h"

namespace attnroof::cpu {

/// The instruction sets that this build holds and this CPU has, the best one first.
const std::vector<const Isa*>& usable_isas();
inline const Isa& best_isa() { return *usable_isas().front(); }

void scores(const LaunchArgs& args, const Isa& isa);
void softmax(const LaunchArgs& args, const Isa& isa);
void output(const LaunchArgs& args, const Isa& isa);
void fused(const LaunchArgs& args, const Isa& isa);

}  // namespace attnroof::cpu
