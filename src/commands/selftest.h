// What the command line of `attnroof selftest` asks for.
#pragma once

#include <string>

namespace attnroof {

struct SelfTestOptions {
    std::string device = "cuda";  // for open_backend
    bool json = false;
};

/// `attnroof selftest`: runs kernels with known bytes and operations and holds every counter to
/// them. Exit code 1 when one is off by more than 1 %, or when nothing could be counted.
int run_selftest_command(const SelfTestOptions& options);

}  // namespace attnroof
