// wgmma (sm_90a): the asynchronous tensor core product of a warpgroup, D[64][N] += A[64][16]
// B[16][N], fp32 accumulators, 16-bit operands.
//
// D: warp w of the group owns rows 16w..16w+15; lane l holds rows l/4 and l/4+8, columns
// 8j + 2(l%4) + {0,1}: d[4j], d[4j+1] for the first row, d[4j+2], d[4j+3] for the second. An A
// fragment in registers has the same layout, so two column groups of a D pack into one A without a
// shuffle.
//
// Operands in shared memory lie in slabs of [rows][64 elements], 128 bytes a row, under TMA's
// 128-byte swizzle; a slab starts at a multiple of 1024 bytes.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace attnroof::cuda::ptx {

/// Descriptor fields (PTX ISA, matrix descriptor): start address, leading and stride byte offset in
/// units of 16 bytes, swizzle mode 1 = 128 bytes.
__device__ __forceinline__ std::uint64_t wgmma_descriptor(std::uint32_t address,
                                                          std::uint32_t leading_bytes) {
    return (std::uint64_t{1} << 62) | (std::uint64_t{1024 >> 4} << 32) |
           (static_cast<std::uint64_t>(leading_bytes >> 4) << 16) | ((address & 0x3ffff) >> 4);
}

/// The 16-element step along a slab's row, and the 16-row step down a slab, in descriptor units.
inline constexpr std::uint64_t k_step_along_row = 32 >> 4;
inline constexpr std::uint64_t k_step_down_rows = 2048 >> 4;

/// Orders this thread's register and shared-memory accesses before the products that follow.
__device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

/// Waits until at most `pending` committed groups are under way.
template <int pending>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(pending) : "memory");
}

/// Keeps the compiler from moving reads and writes of accumulators across this point.
template <int count>
__device__ __forceinline__ void wgmma_pin(float (&d)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Products of one N: `ss` takes A and B from shared memory, both K-major; `ss_mn` the same with B
/// MN-major (a [k][n] slab as it lies); `rs` takes A from registers and B MN-major. `accumulate` 0
/// overwrites D.
template <typename Element, int N>
struct Wgmma;

// Eight accumulators: their places in the instruction and as operands.
#define ATTNROOF_D8(i)                                                                          \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define ATTNROOF_P0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define ATTNROOF_P8 "%8, %9, %10, %11, %12, %13, %14, %15"
#define ATTNROOF_P16 "%16, %17, %18, %19, %20, %21, %22, %23"
#define ATTNROOF_P24 "%24, %25, %26, %27, %28, %29, %30, %31"
#define ATTNROOF_P32 "%32, %33, %34, %35, %36, %37, %38, %39"
#define ATTNROOF_P40 "%40, %41, %42, %43, %44, %45, %46, %47"
#define ATTNROOF_P48 "%48, %49, %50, %51, %52, %53, %54, %55"
#define ATTNROOF_P56 "%56, %57, %58, %59, %60, %61, %62, %63"
#define ATTNROOF_P64 "%64, %65, %66, %67, %68, %69, %70, %71"
#define ATTNROOF_P72 "%72, %73, %74, %75, %76, %77, %78, %79"
#define ATTNROOF_P80 "%80, %81, %82, %83, %84, %85, %86, %87"
#define ATTNROOF_P88 "%88, %89, %90, %91, %92, %93, %94, %95"
#define ATTNROOF_P96 "%96, %97, %98, %99, %100, %101, %102, %103"
#define ATTNROOF_P104 "%104, %105, %106, %107, %108, %109, %110, %111"
#define ATTNROOF_P112 "%112, %113, %114, %115, %116, %117, %118, %119"
#define ATTNROOF_P120 "%120, %121, %122, %123, %124, %125, %126, %127"
// The same for all accumulators of a shape.
#define ATTNROOF_PLACES_64 ATTNROOF_P0 ", " ATTNROOF_P8 ", " ATTNROOF_P16 ", " ATTNROOF_P24
#define ATTNROOF_OPERANDS_64 ATTNROOF_D8(0), ATTNROOF_D8(8), ATTNROOF_D8(16), ATTNROOF_D8(24)
#define ATTNROOF_PLACES_80 \
    ATTNROOF_P0 ", " ATTNROOF_P8 ", " ATTNROOF_P16 ", " ATTNROOF_P24 ", " ATTNROOF_P32
#define ATTNROOF_OPERANDS_80 \
    ATTNROOF_D8(0), ATTNROOF_D8(8), ATTNROOF_D8(16), ATTNROOF_D8(24), ATTNROOF_D8(32)
#define ATTNROOF_PLACES_128                                                            \
    ATTNROOF_P0 ", " ATTNROOF_P8 ", " ATTNROOF_P16 ", " ATTNROOF_P24 ", " ATTNROOF_P32 \
                ", " ATTNROOF_P40 ", " ATTNROOF_P48 ", " ATTNROOF_P56
#define ATTNROOF_OPERANDS_128                                                          \
    ATTNROOF_D8(0), ATTNROOF_D8(8), ATTNROOF_D8(16), ATTNROOF_D8(24), ATTNROOF_D8(32), \
        ATTNROOF_D8(40), ATTNROOF_D8(48), ATTNROOF_D8(56)
#define ATTNROOF_PLACES_176                                                             \
    ATTNROOF_P0 ", " ATTNROOF_P8 ", " ATTNROOF_P16 ", " ATTNROOF_P24 ", " ATTNROOF_P32  \
                ", " ATTNROOF_P40 ", " ATTNROOF_P48 ", " ATTNROOF_P56 ", " ATTNROOF_P64 \
                ", " ATTNROOF_P72 ", " ATTNROOF_P80
#define ATTNROOF_OPERANDS_176                                                                \
    ATTNROOF_D8(0), ATTNROOF_D8(8), ATTNROOF_D8(16), ATTNROOF_D8(24), ATTNROOF_D8(32),       \
        ATTNROOF_D8(40), ATTNROOF_D8(48), ATTNROOF_D8(56), ATTNROOF_D8(64), ATTNROOF_D8(72), \
        ATTNROOF_D8(80)
#define ATTNROOF_PLACES_256                                                             \
    ATTNROOF_P0 ", " ATTNROOF_P8 ", " ATTNROOF_P16 ", " ATTNROOF_P24 ", " ATTNROOF_P32  \
                ", " ATTNROOF_P40 ", " ATTNROOF_P48 ", " ATTNROOF_P56 ", " ATTNROOF_P64 \
                ", " ATTNROOF_P72 ", " ATTNROOF_P80 ", " ATTNROOF_P88 ", " ATTNROOF_P96 \
                ", " ATTNROOF_P104 ", " ATTNROOF_P112 ", " ATTNROOF_P120
#define ATTNROOF_OPERANDS_256                                                                  \
    ATTNROOF_D8(0), ATTNROOF_D8(8), ATTNROOF_D8(16), ATTNROOF_D8(24), ATTNROOF_D8(32),         \
        ATTNROOF_D8(40), ATTNROOF_D8(48), ATTNROOF_D8(56), ATTNROOF_D8(64), ATTNROOF_D8(72),   \
        ATTNROOF_D8(80), ATTNROOF_D8(88), ATTNROOF_D8(96), ATTNROOF_D8(104), ATTNROOF_D8(112), \
        ATTNROOF_D8(120)

// One shape and type; A..F are the operand numbers behind the accumulators.
#define ATTNROOF_WGMMA(Element, TYPE, N, A, B, C, D, E, F)                                        \
    template <>                                                                                   \
    struct Wgmma<Element, N> {                                                                    \
        static __device__ __forceinline__ void ss(float (&d)[N / 2], std::uint64_t a,             \
                                                  std::uint64_t b, int accumulate) {              \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #C                                  \
                         ", 0;\n"                                                                 \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE          \
                         " {" ATTNROOF_PLACES_##N "}, %" #A ", %" #B ", p, 1, 1, 0, 0;\n}\n"      \
                         : ATTNROOF_OPERANDS_##N                                                  \
                         : "l"(a), "l"(b), "r"(accumulate));                                      \
        }                                                                                         \
        static __device__ __forceinline__ void ss_mn(float (&d)[N / 2], std::uint64_t a,          \
                                                     std::uint64_t b, int accumulate) {           \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #C                                  \
                         ", 0;\n"                                                                 \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE          \
                         " {" ATTNROOF_PLACES_##N "}, %" #A ", %" #B ", p, 1, 1, 0, 1;\n}\n"      \
                         : ATTNROOF_OPERANDS_##N                                                  \
                         : "l"(a), "l"(b), "r"(accumulate));                                      \
        }                                                                                         \
        static __device__ __forceinline__ void rs(float (&d)[N / 2], const std::uint32_t (&a)[4], \
                                                  std::uint64_t b, int accumulate) {              \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #F                                  \
                         ", 0;\n"                                                                 \
                         "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE          \
                         " {" ATTNROOF_PLACES_##N "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E \
                                                  ", p, 1, 1, 1;\n}\n"                            \
                         : ATTNROOF_OPERANDS_##N                                                  \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));  \
        }                                                                                         \
    }
ATTNROOF_WGMMA(__nv_bfloat16, "bf16", 64, 32, 33, 34, 35, 36, 37);
ATTNROOF_WGMMA(__half, "f16", 64, 32, 33, 34, 35, 36, 37);
ATTNROOF_WGMMA(__nv_bfloat16, "bf16", 80, 40, 41, 42, 43, 44, 45);
ATTNROOF_WGMMA(__half, "f16", 80, 40, 41, 42, 43, 44, 45);
ATTNROOF_WGMMA(__nv_bfloat16, "bf16", 128, 64, 65, 66, 67, 68, 69);
ATTNROOF_WGMMA(__half, "f16", 128, 64, 65, 66, 67, 68, 69);
ATTNROOF_WGMMA(__nv_bfloat16, "bf16", 176, 88, 89, 90, 91, 92, 93);
ATTNROOF_WGMMA(__half, "f16", 176, 88, 89, 90, 91, 92, 93);
ATTNROOF_WGMMA(__nv_bfloat16, "bf16", 256, 128, 129, 130, 131, 132, 133);
ATTNROOF_WGMMA(__half, "f16", 256, 128, 129, 130, 131, 132, 133);

#undef ATTNROOF_WGMMA
#undef ATTNROOF_D8
#undef ATTNROOF_P0
#undef ATTNROOF_P8
#undef ATTNROOF_P16
#undef ATTNROOF_P24
#undef ATTNROOF_P32
#undef ATTNROOF_P40
#undef ATTNROOF_P48
#undef ATTNROOF_P56
#undef ATTNROOF_P64
#undef ATTNROOF_P72
#undef ATTNROOF_P80
#undef ATTNROOF_P88
#undef ATTNROOF_P96
#undef ATTNROOF_P104
#undef ATTNROOF_P112
#undef ATTNROOF_P120
#undef ATTNROOF_PLACES_64
#undef ATTNROOF_OPERANDS_64
#undef ATTNROOF_PLACES_80
#undef ATTNROOF_OPERANDS_80
#undef ATTNROOF_PLACES_128
#undef ATTNROOF_OPERANDS_128
#undef ATTNROOF_PLACES_176
#undef ATTNROOF_OPERANDS_176
#undef ATTNROOF_PLACES_256
#undef ATTNROOF_OPERANDS_256

}  // namespace attnroof::cuda::ptx
