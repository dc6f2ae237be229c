#include "gpu/naive_candidates.h"
#include "kernels/cuda/naive/sm90_output.cuh"
#include "kernels/cuda/naive/sm90_scores.cuh"

namespace attnroof::testing {
namespace {

using namespace cuda::naive_sm90;
using Element = __nv_bfloat16;

/// Keeps the products alive and stores none of them.
struct DropScores {
    using Score = Element;

    __device__ DropScores(const ScoresTarget<Score>& to, std::uint32_t, std::uint64_t)
        : target(to) {}
    __device__ __forceinline__ void store(const float (&s)[scores_keys / 2], int, int, int) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < scores_keys / 2; ++i) sum += s[i];
        if (sum == 0.123456789e30f)
            *target.s = Score(sum);  // never, which the compiler cannot know
    }
    const ScoresTarget<Score>& target;
};

/// What step 1 stores, in the order in which it stores it, with nothing loaded or multiplied.
template <typename T>
__global__ void __launch_bounds__(128 * T::consumers, 1)
    store_alone_kernel(const __grid_constant__ ScoresParams<Element> p) {
    extern __shared__ __align__(1024) std::uint8_t raw[];
    const auto staging = static_cast<std::uint32_t>(__cvta_generic_to_shared(raw));
    const int group = threadIdx.x / 128, first_row = threadIdx.x % 128 / 32 * 16;
    const typename T::Writer writer(
        p.target, staging + threadIdx.x / 32 * warp_staging_bytes,
        p.schedule.evict_first ? cuda::ptx::l2_evict_first() : cuda::ptx::l2_evict_normal());
    float s[scores_keys / 2];
    for (int i = 0; i < scores_keys / 2; ++i) s[i] = static_cast<float>(threadIdx.x ^ i) - 60.5f;
    for (std::int64_t index = blockIdx.x; index < p.units; index += gridDim.x) {
        const ScoresUnit unit = scores_unit(p, index);
        for (int k = unit.k; k < unit.k + unit.k_tiles; ++k)
            for (int m = group; m < unit.q_tiles; m += T::consumers)
                writer.store(s, unit.head, (unit.m + m) * scores_rows + first_row, k * scores_keys);
    }
}

Candidate store_alone(const char* name, ScoresSchedule schedule) {
    using Tile = ScoresTile<Element, ScoresWriter<Element>, 64>;
    const Options options{.schedule = schedule};
    return {name,
            [options](const LaunchArgs& args) {
                const auto p = make_scores_params<Tile>(args, options);
                store_alone_kernel<Tile><<<blocks_for(p.units, options), 128 * Tile::consumers,
                                           4 * Tile::consumers * warp_staging_bytes,
                                           static_cast<cudaStream_t>(args.stream)>>>(p);
                cuda::check_launch("stores alone");
            },
            false};
}

template <typename Writer>
Candidate scores_candidate(const char* name, ScoresSchedule schedule, bool even_blocks = true) {
    const Options options{.even_blocks = even_blocks, .schedule = schedule};
    return {name,
            [options](const LaunchArgs& args) {
                if (args.problem.head_dim <= 64)
                    return launch_scores<ScoresTile<Element, Writer, 64>>(args, options);
                launch_scores<ScoresTile<Element, Writer, 128>>(args, options);
            },
            !std::is_same_v<Writer, DropScores>};
}

}  // namespace

std::vector<Candidate> scores_candidates() {
    using Writer = ScoresWriter<Element>;
    const ScoresSchedule down{}, usual{.evict_first = false}, longer{.q_tiles = 128};
    const ScoresSchedule along{.q_tiles = 4, .k_tiles = 8, .keys_first = false};
    return {
        scores_candidate<Writer>("down", down),
        scores_candidate<Writer>("down, every SM", down, false),
        scores_candidate<Writer>("down, usual L2", usual),
        scores_candidate<Writer>("down, 128 Q tiles", longer),
        scores_candidate<Writer>("along", along),
        scores_candidate<DropScores>("down, no stores", down),
        store_alone("down, stores alone", down),
        store_alone("along, stores alone", along),
    };
}

std::vector<Candidate> output_candidates() {
    const auto wide = [](const LaunchArgs& args) {  // 256 neighbouring bytes of P at a time
        if (args.problem.head_dim <= 64)
            return launch_output<OutputTile<Element, 64, 128>>(args, {});
        launch_output<OutputTile<Element, 128, 128>>(args, {});
    };
    return {
        {"64 keys a stage", [](const LaunchArgs& args) { output(args, {}); }},
        {"64 keys, every SM", [](const LaunchArgs& args) { output(args, {.even_blocks = false}); }},
        {"128 keys a stage", wide}};
}

}  // namespace attnroof::testing
