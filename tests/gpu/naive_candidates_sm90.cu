#include "gpu/naive_candidates.h"
#include "kernels/cuda/naive/sm90_output.cuh"
#include "kernels/cuda/naive/sm90_scores.cuh"
#include "kernels/model.h"

namespace attnroof::testing {
namespace {

using namespace cuda::naive_sm90;
using Element = __nv_bfloat16;

/// Keeps the products alive and stores none of them.
template <typename Score_, int keys>
struct DropScores {
    using Score = Score_;

    __device__ DropScores(const ScoresTarget<Score>& to, std::uint32_t) : target(to) {}
    __device__ __forceinline__ void store(const float (&s)[keys / 2], int, int, int) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < keys / 2; ++i) sum += s[i];
        if (sum == 0.123456789e30f)
            *target.s = Score(sum);  // never, which the compiler cannot know
    }
    const ScoresTarget<Score>& target;
};

template <template <typename, int> typename Writer = ScoresWriter>
Candidate scores_candidate(const char* name, Options options = {}) {
    return {name,
            [options](const LaunchArgs& args) {
                if (args.problem.head_dim <= 64)
                    return launch_scores<ScoresTile<Element, Element, 64, Writer>>(args, options);
                launch_scores<ScoresTile<Element, Element, 128, Writer>>(args, options);
            },
            std::is_same_v<Writer<Element, 64>, ScoresWriter<Element, 64>> ? Part::whole
                                                                           : Part::products};
}

/// How Q and K are read beside the stores.
struct Reads {
    const std::byte *q, *k;  // `bytes` each
    std::int64_t bytes;
    int pieces_at_once;  // of `read_piece` bytes, by each block; 0: nothing is read
    bool together;       // by all blocks at one moment
};

constexpr int read_piece = 8192;

/// Every byte of Q and K once, by one thread, as evenly as `*tiles_stored` of `tiles` goes on.
__device__ void read_beside(const Reads& reads, ScoresMeeting* meeting, std::int64_t tiles,
                            volatile const int* tiles_stored, int* never) {
    const std::int64_t of_tensor = reads.bytes / read_piece;
    const std::int64_t mine = (2 * of_tensor + gridDim.x - 1) / gridDim.x;
    for (std::int64_t i = 0; i < mine; i += reads.pieces_at_once) {
        while (*tiles_stored < i * tiles / mine) __nanosleep(100);
        if (reads.together) {
            const auto number = static_cast<int>(i / reads.pieces_at_once) + 1;
            meet(meeting, gridDim.x * number, number, never);
        }
        const std::int64_t end = min(i + reads.pieces_at_once, mine);
        for (std::int64_t j = i; j < end; ++j) {
            const std::int64_t piece = j * gridDim.x + blockIdx.x;
            if (piece >= 2 * of_tensor) break;
            const std::byte* from = piece < of_tensor ? reads.q + piece * read_piece
                                                      : reads.k + (piece - of_tensor) * read_piece;
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;\n" ::"l"(from), "r"(read_piece)
                         : "memory");
        }
    }
    if (reads.together) leave(meeting);
}

/// Q tiles that this block takes past its K tiles.
__device__ std::int64_t tiles_of_block(const ScoresParams<Element>& p) {
    std::int64_t tiles = 0;
    unsigned index;
    for (unsigned round = 0; (index = unit_of_round(round)) < p.units; ++round)
        tiles += unit_at(p, index).q_tiles;
    return tiles;
}

/// What step 1 moves through memory and nothing else: S stored in the order in which it stores it,
/// and beside it Q and K read.
template <typename T>
__global__ void __launch_bounds__(T::threads, 1)
    bytes_alone_kernel(const __grid_constant__ ScoresParams<Element> p, Reads reads) {
    extern __shared__ __align__(1024) std::uint8_t raw[];
    __shared__ volatile int tiles_stored;
    __shared__ int never;  // is a meeting given up
    if (threadIdx.x == 0) tiles_stored = never = 0;
    __syncthreads();
    const int group = threadIdx.x / 128, first_row = threadIdx.x % 128 / 32 * 16;
    if (group == T::consumers) {
        if (threadIdx.x == 128 * T::consumers && reads.pieces_at_once > 0)
            read_beside(reads, p.meeting, tiles_of_block(p), &tiles_stored, &never);
        return;
    }
    const auto staging = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const typename T::Writer writer(p.target, staging + threadIdx.x / 32 * warp_staging_bytes);
    float s[T::group_keys / 2];
    for (int i = 0; i < T::group_keys / 2; ++i) s[i] = static_cast<float>(threadIdx.x ^ i) - 60.5f;
    unsigned index;
    for (unsigned round = 0; (index = unit_of_round(round)) < p.units; ++round) {
        const ScoresUnit unit = unit_at(p, index);
        for (int m = 0; m < unit.q_tiles; ++m) {
            writer.store(s, unit.head, (unit.m + m) * scores_rows + first_row,
                         unit.k * T::block_keys + group * T::group_keys);
            if (threadIdx.x == 0) tiles_stored = tiles_stored + 1;
        }
    }
}

Candidate bytes_alone(const char* name, int pieces_at_once, bool together) {
    using Tile = ScoresTile<Element, Element, 64>;
    return {name,
            [pieces_at_once, together](const LaunchArgs& args) {
                const auto p = make_scores_params<Tile>(args, {});
                const Reads reads{static_cast<const std::byte*>(args.q),
                                  static_cast<const std::byte*>(args.k), q_bytes(args.problem),
                                  pieces_at_once, together};
                bytes_alone_kernel<Tile>
                    <<<blocks_for(p.units), Tile::threads, 4 * Tile::consumers * warp_staging_bytes,
                       static_cast<cudaStream_t>(args.stream)>>>(p, reads);
                cuda::check_launch("the bytes of the scores alone");
            },
            pieces_at_once > 0 ? Part::bytes : Part::stores};
}

}  // namespace

std::vector<Candidate> scores_candidates() {
    return {
        scores_candidate("512 keys a block"),
        scores_candidate("read by each for itself", {.read_together = false}),
        scores_candidate<DropScores>("no stores"),
        bytes_alone("stores alone", 0, false),
        bytes_alone("bytes alone, spread", 1, false),
        bytes_alone("bytes alone, 4 MB", 4, true),
        bytes_alone("bytes alone, 16 MB", 16, true),
    };
}

std::vector<Candidate> output_candidates() {
    const auto wide = [](const LaunchArgs& args) {  // 256 neighbouring bytes of P at a time
        if (args.problem.head_dim <= 64)
            return launch_output<OutputTile<Element, 64, 128>>(args, {});
        launch_output<OutputTile<Element, 128, 128>>(args, {});
    };
    return {{"64 keys a stage", [](const LaunchArgs& args) { output(args, {}); }},
            {"128 keys a stage", wide}};
}

}  // namespace attnroof::testing
