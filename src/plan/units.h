// Sizes for people.
#pragma once

#include <cstdint>
#include <string>

namespace attnroof {

/// "512 B", "1.50 GiB": powers of 1024.
std::string readable_bytes(std::int64_t bytes);

}  // namespace attnroof
