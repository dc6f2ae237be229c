// From tensors in memory to the fp32 layouts of the microkernel, and back. Needs a vec_*.h before.
#pragma once

#include "kernels/cpu/isa.h"
#include "kernels/problem.h"

namespace attnroof::cpu {
namespace {

/// `n` of `lanes` elements, the rest 0: no byte past the n-th is read.
template <class T>
Vec load_first(const T* p, std::int64_t n) {
    if (n >= lanes) return load(p);
    T some[lanes] = {};
    for (std::int64_t i = 0; i < n; ++i) some[i] = p[i];
    return load(some);
}

template <class T>
void store_first(T* p, Vec x, std::int64_t n) {
    if (n >= lanes) return store(p, x);
    T some[lanes];
    store(some, x);
    for (std::int64_t i = 0; i < n; ++i) p[i] = some[i];
}

/// Calls `body` with the data as a pointer to what `dtype` stores.
template <class Body>
void with_type(const void* data, DType dtype, Body body) {
    switch (dtype) {
        case DType::fp32:
            return body(static_cast<const float*>(data));
        case DType::fp16:
            return body(static_cast<const Fp16*>(data));
        case DType::bf16:
            return body(static_cast<const Bf16*>(data));
    }
}

void pack_strip(const Rows& source, float factor, float* dst) {
    with_type(source.data, source.dtype, [&](auto* data) {
        const Vec scale = broadcast(factor);
        for (std::int64_t i = 0; i < source.rows; ++i)
            for (std::int64_t j = 0; j < source.width; j += lanes) {
                const Vec x = load_first(data + i * source.stride + j, source.width - j);
                store(dst + (j / tile * strip_rows + i) * tile + j % tile, mul(x, scale));
            }
    });
}

void pack_rows(const Rows& source, float* dst) {
    with_type(source.data, source.dtype, [&](auto* data) {
        for (std::int64_t i = 0; i < source.rows; ++i)
            for (std::int64_t j = 0; j < source.width; j += lanes) {
                const Vec x = load_first(data + i * source.stride + j, source.width - j);
                store(dst + j / panel * panel * tile + i * panel + j % panel, x);
            }
    });
}

/// One lanes x lanes square: rows from `row` on, columns from `column` on; 0 outside the source.
template <class T>
void pack_square(const T* data, const Rows& source, std::int64_t row, std::int64_t column,
                 float* dst) {
    Vec square[lanes];
    for (int i = 0; i < lanes; ++i)
        square[i] = row + i < source.rows ? load_first(data + (row + i) * source.stride + column,
                                                       source.width - column)
                                          : zero();
    transpose(square);
    const std::int64_t depth = source.width - column;
    for (int k = 0; k < lanes && k < depth; ++k) store(dst + k * panel, square[k]);
}

void pack_transposed(const Rows& source, float* dst) {
    with_type(source.data, source.dtype, [&](auto* data) {
        for (std::int64_t row = 0; row < source.rows; row += lanes)
            for (std::int64_t column = 0; column < source.width; column += lanes)
                pack_square(data, source, row, column,
                            dst + column / tile * tile * tile + row / panel * panel * tile +
                                column % tile * panel + row % panel);
    });
}

template <class T>
void store_as(const float* src, std::int64_t ld, const float* factors, const RowsOut& out) {
    T* const data = static_cast<T*>(out.data);
    for (std::int64_t i = 0; i < out.rows; ++i)
        for (std::int64_t j = 0; j < out.width; j += lanes)
            store_first(data + i * out.stride + j,
                        mul(load(src + i * ld + j), broadcast(factors[i])), out.width - j);
}

void store_rows(const float* src, std::int64_t ld, const float* factors, const RowsOut& out) {
    switch (out.dtype) {
        case DType::fp32:
            return store_as<float>(src, ld, factors, out);
        case DType::fp16:
            return store_as<Fp16>(src, ld, factors, out);
        case DType::bf16:
            return store_as<Bf16>(src, ld, factors, out);
    }
}

}  // namespace
}  // namespace attnroof::cpu
