// C = A B on registers: a block of strip_rows x 2 vectors of C. Needs a vec_*.h before it.
#pragma once

#include "kernels/cpu/isa.h"

namespace attnroof::cpu {
namespace {

constexpr int panel = 2 * lanes;

/// Rows x (Vecs * lanes) block of C. When Add, C's old value counts, times alpha of its row.
template <int Rows, int Vecs, bool Add>
void block(const float* a, const float* b, const float* alpha, float* c, std::int64_t ldc,
           std::int64_t depth) {
    Vec acc[Rows][Vecs];
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
        for (int v = 0; v < Vecs; ++v)
            acc[i][v] = Add ? mul(load(c + i * ldc + v * lanes), broadcast(alpha[i])) : zero();
    for (std::int64_t k = 0; k < depth; ++k) {
        Vec row[Vecs];
#pragma GCC unroll 2
        for (int v = 0; v < Vecs; ++v) row[v] = load(b + k * panel + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) {
            const Vec x = broadcast(a[i * tile + k]);
#pragma GCC unroll 2
            for (int v = 0; v < Vecs; ++v) acc[i][v] = fma(x, row[v], acc[i][v]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
        for (int v = 0; v < Vecs; ++v) store(c + i * ldc + v * lanes, acc[i][v]);
}

template <int Rows, bool Add>
void row_of_blocks(const Product& p) {
    std::int64_t column = 0;
    for (; column + lanes < p.columns; column += panel)
        block<Rows, 2, Add>(p.a, p.b + column * tile, p.alpha, p.c + column, p.ldc, p.depth);
    if (column < p.columns)
        block<Rows, 1, Add>(p.a, p.b + column * tile, p.alpha, p.c + column, p.ldc, p.depth);
}

/// Picks the instance for p.rows among Rows, Rows - 1, ..., 1.
template <int Rows, bool Add>
void multiply_rows(const Product& p) {
    if constexpr (Rows > 1) {
        if (p.rows < Rows) return multiply_rows<Rows - 1, Add>(p);
    }
    row_of_blocks<Rows, Add>(p);
}

void multiply(const Product& product) {
    if (product.alpha)
        multiply_rows<strip_rows, true>(product);
    else
        multiply_rows<strip_rows, false>(product);
}

}  // namespace
}  // namespace attnroof::cpu
