// Fused forward: each worker takes a block of query rows and walks the keys a tile at a time with
// the online softmax (Dao et al., FlashAttention-2, algorithm 1). S is one strip, in L1.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cpu/drivers.h"
#include "kernels/cpu/threads.h"
#include "kernels/cpu/tiles.h"

namespace attnroof::cpu {
namespace {

constexpr float lowest = std::numeric_limits<float>::lowest();

class Worker {
  public:
    Worker(const LaunchArgs& args, const Isa& isa, std::int64_t block_rows);

    void attend(const Block& block);

  private:
    void begin(const Block& block);
    void attend_tile(const Block& block, std::int64_t key, std::int64_t keys);
    void attend_strip(const Block& block, std::int64_t strip, std::int64_t key, std::int64_t keys);
    void finish(const Block& block);

    std::int64_t strip_count(const Block& block) const {
        return ceil_div(block.rows, isa_.strip_rows);
    }
    std::int64_t rows_of(const Block& block, std::int64_t strip) const {
        return std::min(isa_.strip_rows, block.rows - strip * isa_.strip_rows);
    }
    /// Keys that a row of the group sees.
    std::int64_t visible(std::int64_t row) const {
        return args_.problem.visible_keys(row % args_.problem.q_len);
    }

    const LaunchArgs& args_;
    const Isa& isa_;
    std::int64_t head_dim_, chunks_;  // chunks_: steps of `tile` along head_dim
    std::int64_t ldo_;                // head_dim rounded up to whole vectors
    std::int64_t strips_;             // of the tallest block
    AlignedFloats queries_;           // [strips][chunks][strip_rows][tile], scaled
    AlignedFloats output_;            // [strips][strip_rows][ldo]
    AlignedFloats maximum_, sum_;     // [strips][max_strip_rows], [strips][strip_rows][lanes]
    AlignedFloats keys_, values_;     // packed tiles
    AlignedFloats scores_;            // [strip_rows][tile]
    alignas(64) std::array<float, max_strip_rows> alpha_{}, ones_;
};

Worker::Worker(const LaunchArgs& args, const Isa& isa, std::int64_t block_rows)
    : args_(args),
      isa_(isa),
      head_dim_(args.problem.head_dim),
      chunks_(ceil_div(head_dim_, tile)),
      ldo_(round_up(head_dim_, isa.lanes)),
      strips_(ceil_div(block_rows, isa.strip_rows)),
      queries_(strips_ * chunks_ * isa.strip_rows * tile),
      output_(strips_ * isa.strip_rows * ldo_),
      maximum_(strips_ * max_strip_rows),
      sum_(strips_ * isa.strip_rows * isa.lanes),
      keys_(chunks_ * tile * tile),
      values_(round_up(head_dim_, 2 * isa.lanes) * tile),
      scores_(isa.strip_rows * tile) {
    ones_.fill(1);
}

void Worker::attend(const Block& block) {
    begin(block);
    std::int64_t end = 0;
    for (std::int64_t i = 0; i < block.rows; ++i) end = std::max(end, visible(block.first + i));
    for (std::int64_t key = 0; key < end; key += tile)
        attend_tile(block, key, std::min(tile, end - key));
    finish(block);
}

void Worker::begin(const Block& block) {
    // exp(scale * q . k) = exp2(q' . k) with q' = scale * log2(e) * q.
    const auto factor = static_cast<float>(args_.problem.scale() * std::numbers::log2e);
    const std::int64_t strips = strip_count(block);
    for (std::int64_t s = 0; s < strips; ++s)
        isa_.pack_strip(
            q_rows(args_, block.group, block.first + s * isa_.strip_rows, rows_of(block, s)),
            factor, queries_.data() + s * chunks_ * isa_.strip_rows * tile);
    std::fill_n(output_.data(), strips * isa_.strip_rows * ldo_, 0.0f);
    std::fill_n(maximum_.data(), strips * max_strip_rows, lowest);
    std::fill_n(sum_.data(), strips * isa_.strip_rows * isa_.lanes, 0.0f);
}

void Worker::attend_tile(const Block& block, std::int64_t key, std::int64_t keys) {
    isa_.pack_transposed(kv_rows(args_.problem, args_.k, block.group, key, keys), keys_.data());
    isa_.pack_rows(kv_rows(args_.problem, args_.v, block.group, key, keys), values_.data());
    for (std::int64_t s = 0; s < strip_count(block); ++s) attend_strip(block, s, key, keys);
}

void Worker::attend_strip(const Block& block, std::int64_t strip, std::int64_t key,
                          std::int64_t keys) {
    const std::int64_t rows = rows_of(block, strip);
    std::array<std::int64_t, max_strip_rows> seen{};
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t row = block.first + strip * isa_.strip_rows + i;
        seen[i] = std::clamp<std::int64_t>(visible(row) - key, 0, keys);
        most = std::max(most, seen[i]);
    }
    if (most == 0) return;

    const std::int64_t columns = round_up(most, isa_.lanes);
    const float* const q = queries_.data() + strip * chunks_ * isa_.strip_rows * tile;
    for (std::int64_t c = 0; c < chunks_; ++c)
        isa_.multiply({q + c * isa_.strip_rows * tile, keys_.data() + c * tile * tile,
                       scores_.data(), c == 0 ? nullptr : ones_.data(), rows, columns,
                       std::min(tile, head_dim_ - c * tile), tile});
    isa_.softmax_strip({scores_.data(), seen.data(), maximum_.data() + strip * max_strip_rows,
                        sum_.data() + strip * isa_.strip_rows * isa_.lanes, alpha_.data(), rows,
                        columns});
    isa_.multiply({scores_.data(), values_.data(), output_.data() + strip * isa_.strip_rows * ldo_,
                   alpha_.data(), rows, head_dim_, most, ldo_});
}

void Worker::finish(const Block& block) {
    std::array<float, max_strip_rows> inverse{};
    for (std::int64_t s = 0; s < strip_count(block); ++s) {
        const std::int64_t first = block.first + s * isa_.strip_rows;
        for (std::int64_t i = 0; i < rows_of(block, s); ++i) {
            const float* const partial = sum_.data() + (s * isa_.strip_rows + i) * isa_.lanes;
            double sum = 0;
            for (std::int64_t lane = 0; lane < isa_.lanes; ++lane) sum += partial[lane];
            const double top = maximum_.data()[s * max_strip_rows + i];
            inverse[i] = sum == 0 ? 0 : static_cast<float>(1 / sum);
            args_.lse[global_row(args_.problem, block.group, first + i)] =
                static_cast<float>((top + std::log2(sum)) * std::numbers::ln2);
        }
        isa_.store_rows(output_.data() + s * isa_.strip_rows * ldo_, ldo_, inverse.data(),
                        o_rows(args_, block.group, first, rows_of(block, s)));
    }
}

}  // namespace

void fused(const LaunchArgs& args, const Isa& isa) {
    const Blocks blocks(args.problem, isa, worker_count());
    std::atomic<std::int64_t> next = 0;
    on_all_workers([&](int) {
        Worker worker(args, isa, blocks.block_rows());
        for (std::int64_t i = next++; i < blocks.count(); i = next++) worker.attend(blocks[i]);
    });
}

}  // namespace attnroof::cpu
