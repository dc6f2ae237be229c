// What the writer and the reader of a report agree on.
#pragma once

namespace attnroof {

inline constexpr int schema_version = 1;

/// Counters with the write-back of a kernel's own output stand beside the others under this prefix:
/// settled_hbm_read_bytes.
inline constexpr const char* settled_prefix = "settled_";

/// The JSON Schema of a report (draft 2020-12), compiled in from schema/report.schema.json.
const char* report_schema();

}  // namespace attnroof
