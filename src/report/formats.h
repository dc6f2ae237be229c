// formats: pure functions from a report to text, one for each format.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace attnroof {

std::string to_json(const Report& report);  // schema_version 1
std::string to_csv(const Report& report);   // one row a case, RFC 4180, base units in column names
std::string to_svg(const Report& report);   // log-log roofline
std::string to_html(const Report& report);  // one self-contained page, opens offline
std::string to_markdown(const Report& report);
/// The block "selftest" of the report, on its own.
std::string selftest_json(const SelfTest& test);
/// The terminal table. `colour` adds ANSI colour; `width` 0 means no limit.
std::string to_table(const Report& report, bool colour, int width);

struct Format {
    std::string extension;  // "json"
    std::string (*render)(const Report&);
};

/// One row a format; adding one is one function and one row.
const std::vector<Format>& formats();

/// "md" of a/B.MD; empty without an extension.
std::string lower_extension(const std::string& path);

/// The format of a path by its extension. Throws UsageError that names the extension and the known.
const Format& format_of(const std::string& path);

/// Throws UsageError when the file could not be written (folder missing, not writable): asked
/// before anything is measured. Leaves an existing file untouched.
void check_writable(const std::string& path);

/// Renders and writes to a temporary name beside `path`, then renames: the old file or the new,
/// never half of one. Throws UsageError.
void write_report(const Report& report, const std::string& path);

}  // namespace attnroof
