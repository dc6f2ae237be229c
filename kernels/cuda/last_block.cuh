// Counters that the blocks of a launch share are put back by the last block that uses them.
#pragma once

namespace attnroof::cuda {

/// True for the last of a launch's blocks to call it, one thread of each. `left` counts them, from
/// zero; whatever each of them added before is there by then.
__device__ __forceinline__ bool last_block_out(unsigned* left) {
    __threadfence();
    return atomicAdd(left, 1u) + 1 == gridDim.x;
}

}  // namespace attnroof::cuda
