// Position in a ring of shared-memory buffers guarded by mbarriers.
#pragma once

#include <cstdint>

namespace attnroof::cuda {

/// The stage, and the parity of its barriers: how often the ring has gone round.
template <int stages>
struct Ring {
    int stage = 0;
    std::uint32_t parity = 0;

    __device__ __forceinline__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

}  // namespace attnroof::cuda
