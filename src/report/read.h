// The other way round: JSON text to a report, for compare, export and --resume.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace attnroof {

/// Reads a report of schema_version 1. `source` (a file name) starts every message; then the place
/// (line and column, or the JSON path) and what was expected there. Kernels are looked up in the
/// registry; one that this build lacks keeps its name and variant, and its pointer stays null.
/// A number that is null there is NaN here, or empty where the struct allows it.
/// Throws UsageError: empty, truncated or not JSON, not a report, another schema_version, a value
/// of the wrong type, a name that is not known.
Report parse_report(std::string_view text, const std::string& source);

/// More than this is no report: a hundred thousand cases take a quarter of it.
inline constexpr std::size_t largest_report = std::size_t{1} << 30;

/// Reads a file. Throws UsageError also when it cannot be read.
Report read_report(const std::string& path);

}  // namespace attnroof
