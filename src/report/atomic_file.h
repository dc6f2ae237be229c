// Writing a file so that a reader sees the old one or the new one, never half of one.
#pragma once

#include <string>
#include <string_view>

namespace attnroof {

/// True for a path that is written to in place: a pipe, a device, a socket, /dev/stdout.
bool is_stream(const std::string& path);

/// Writes a temporary file beside the target, syncs it and renames it over the target. A symbolic
/// link stays one: its target is replaced. An existing file's mode is kept. Streams are appended
/// to. Throws UsageError that names the path and the system's reason; the old file is then whole.
void write_file(const std::string& path, std::string_view text);

}  // namespace attnroof
