// How the scores of a warp leave for memory: through 4 KB of shared memory of its own, so that no
// warp waits for another and the warps drift apart, some storing while others multiply; whole lines
// of a row with each store, 16 bytes a lane. (All of a tile staged at once, to be stored under the
// next product, is no faster at head_dim 64 and slower at 128.)
#pragma once

#include <cstdint>

#include "kernels/cuda/naive/sm90.h"
#include "kernels/cuda/ptx/l2.cuh"
#include "kernels/cuda/ptx/ldmatrix.cuh"
#include "kernels/cuda/ptx/mma.cuh"

namespace attnroof::cuda::naive_sm90 {

inline constexpr int warp_staging_bytes = 4096;

/// Where S is.
template <typename Score>
struct ScoresTarget {
    Score* s;  // [batch * heads][q_len][pitch]
    std::int64_t pitch;
    int q_len;
    float scale;
};

/// One warp's: 16 rows of `keys` keys, as wgmma leaves them in its registers.
template <typename Score_, int keys>
class ScoresWriter {
    static constexpr int of_score = static_cast<int>(sizeof(Score_));
    static constexpr int row_bytes = keys * of_score < 512 ? keys * of_score : 512;
    static constexpr int row_keys = row_bytes / of_score, pieces = keys / row_keys;
    static constexpr int row_lanes = row_bytes / 16, rows_at_once = 32 / row_lanes;

  public:
    using Score = Score_;
    using Accumulators = float[keys / 2];

    __device__ __forceinline__ ScoresWriter(const ScoresTarget<Score>& target,
                                            std::uint32_t staging)
        : target_(target),
          staging_(staging),
          policy_(ptx::l2_evict_first()),  // S leaves L2 before Q and K do
          lane_(threadIdx.x % 32) {}

    /// (row, key) is the corner of the 16 rows. Scores of keys past the last are 0, K being 0
    /// there, and fill the row up to its pitch.
    __device__ __forceinline__ void store(const Accumulators& s, int head, int row, int key) const {
        const int chunk = lane_ % row_lanes, own_row = lane_ / row_lanes;
        key += chunk * (16 / of_score);
        const std::int64_t first = static_cast<std::int64_t>(head) * target_.q_len + row + own_row;
        const int rows_left = target_.q_len - row - own_row;
#pragma unroll
        for (int piece = 0; piece < pieces; ++piece, key += row_keys) {
            Score* to = target_.s + first * target_.pitch + key;
            const int rows = key < target_.pitch ? rows_left : 0;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                __syncwarp();  // what was staged before has been read
                stage(s, half, piece);
                __syncwarp();
                uint4 x[8 / rows_at_once];
#pragma unroll
                for (int i = 0; i < 8; i += rows_at_once)
                    x[i / rows_at_once] = ptx::load_shared_16(cell(i + own_row, chunk));
#pragma unroll
                for (int i = 0; i < 8; i += rows_at_once, to += rows_at_once * target_.pitch)
                    if (8 * half + i < rows) ptx::store_16(to, x[i / rows_at_once], policy_);
            }
        }
    }

  private:
    /// Two scores of keys 8 `group` + 2 (lane % 4) and the next, of row lane / 4 + 8 `half`.
    __device__ __forceinline__ float2 scaled(const Accumulators& s, int group, int half) const {
        return {s[4 * group + 2 * half] * target_.scale,
                s[4 * group + 2 * half + 1] * target_.scale};
    }
    __device__ __forceinline__ std::uint32_t packed(const Accumulators& s, int group,
                                                    int half) const {
        const float2 x = scaled(s, group, half);
        return ptx::pack<Score>(x.x, x.y);
    }

    /// 16-byte chunk `chunk` of staged row `row`, so placed that neither writing nor reading meets
    /// a bank conflict.
    __device__ __forceinline__ std::uint32_t cell(int row, int chunk) const {
        const int swizzle = of_score == 2 ? row & 7 : 2 * (row & 3);
        return staging_ + row * row_bytes + ((chunk ^ swizzle) << 4);
    }

    /// Piece `piece` of rows 8 half .. 8 half + 7.
    __device__ __forceinline__ void stage(const Accumulators& s, int half, int piece) const {
        constexpr int groups = row_keys / 8;
        if constexpr (of_score == 2) {
#pragma unroll
            for (int j = 0; j < groups; j += 4) {
                std::uint32_t x[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] = packed(s, piece * groups + j + i, half);
                ptx::stmatrix_x4(cell(lane_ % 8, j + lane_ / 8), x);
            }
        } else {
#pragma unroll
            for (int j = 0; j < groups; ++j) {
                const float2 x = scaled(s, piece * groups + j, half);
                asm volatile("st.shared.v2.f32 [%0], {%1, %2};\n" ::"r"(
                                 cell(lane_ / 4, 2 * j + lane_ % 4 / 2) + 8 * (lane_ % 2)),
                             "f"(x.x), "f"(x.y)
                             : "memory");
            }
        }
    }

    const ScoresTarget<Score>& target_;
    const std::uint32_t staging_;
    const std::uint64_t policy_;
    const int lane_;
};

}  // namespace attnroof::cuda::naive_sm90
