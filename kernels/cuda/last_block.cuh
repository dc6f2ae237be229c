// Counters that the blocks of a launch share are put back by the last block that uses them.
#pragma once

namespace attnroof::cuda {

/// True for the last of a launch's blocks to call it, one thread of each. `left` counts them, from
/// zero; what each of those threads added to other counters before is there by then.
__device__ __forceinline__ bool last_block_out(unsigned* left) {
    __threadfence();
    if (atomicAdd(left, 1u) + 1 < gridDim.x) return false;
    __threadfence();
    return true;
}

}  // namespace attnroof::cuda
