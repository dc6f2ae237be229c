// One function a command. Each returns the exit code or throws an Error (errors.h).
#pragma once

#include "backend/backend.h"
#include "commands/sweep_options.h"

namespace attnroof {

/// `attnroof sweep`: plan, verify, time, count, place under the roofs, write the report.
int run_sweep(const SweepOptions& options);
/// The same on a backend that is open already; options.device is not looked at.
int run_sweep(const SweepOptions& options, const BackendChoice& choice);

}  // namespace attnroof
