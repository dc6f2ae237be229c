// A text file that a user named, read whole.
#pragma once

#include <cstddef>
#include <string>

namespace attnroof {

/// `what` ("a config") ends the messages. Throws UsageError that starts with the path: a directory,
/// not there, not readable, more than `largest` bytes (/dev/zero never ends).
std::string read_file(const std::string& path, const char* what, std::size_t largest);

}  // namespace attnroof
