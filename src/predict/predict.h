// A report of what a device could do, with nothing run: model and roofs only.
#pragma once

#include "config/config.h"
#include "predict/device_spec.h"
#include "report/report.h"

namespace attnroof {

/// The plan's cases on the device of `spec`, with the kernels of its compute capability: useful
/// FLOPs, modelled bytes, footprint, and the point on the roof with its attainable time. No case
/// has a time, counters or a check. Cases that need more than the device's memory are skipped.
Report predict(const SweepConfig& config, const DeviceSpec& spec);

}  // namespace attnroof
