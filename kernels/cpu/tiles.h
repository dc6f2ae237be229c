// How a launch is cut into pieces of work: blocks of query rows that share a key/value head.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cpu/isa.h"
#include "kernels/division.h"
#include "kernels/launch.h"

namespace attnroof::cpu {

/// Floats on a cache-line boundary, contents undefined. Throws std::bad_alloc.
class AlignedFloats {
  public:
    explicit AlignedFloats(std::int64_t count);
    float* data() const { return data_.get(); }

  private:
    struct Free {
        void operator()(float* data) const;
    };
    std::unique_ptr<float, Free> data_;
};

/// Query heads that read the same key/value head are neighbours in memory, so their rows are one
/// long matrix: group rows = heads / kv_heads * q_len, one group for each batch and kv head.
struct Block {
    std::int64_t group = 0;  // batch * kv_heads + kv head
    std::int64_t first = 0;  // row within the group
    std::int64_t rows = 0;
};

class Blocks {
  public:
    /// Blocks as tall as the core's cache allows, but enough of them to keep `workers` busy.
    Blocks(const AttentionProblem& problem, const Isa& isa, int workers);

    std::int64_t count() const { return groups_ * per_group_; }
    /// Tallest block, in rows.
    std::int64_t block_rows() const { return block_rows_; }
    /// Block i. Under a causal mask the long ones come first: they even out at the end.
    Block operator[](std::int64_t i) const;

  private:
    std::int64_t groups_, group_rows_, block_rows_, per_group_;
};

/// Rows `first` ... of the K or V of a group.
Rows kv_rows(const AttentionProblem& problem, const void* base, std::int64_t group,
             std::int64_t first, std::int64_t rows);
/// Rows of Q of a group.
Rows q_rows(const LaunchArgs& args, std::int64_t group, std::int64_t first, std::int64_t rows);
/// The same rows of O.
RowsOut o_rows(const LaunchArgs& args, std::int64_t group, std::int64_t first, std::int64_t rows);
/// Index of a group's row among all rows of Q, O, S and LSE.
std::int64_t global_row(const AttentionProblem& problem, std::int64_t group, std::int64_t row);

}  // namespace attnroof::cpu
