// Roofs of a CPU.
#pragma once

#include "backend/backend.h"

namespace attnroof::cpu {

/// Reads the whole buffer once on all cores, each its own slice.
void read_all(const Buffer& buffer);

/// dram.read and dram.copy over buffers well beyond the last-level cache (bytes read plus written),
/// fma.fp32 with all cores at once, launch: an empty run of the thread team. About a second.
std::vector<Ceiling> measure_cpu_ceilings(Backend& backend);

}  // namespace attnroof::cpu
