// The way in to the CPU backend.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace attnroof {

/// The backend of this machine's CPUs; always there.
std::unique_ptr<Backend> open_cpu_backend();

}  // namespace attnroof
