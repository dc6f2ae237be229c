// Probe kernels: each does one thing as fast as the chip can, so that its rate is a roof.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/problem.h"

namespace attnroof::cuda {

/// How a probe is launched. Which shape is fastest differs between chips: callers try a few.
struct ProbeShape {
    int blocks = 1;
    int threads = 256;
};

/// Fills `bytes` (a multiple of 16) with random bits that are finite, non-zero fp32 numbers.
void fill_probe_data(void* data, std::int64_t bytes, cudaStream_t stream);

// Memory. Sizes are multiples of 16 bytes, pointers aligned to 16. `sink` is 4 bytes that are
// written only in a case that does not occur; it keeps the loads alive.

/// Reads `bytes` once for each of `passes`, past L1.
void probe_read(const void* data, std::int64_t bytes, int passes, float* sink, ProbeShape shape,
                cudaStream_t stream);
void probe_write(void* data, std::int64_t bytes, ProbeShape shape, cudaStream_t stream);
/// In blocks of `threads`, as many as it takes; up to 32 GiB.
void probe_copy(void* to, const void* from, std::int64_t bytes, int threads, cudaStream_t stream);

/// Reads shared memory without bank conflicts; returns the bytes, shared_read_bytes.
double probe_shared_read(int iterations, float* sink, ProbeShape shape, cudaStream_t stream);
inline constexpr int shared_reads = 8;  // of 16 bytes, a thread and iteration
inline constexpr double shared_read_bytes(int iterations, ProbeShape shape) {
    return 16.0 * shared_reads * iterations * shape.blocks * shape.threads;
}

// Arithmetic on registers alone. Each returns the operations that one launch does.

/// FLOPs of independent chains of fused multiply-adds (2 each).
double probe_ffma(int iterations, float* sink, ProbeShape shape, cudaStream_t stream);
/// Number of ex2.approx.ftz.f32.
double probe_exp(int iterations, float* sink, ProbeShape shape, cudaStream_t stream);
/// FLOPs of mma.sync.m16n8k16 with fp32 accumulators and random operands; bf16 or fp16.
double probe_mma(DType dtype, int iterations, float* sink, ProbeShape shape, cudaStream_t stream);
/// FLOPs of wgmma.m64n256k16 (compute capability 9.x alone), random operands in shared memory; 128,
/// 256 or 384 threads, one block an SM.
double probe_wgmma(DType dtype, int iterations, float* sink, ProbeShape shape, cudaStream_t stream);

/// A kernel that does nothing.
void probe_empty(cudaStream_t stream);

}  // namespace attnroof::cuda
