// Naive forward, step by step through memory: S = Q K^T, P = softmax(S), O = P V. All keys are
// computed under a causal mask too, as a plain implementation does; the softmax masks them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "kernels/cpu/drivers.h"
#include "kernels/cpu/threads.h"
#include "kernels/cpu/tiles.h"

namespace attnroof::cpu {
namespace {

/// Runs work(block, worker's scratch) for every block; Scratch is made once a worker.
template <class Scratch, class Work>
void for_each_block(const LaunchArgs& args, const Isa& isa, Work work) {
    const Blocks blocks(args.problem, isa, worker_count());
    std::atomic<std::int64_t> next = 0;
    on_all_workers([&](int) {
        Scratch scratch(args.problem, isa, blocks.block_rows());
        for (std::int64_t i = next++; i < blocks.count(); i = next++) work(blocks[i], scratch);
    });
}

/// The row of S (or P) of a group's query row.
float* score_row(const LaunchArgs& args, std::int64_t group, std::int64_t row) {
    return static_cast<float*>(args.workspace) +
           global_row(args.problem, group, row) * args.problem.kv_len;
}

struct ScoresScratch {
    ScoresScratch(const AttentionProblem& p, const Isa& isa, std::int64_t block_rows)
        : chunks(ceil_div(p.head_dim, tile)),
          queries(block_rows * chunks * tile),
          keys(chunks * tile * tile),
          product(isa.strip_rows * tile) {
        ones.fill(1);
    }
    std::int64_t chunks;
    AlignedFloats queries, keys, product;
    std::array<float, max_strip_rows> ones;
};

/// S of one block's strip and one tile of keys.
void score_strip(const LaunchArgs& args, const Isa& isa, ScoresScratch& scratch, std::int64_t group,
                 std::int64_t row, std::int64_t rows, const float* queries, std::int64_t key,
                 std::int64_t keys) {
    for (std::int64_t c = 0; c < scratch.chunks; ++c)
        isa.multiply({queries + c * isa.strip_rows * tile, scratch.keys.data() + c * tile * tile,
                      scratch.product.data(), c == 0 ? nullptr : scratch.ones.data(), rows,
                      round_up(keys, isa.lanes), std::min(tile, args.problem.head_dim - c * tile),
                      tile});
    for (std::int64_t i = 0; i < rows; ++i)
        std::memcpy(score_row(args, group, row + i) + key, scratch.product.data() + i * tile,
                    static_cast<std::size_t>(keys) * sizeof(float));
}

void score_block(const LaunchArgs& args, const Isa& isa, const Block& block,
                 ScoresScratch& scratch) {
    const AttentionProblem& p = args.problem;
    const auto factor = static_cast<float>(p.scale());
    const std::int64_t strip_floats = scratch.chunks * tile;  // times strip_rows
    for (std::int64_t row = 0; row < block.rows; row += isa.strip_rows)
        isa.pack_strip(q_rows(args, block.group, block.first + row,
                              std::min(isa.strip_rows, block.rows - row)),
                       factor, scratch.queries.data() + row * strip_floats);
    for (std::int64_t key = 0; key < p.kv_len; key += tile) {
        const std::int64_t keys = std::min(tile, p.kv_len - key);
        isa.pack_transposed(kv_rows(p, args.k, block.group, key, keys), scratch.keys.data());
        for (std::int64_t row = 0; row < block.rows; row += isa.strip_rows)
            score_strip(args, isa, scratch, block.group, block.first + row,
                        std::min(isa.strip_rows, block.rows - row),
                        scratch.queries.data() + row * strip_floats, key, keys);
    }
}

struct OutputScratch {
    OutputScratch(const AttentionProblem& p, const Isa& isa, std::int64_t block_rows)
        : ldo(round_up(p.head_dim, isa.lanes)),
          output(block_rows * ldo),
          values(round_up(p.head_dim, 2 * isa.lanes) * tile),
          weights(isa.strip_rows * tile) {
        ones.fill(1);
    }
    std::int64_t ldo;
    AlignedFloats output, values, weights;
    std::array<float, max_strip_rows> ones;
};

void output_block(const LaunchArgs& args, const Isa& isa, const Block& block,
                  OutputScratch& scratch) {
    const AttentionProblem& p = args.problem;
    std::fill_n(scratch.output.data(), block.rows * scratch.ldo, 0.0f);
    for (std::int64_t key = 0; key < p.kv_len; key += tile) {
        const std::int64_t keys = std::min(tile, p.kv_len - key);
        isa.pack_rows(kv_rows(p, args.v, block.group, key, keys), scratch.values.data());
        for (std::int64_t row = 0; row < block.rows; row += isa.strip_rows) {
            const std::int64_t rows = std::min(isa.strip_rows, block.rows - row);
            isa.pack_strip({score_row(args, block.group, block.first + row) + key, DType::fp32,
                            rows, keys, p.kv_len},
                           1, scratch.weights.data());
            isa.multiply({scratch.weights.data(), scratch.values.data(),
                          scratch.output.data() + row * scratch.ldo, scratch.ones.data(), rows,
                          p.head_dim, keys, scratch.ldo});
        }
    }
    for (std::int64_t row = 0; row < block.rows; row += isa.strip_rows)
        isa.store_rows(scratch.output.data() + row * scratch.ldo, scratch.ldo, scratch.ones.data(),
                       o_rows(args, block.group, block.first + row,
                              std::min(isa.strip_rows, block.rows - row)));
}

}  // namespace

void scores(const LaunchArgs& args, const Isa& isa) {
    for_each_block<ScoresScratch>(args, isa, [&](const Block& block, ScoresScratch& scratch) {
        score_block(args, isa, block, scratch);
    });
}

void softmax(const LaunchArgs& args, const Isa& isa) {
    const AttentionProblem& p = args.problem;
    const std::int64_t rows = p.lse_elements();
    const std::int64_t rows_each = std::clamp<std::int64_t>((1 << 16) / p.kv_len, 1, 64);
    for_each_index(ceil_div(rows, rows_each), [&](std::int64_t chunk) {
        const std::int64_t end = std::min(rows, (chunk + 1) * rows_each);
        for (std::int64_t row = chunk * rows_each; row < end; ++row)
            args.lse[row] = isa.softmax_row(static_cast<float*>(args.workspace) + row * p.kv_len,
                                            p.visible_keys(row % p.q_len), p.kv_len);
    });
}

void output(const LaunchArgs& args, const Isa& isa) {
    for_each_block<OutputScratch>(args, isa, [&](const Block& block, OutputScratch& scratch) {
        output_block(args, isa, block, scratch);
    });
}

}  // namespace attnroof::cpu
