// The inner loops of the CPU kernels, compiled once for each instruction set and chosen at run
// time. Sources named *_avx2.cpp and *_avx512.cpp are compiled for more than the host may have, so
// they call nothing from outside: an inline function that they emitted could be the copy that the
// linker keeps for everyone. This header therefore holds plain structs without member functions.
#pragma once

#include <cstdint>

namespace attnroof {
enum class DType;
}

namespace attnroof::cpu {

/// Keys of one tile, and the depth of one step of a product. A strip of A is `tile` floats wide.
inline constexpr std::int64_t tile = 128;
/// Per-row arrays (maximum, visible keys) have room for this many rows, whatever the strip.
inline constexpr std::int64_t max_strip_rows = 16;

/// `rows` rows of `width` elements of `dtype`, `stride` elements apart.
struct Rows {
    const void* data;
    DType dtype;
    std::int64_t rows;
    std::int64_t width;
    std::int64_t stride;
};

/// Where packed rows go back to.
struct RowsOut {
    void* data;
    DType dtype;
    std::int64_t rows;
    std::int64_t width;
    std::int64_t stride;
};

/// C [rows][ldc] = A B, or C = alpha C + A B when alpha is given (one factor a row).
/// A is a strip: row i starts at a + i * tile. B is packed in panels of two vectors' columns,
/// within a panel one row of B after the other; a panel has room for `tile` rows, whatever the
/// depth. C's columns are rounded up to whole vectors: B must hold numbers there, and C needs the
/// room.
struct Product {
    const float* a;
    const float* b;
    float* c;
    const float* alpha;
    std::int64_t rows, columns, depth, ldc;
};

/// Online softmax of a strip of scores [rows][tile] in units of log2.
/// In: scores, visible (keys of this tile that each row sees), columns (covers the visible ones),
/// and the running maximum and sum. Out: scores becomes exp2(score - maximum), 0 where masked;
/// maximum and sum are brought up to date; alpha is the factor for what was summed before.
struct SoftmaxStrip {
    float* scores;
    const std::int64_t* visible;
    float* maximum;  // [max_strip_rows]
    float* sum;      // [rows][lanes], partial sums
    float* alpha;    // [max_strip_rows]
    std::int64_t rows, columns;
};

struct Isa {
    const char* name;         // avx512, avx2, portable
    std::int64_t lanes;       // floats of one vector; a panel is two vectors wide
    std::int64_t strip_rows;  // rows of C that the registers hold

    /// A = source (at most strip_rows rows) times `factor`: one strip for each `tile` of width, so
    /// dst is [width / tile rounded up][strip_rows][tile].
    void (*pack_strip)(const Rows& source, float factor, float* dst);
    /// B = source (at most `tile` rows).
    void (*pack_rows)(const Rows& source, float* dst);
    /// B = source (at most `tile` rows) transposed: one B for each `tile` of width, `tile * tile`
    /// floats apart.
    void (*pack_transposed)(const Rows& source, float* dst);
    void (*multiply)(const Product& product);
    void (*softmax_strip)(const SoftmaxStrip& strip);
    /// Softmax of one row of n scores in place; keys from `visible` on become 0. Returns the LSE.
    float (*softmax_row)(float* row, std::int64_t visible, std::int64_t n);
    /// dst row i = factors[i] * src row i, rounded to the dtype; src rows are `ld` floats apart.
    void (*store_rows)(const float* src, std::int64_t ld, const float* factors, const RowsOut& dst);

    /// Runs `rounds` FMAs on each of fma_chains independent vectors; the result depends on all.
    float (*fma_burst)(std::int64_t rounds);
    std::int64_t fma_chains;
    /// Reads n floats, n a multiple of 64, 64-byte aligned; the result depends on all.
    float (*read)(const float* data, std::int64_t n);
    /// Copies past the caches. Same limits as read.
    void (*copy)(float* to, const float* from, std::int64_t n);
};

const Isa& portable_isa();
const Isa& avx2_isa();
const Isa& avx512_isa();

}  // namespace attnroof::cpu
