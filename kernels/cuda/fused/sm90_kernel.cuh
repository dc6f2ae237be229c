// Fused attention forward for Hopper (Shah et al., FlashAttention-3, 2024).
//
// Idea: a persistent block; one producer thread feeds K and V through TMA into two-stage rings;
// consumer warpgroups of 64 query rows each multiply with wgmma and keep S, P and O in registers. A
// warpgroup has S of one key block and P V of the one before under way together and computes its
// softmax under the latter; two warpgroups take turns at issuing, so that one's softmax also runs
// under the other's products. P never touches shared memory: two column groups of S are one A
// operand.
//
// Tiles (query rows x keys): head_dim 64 192x128, 128 128x128, 256 128x80. Other head_dims take the
// next larger one; TMA delivers zeros past the true one.
//
// Ladder on an H200, bf16, 16384 tokens, hidden 2048, cold L2, TFLOP/s:
//   step                                                     predicted  measured
//   1 producer, 2 consumers, overlap within and between them,
//     each block its fixed tiles; d 128 full, N 8k             640-661       699
//     the same, causal                                         580           469
//   2 tiles handed out by a counter, longest first; causal     580-600       634
//   3 128x176 tiles for full masks: no room for a second Q     650-700       676
//     buffer, not kept
//   4 warpgroups skip key blocks that only others see;
//     d 64 causal, N 1k: 258 before                            340           322
//   5 sections of 16 MiB of K and V, O leaves the L2 first;
//     causal, N 16k, HBM reads over Q + K + V: 1.22 before     1.00          1.03
//   6 one loop in place of a masked and an unmasked one where
//     registers are short, so that d 256 causal takes 80 keys
//     at a time; N 8k: 539 with 64                             566-582       602
//     the same at d 64 and 128: 1 to 6 % slower, not kept
//   7 128x128 tiles at d 64, without waste at N 1k: 437 with
//     192 rows, not kept                                       440-480       414
//   8 blocks join waves where K and V of a head exceed 16 MiB;
//     d 128 full, N 128k: 578 and 158 GB read before          570-590       626
//     HBM reads, GB, model (passes of waves over K and V)           9.9      10.0
//   9 192-row tiles: a head's first is short of rows, not its
//     last; d 64 causal, N 1k: 312 before, 27 rounds of key
//     blocks a head in place of 32                            312-370       319
//     d 256 loses 3 % by the same, which it does not need
#pragma once

#include "kernels/cuda/fused/sm90_consumer.cuh"
#include "kernels/cuda/fused/sm90_producer.cuh"

namespace attnroof::cuda::sm90 {

template <typename T>
__global__ void __launch_bounds__(T::threads, 1) fused_forward(const __grid_constant__ Params p) {
    extern __shared__ std::uint8_t raw[];
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const Shared<T> shared{(unaligned + 1023) & ~1023u};
    if (threadIdx.x == 0) {
        shared.init_barriers();
        ptx::tma_prefetch_map(&p.q);
        ptx::tma_prefetch_map(&p.k);
        ptx::tma_prefetch_map(&p.v);
        ptx::tma_prefetch_map(&p.o);
    }
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup == T::consumers) {
        ptx::setmaxnreg_dec<T::producer_registers>();
        if (threadIdx.x == 128 * T::consumers) produce<T>(p, shared);
    } else {
        ptx::setmaxnreg_inc<T::consumer_registers>();
        Consumer<T>(p, shared, warpgroup).run();
    }
}

}  // namespace attnroof::cuda::sm90
