#include "kernels/cpu/tiles.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace attnroof::cpu {

AlignedFloats::AlignedFloats(std::int64_t count)
    : data_(static_cast<float*>(
          std::aligned_alloc(64, static_cast<std::size_t>(round_up(count * 4, 64))))) {
    if (!data_) throw std::bad_alloc();
}

void AlignedFloats::Free::operator()(float* data) const { std::free(data); }

Blocks::Blocks(const AttentionProblem& p, const Isa& isa, int workers)
    : groups_(p.batch * p.kv_heads), group_rows_(p.heads / p.kv_heads * p.q_len) {
    // 192 rows of Q and of O at head_dim 128 are 192 KiB: with a tile of K and of V they stay in
    // an L2 of 512 KiB, and packing the tile is a small part of the work on it.
    const std::int64_t fitting = 192 * tile / std::max(tile, p.head_dim);
    const std::int64_t fair = groups_ * group_rows_ / (4 * workers);
    block_rows_ = round_up(std::max<std::int64_t>(std::min(fitting, fair), 1), isa.strip_rows);
    per_group_ = ceil_div(group_rows_, block_rows_);
}

Block Blocks::operator[](std::int64_t i) const {
    const std::int64_t first = (per_group_ - 1 - i % per_group_) * block_rows_;
    return {i / per_group_, first, std::min(block_rows_, group_rows_ - first)};
}

std::int64_t global_row(const AttentionProblem& p, std::int64_t group, std::int64_t row) {
    return group * (p.heads / p.kv_heads) * p.q_len + row;
}

Rows kv_rows(const AttentionProblem& p, const void* base, std::int64_t group, std::int64_t first,
             std::int64_t rows) {
    const std::int64_t offset = (group * p.kv_len + first) * p.head_dim * bytes_of(p.dtype);
    return {static_cast<const std::byte*>(base) + offset, p.dtype, rows, p.head_dim, p.head_dim};
}

Rows q_rows(const LaunchArgs& args, std::int64_t group, std::int64_t first, std::int64_t rows) {
    const AttentionProblem& p = args.problem;
    const std::int64_t offset = global_row(p, group, first) * p.head_dim * bytes_of(p.dtype);
    return {static_cast<const std::byte*>(args.q) + offset, p.dtype, rows, p.head_dim, p.head_dim};
}

RowsOut o_rows(const LaunchArgs& args, std::int64_t group, std::int64_t first, std::int64_t rows) {
    const AttentionProblem& p = args.problem;
    const std::int64_t offset = global_row(p, group, first) * p.head_dim * bytes_of(p.dtype);
    return {static_cast<std::byte*>(args.o) + offset, p.dtype, rows, p.head_dim, p.head_dim};
}

}  // namespace attnroof::cpu
