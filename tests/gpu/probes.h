// Kernels whose traffic and operations are known exactly.
#pragma once

#include <cstdint>

namespace attnroof::probe {

/// Copies `bytes`, a multiple of 16.
void copy(const void* from, void* to, std::int64_t bytes, void* stream);
/// Reads `bytes`, a multiple of 16, once; `sink` is never written when all of them are zero.
void read(const void* from, std::int64_t bytes, void* sink, void* stream);
/// The same, under the policy by which lines leave the L2 last (sm_80 and later).
void hold(const void* from, std::int64_t bytes, void* sink, void* stream);
/// Writes `bytes`, a multiple of 16.
void fill(void* to, std::int64_t bytes, void* stream);

/// Shape of the arithmetic kernels: each thread executes `per_thread` instructions of its kind.
inline constexpr int blocks = 132, threads = 256, per_thread = 4096;
inline constexpr std::int64_t instructions = std::int64_t{blocks} * threads * per_thread;

void ffma(void* sink, void* stream);
void packed_half_fma(void* sink, void* stream);
void exponential(void* sink, void* stream);
/// mma.sync m16n8k16, bf16 or fp16 in, fp32 out: `per_thread` a warp, 4096 FLOPs each.
void tensor(bool bf16, void* sink, void* stream);

/// Runs for `seconds` and touches nothing.
void hang(double seconds, void* stream);

/// Writes through a null pointer.
void fault(void* stream);

}  // namespace attnroof::probe
