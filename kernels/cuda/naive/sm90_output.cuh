// naive, step 3 for Hopper: O = P V by TMA and wgmma, P read once.
//
// A block is persistent and owns 64 rows for each of its consumer warpgroups at a time. One
// producer thread streams P (64 keys of all the rows) and the V rows of those keys through a ring
// that holds about 200 KB in flight, which is what keeps HBM busy; P is marked evict-first, so that
// V stays in L2, where every row tile reads it again. With 256 rows at head_dim 128 that is half a
// byte of V for each byte of P.
//
// Ladder on an H200, bf16, 16k tokens, hidden 2048, share of the read ceiling (4.58 TB/s) at 2048,
// 4096, 8192 and 16384 keys (attnroof_naive_bench):
//   step                                            head_dim 64           head_dim 128
//   mma.sync, cp.async                              .85 .85 .85 .85       .70 .66 .72 .76
//   wgmma, TMA, 64 keys a stage, 16-byte stores     .86 .86 .88 .89       .81 .81 .82 .85
//   128 keys a stage, half the stages: not kept     .79 .77 .78 .87       .64 .57 .59 .61
//   pairs of blocks that share V by multicast:
//     not kept                                      .60 .62 .64 .66
//   512 bytes a row of P brought into L2 ahead:
//     not kept                                      .69 .68 .68 .70       .66 .65 .64 .66
#pragma once

#include "kernels/cuda/launchers.h"
#include "kernels/cuda/naive/launch.h"
#include "kernels/cuda/naive/sm90.h"
#include "kernels/cuda/ptx/math.cuh"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ptx/mma.cuh"
#include "kernels/cuda/ptx/tma.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"
#include "kernels/cuda/ring.cuh"
#include "kernels/cuda/tensor_map.h"

namespace attnroof::cuda::naive_sm90 {

/// One compile-time choice. HeadDim is the padded head_dim, Keys those of a stage.
template <typename Element_, int HeadDim, int Keys = output_keys>
struct OutputTile {
    using Element = Element_;
    static constexpr int head_dim = HeadDim;
    static constexpr int consumers = output_rows(HeadDim) / 64;
    static constexpr int threads = 128 * (consumers + 1);
    static constexpr int block_m = 64 * consumers, keys = Keys;
    static constexpr int slabs = HeadDim / 64, slab_bytes = keys * 128;  // of V
    static constexpr int p_slabs = keys / 64, p_slab_bytes = block_m * 128;
    static constexpr int p_bytes = p_slabs * p_slab_bytes, v_bytes = slabs * slab_bytes;
    static constexpr int stages = 220 * 1024 / (p_bytes + v_bytes);
    static constexpr int v_offset = stages * p_bytes;
    static constexpr int barrier_offset = stages * (p_bytes + v_bytes);
    static constexpr int shared_bytes = barrier_offset + 2 * stages * 8 + 1024;  // slack to align
    static_assert(shared_bytes <= 227 * 1024);
};

template <typename Element>
struct OutputParams {
    CUtensorMap p, v;  // 3-D {keys or head_dim, length, batch * heads}
    Element* o;        // [batch * heads][q_len][head_dim]
    int q_len, head_dim, m_tiles;
    std::int64_t units;  // heads * m_tiles
    int group;           // query heads that share one key/value head
    VisibleKeys visible;
};

template <typename T>
struct OutputShared {
    std::uint32_t base;

    __device__ __forceinline__ std::uint32_t p(int stage) const {
        return base + stage * T::p_bytes;
    }
    __device__ __forceinline__ std::uint32_t v(int stage) const {
        return base + T::v_offset + stage * T::v_bytes;
    }
    __device__ __forceinline__ std::uint32_t full(int stage) const {
        return base + T::barrier_offset + 8 * stage;
    }
    __device__ __forceinline__ std::uint32_t empty(int stage) const {
        return full(T::stages + stage);
    }
    __device__ __forceinline__ void init_barriers() const {
        for (int i = 0; i < T::stages; ++i) {
            ptx::mbarrier_init(full(i), 1);
            ptx::mbarrier_init(empty(i), T::consumers);
        }
        ptx::mbarrier_init_fence();
    }
};

/// Blocks of keys that row tile `m` needs.
template <typename T>
__device__ __forceinline__ int key_blocks(const OutputParams<typename T::Element>& p, int m) {
    return (p.visible.of_rows_below((m + 1) * T::block_m) + T::keys - 1) / T::keys;
}

template <typename T>
__device__ __forceinline__ void produce_output(const OutputParams<typename T::Element>& p,
                                               const OutputShared<T>& shared) {
    Ring<T::stages> ring;
    const std::uint64_t once = ptx::l2_evict_first(), usual = ptx::l2_evict_normal();
    for (std::int64_t unit = blockIdx.x; unit < p.units; unit += gridDim.x) {
        const int m = static_cast<int>(unit % p.m_tiles), head = static_cast<int>(unit / p.m_tiles);
        const int kv_head = head / p.group, blocks = key_blocks<T>(p, m);
        for (int block = 0; block < blocks; ++block) {
            const std::uint32_t full = shared.full(ring.stage);
            ptx::mbarrier_wait(shared.empty(ring.stage), ring.parity ^ 1);
            ptx::mbarrier_arrive_expect(full, T::p_bytes + T::v_bytes);
#pragma unroll
            for (int slab = 0; slab < T::p_slabs; ++slab)
                ptx::tma_load_3d(shared.p(ring.stage) + slab * T::p_slab_bytes, &p.p, full,
                                 block * T::keys + 64 * slab, m * T::block_m, head, once);
#pragma unroll
            for (int slab = 0; slab < T::slabs; ++slab)
                ptx::tma_load_3d(shared.v(ring.stage) + slab * T::slab_bytes, &p.v, full, 64 * slab,
                                 block * T::keys, kv_head, usual);
            ring.advance();
        }
    }
}

/// One consumer warpgroup: 64 rows of O.
template <typename T>
struct OutputConsumer {
    using Element = typename T::Element;

    const OutputParams<Element>& p;
    const OutputShared<T>& shared;
    const int group, lane;
    Ring<T::stages> ring;

    __device__ __forceinline__ OutputConsumer(const OutputParams<Element>& params,
                                              const OutputShared<T>& s, int warpgroup)
        : p(params), shared(s), group(warpgroup), lane(threadIdx.x % 32) {}

    __device__ __forceinline__ void release(int stage) const {
        if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(shared.empty(stage));
    }

    /// All key blocks of a row tile; one product is under way while the next is waited for.
    __device__ __forceinline__ void accumulate(float (&o)[T::head_dim / 2], int blocks) {
        ptx::wgmma_pin(o);
        int last = 0;
        for (int block = 0; block < blocks; ++block) {
            ptx::mbarrier_wait(shared.full(ring.stage), ring.parity);
            const std::uint64_t a =
                ptx::wgmma_descriptor(shared.p(ring.stage) + 64 * group * 128, 16);
            const std::uint64_t b = ptx::wgmma_descriptor(shared.v(ring.stage), T::slab_bytes);
            ptx::wgmma_fence();
#pragma unroll
            for (int step = 0; step < T::keys / 16; ++step)
                ptx::Wgmma<Element, T::head_dim>::ss_mn(
                    o, a + step / 4 * (T::p_slab_bytes >> 4) + step % 4 * ptx::k_step_along_row,
                    b + step * ptx::k_step_down_rows, 1);
            ptx::wgmma_commit();
            ptx::wgmma_wait<1>();
            if (block > 0) release(last);
            last = ring.stage;
            ring.advance();
        }
        ptx::wgmma_wait<0>();
        ptx::wgmma_pin(o);
        if (blocks > 0) release(last);
    }

    /// In 16-byte pieces: the four lanes of a row exchange pairs of columns first.
    __device__ __forceinline__ void store(const float (&o)[T::head_dim / 2], int m,
                                          int head) const {
        const int row = m * T::block_m + 64 * group + 16 * (threadIdx.x % 128 / 32) + lane / 4;
        Element* target = p.o + (static_cast<std::int64_t>(head) * p.q_len + row) * p.head_dim;
#pragma unroll
        for (int r = 0; r < 2; ++r)
#pragma unroll
            for (int j = 0; j < T::head_dim / 8; j += 4) {  // 8 columns each
                std::uint32_t x[4];
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    x[i] = ptx::pack<Element>(o[4 * (j + i) + 2 * r], o[4 * (j + i) + 2 * r + 1]);
                ptx::quad_transpose(x);
                const int column = 8 * (j + lane % 4);
                if (row + 8 * r < p.q_len && column < p.head_dim)
                    *reinterpret_cast<uint4*>(target + 8 * r * p.head_dim + column) =
                        make_uint4(x[0], x[1], x[2], x[3]);
            }
    }

    __device__ __forceinline__ void run() {
        for (std::int64_t unit = blockIdx.x; unit < p.units; unit += gridDim.x) {
            const int m = static_cast<int>(unit % p.m_tiles);
            float o[T::head_dim / 2];
#pragma unroll
            for (int i = 0; i < T::head_dim / 2; ++i) o[i] = 0;
            accumulate(o, key_blocks<T>(p, m));
            store(o, m, static_cast<int>(unit / p.m_tiles));
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(T::threads, 1)
    output_kernel(const __grid_constant__ OutputParams<typename T::Element> p) {
    extern __shared__ std::uint8_t raw[];
    const auto unaligned = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const OutputShared<T> shared{(unaligned + 1023) & ~1023u};
    if (threadIdx.x == 0) {
        shared.init_barriers();
        ptx::tma_prefetch_map(&p.p);
        ptx::tma_prefetch_map(&p.v);
    }
    __syncthreads();
    const int warpgroup = threadIdx.x / 128;
    if (warpgroup < T::consumers) {
        OutputConsumer<T>(p, shared, warpgroup).run();
    } else if (threadIdx.x == 128 * T::consumers) {
        produce_output<T>(p, shared);
    }
}

template <typename T>
void launch_output(const LaunchArgs& args, const Options& options) {
    const AttentionProblem& a = args.problem;
    const std::int64_t heads = a.batch * a.heads, kv_heads = a.batch * a.kv_heads;
    const std::int64_t pitch = score_pitch(a);
    OutputParams<typename T::Element> p{};
    p.p = make_tensor_map(args.workspace, a.dtype, pitch, a.q_len, heads, T::block_m,
                          pitch * (options.fp32_scores ? 4 : 2));
    p.v = make_tensor_map(args.v, a.dtype, a.head_dim, a.kv_len, kv_heads, T::keys);
    p.o = static_cast<typename T::Element*>(args.o);
    p.q_len = static_cast<int>(a.q_len);
    p.head_dim = static_cast<int>(a.head_dim);
    p.m_tiles = static_cast<int>(ceil_div(a.q_len, T::block_m));
    p.units = heads * p.m_tiles;
    p.group = static_cast<int>(a.heads / a.kv_heads);
    p.visible = visible_keys_of(a, options.skip);
    allow_shared_memory(output_kernel<T>, T::shared_bytes);
    output_kernel<T><<<blocks_for(p.units), T::threads, T::shared_bytes,
                       static_cast<cudaStream_t>(args.stream)>>>(p);
    check_launch("naive output (sm90)");
}

}  // namespace attnroof::cuda::naive_sm90
