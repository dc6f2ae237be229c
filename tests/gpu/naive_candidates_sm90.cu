#include "gpu/naive_candidates.h"
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
    __device__ void finish() const {}

    const ScoresTarget<Score>& target;
};

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
    using Rows = ScoresWriter<Element, StoreBy::rows>;
    using Boxes = ScoresWriter<Element, StoreBy::boxes>;
    const ScoresSchedule down{}, down_usual{.evict_first = false};
    const ScoresSchedule along{.q_tiles = 4, .k_tiles = 8, .keys_first = false};
    return {
        scores_candidate<Rows>("down, rows", down),
        scores_candidate<Rows>("down, rows, usual L2", down_usual),
        scores_candidate<Boxes>("down, boxes", down),
        scores_candidate<Boxes>("down, boxes, usual L2", down_usual),
        scores_candidate<Rows>("down 512 rows, rows", {.q_tiles = 8}),
        scores_candidate<Rows>("down all rows, rows", {.q_tiles = 1 << 20}),
        scores_candidate<Rows>("down, rows, every SM", down, false),
        scores_candidate<Rows>("along, rows", along),
        scores_candidate<Boxes>("along, boxes", along),
        scores_candidate<DropScores>("down, no stores", down),
    };
}

std::vector<Candidate> output_candidates() {
    return {{"even", [](const LaunchArgs& args) { output(args, {}); }},
            {"every SM", [](const LaunchArgs& args) { output(args, {.even_blocks = false}); }}};
}

}  // namespace attnroof::testing
