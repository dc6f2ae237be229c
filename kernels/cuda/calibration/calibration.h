// Kernels that execute an exactly known number of operations, to hold counters to.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/problem.h"

namespace attnroof::cuda {

/// One instruction of a thread: fp32 fused multiply-add, add, multiply, packed half fused
/// multiply-add, ex2.
enum class Operation { ffma, fadd, fmul, hfma, ex2 };

/// Shape of every launch below: blocks of this many threads, each thread (warp, warpgroup)
/// executing this many instructions of its kind.
inline constexpr int calibration_threads = 256, instructions_each = 2048;

/// Thread instructions of one launch of `blocks` blocks.
inline constexpr double calibration_instructions(int blocks) {
    return static_cast<double>(blocks) * calibration_threads * instructions_each;
}
/// FLOPs of mma.sync.m16n8k16, instructions_each a warp.
inline constexpr double calibration_mma_flops(int blocks) {
    return calibration_instructions(blocks) / 32 * (2.0 * 16 * 8 * 16);
}
/// FLOPs of wgmma m64n64k16, instructions_each a warpgroup.
inline constexpr double calibration_wgmma_flops(int blocks) {
    return calibration_instructions(blocks) / 128 * (2.0 * 64 * 64 * 16);
}

/// `sink` is 4 bytes that are written only in a case that does not occur.
void calibrate_operation(Operation operation, int blocks, float* sink, cudaStream_t stream);
/// fp16 or bf16 operands, fp32 accumulators.
void calibrate_mma(DType dtype, int blocks, float* sink, cudaStream_t stream);
/// The same through the warpgroup path; compute capability 9.0 only.
void calibrate_wgmma(DType dtype, int blocks, float* sink, cudaStream_t stream);

}  // namespace attnroof::cuda
