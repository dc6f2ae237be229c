// Inline PTX whose results are used and whose operands are not known: neither the compiler nor the
// assembler may fold, split or drop what is counted. The half add and multiply have no kernel: the
// assembler writes every second one as a fused multiply-add, to fill two pipes.
#include <cuda_runtime.h>

#include "kernels/cuda/calibration/calibration.h"
#include "kernels/cuda/check.h"

namespace attnroof::cuda {
namespace {

/// Two chains a thread, so that one hides the other's latency.
template <Operation operation>
__global__ void __launch_bounds__(calibration_threads)
    operation_kernel(std::uint32_t first, std::uint32_t second, std::uint32_t operand,
                     std::uint32_t* sink) {
    std::uint32_t x[2] = {first, second};
    for (int n = 0; n < instructions_each / 2; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if constexpr (operation == Operation::ffma)
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+r"(x[i]) : "r"(operand));
            else if constexpr (operation == Operation::fadd)
                asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(x[i]) : "r"(operand));
            else if constexpr (operation == Operation::fmul)
                asm volatile("mul.rn.f32 %0, %0, %1;" : "+r"(x[i]) : "r"(operand));
            else if constexpr (operation == Operation::hfma)
                asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x[i]) : "r"(operand));
            else
                asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(x[i]));
        }
    if ((x[0] ^ x[1]) == 0x12345678u) *sink = x[0];
}

template <Operation operation>
void launch(int blocks, float* sink, cudaStream_t stream) {
    operation_kernel<operation><<<blocks, calibration_threads, 0, stream>>>(
        0, 0, 0, reinterpret_cast<std::uint32_t*>(sink));
    check_launch("calibration kernel");
}

/// mma.sync with zero operands: the count does not depend on the values.
template <bool bf16>
__global__ void __launch_bounds__(calibration_threads)
    mma_kernel(std::uint32_t operand, float* sink) {
    float c[2][4] = {};
    for (int n = 0; n < instructions_each / 2; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float(&d)[4] = c[i];
            if constexpr (bf16)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                    "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                    : "r"(operand));
            else
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                    "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                    : "r"(operand));
        }
    if (__float_as_uint(c[0][0]) == 0xffffffffu) *sink = c[1][3];
}

}  // namespace

void calibrate_operation(Operation operation, int blocks, float* sink, cudaStream_t stream) {
    switch (operation) {
        case Operation::ffma:
            return launch<Operation::ffma>(blocks, sink, stream);
        case Operation::fadd:
            return launch<Operation::fadd>(blocks, sink, stream);
        case Operation::fmul:
            return launch<Operation::fmul>(blocks, sink, stream);
        case Operation::hfma:
            return launch<Operation::hfma>(blocks, sink, stream);
        case Operation::ex2:
            return launch<Operation::ex2>(blocks, sink, stream);
    }
}

void calibrate_mma(DType dtype, int blocks, float* sink, cudaStream_t stream) {
    if (dtype == DType::bf16)
        mma_kernel<true><<<blocks, calibration_threads, 0, stream>>>(0, sink);
    else
        mma_kernel<false><<<blocks, calibration_threads, 0, stream>>>(0, sink);
    check_launch("mma calibration kernel");
}

}  // namespace attnroof::cuda
