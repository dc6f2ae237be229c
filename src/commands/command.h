// The command line: what main calls, and the commands that need no file of their own header.
#pragma once

#include "commands/sweep_options.h"

namespace attnroof {

/// Parses, checks and runs one command line; returns the exit code (errors.h). Throws Error.
int run_command_line(int argc, const char* const* argv);

/// `attnroof sweep --dry-run`: prints the plan and what the counters need. Measures nothing.
int run_dry_run(const SweepOptions& options);

/// `attnroof sweep --list-kernels`: prints the registry, found out by asking each row. Touches no
/// device.
int list_kernels();

}  // namespace attnroof
