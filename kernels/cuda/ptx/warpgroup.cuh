// Registers and barriers of a warpgroup (128 threads, sm_90).
#pragma once

#include <cstdint>

namespace attnroof::cuda::ptx {

/// Gives registers of this warpgroup back to the pool, or takes more from it. Multiples of 8.
template <int registers>
__device__ __forceinline__ void setmaxnreg_dec() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(registers));
}

template <int registers>
__device__ __forceinline__ void setmaxnreg_inc() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(registers));
}

/// Waits until `threads` threads have come to barrier `id` (1..15), this one among them.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;\n" ::"r"(id), "r"(threads) : "memory");
}

/// Comes to the barrier and goes on.
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;\n" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace attnroof::cuda::ptx
