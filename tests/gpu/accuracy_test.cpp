// FlashAttention's accuracy rule on inputs with outliers: a fused kernel may be off by at most
// twice what a naive one of the same dtype is, plus the rounding of the result itself.
//
// Distribution and root-mean-square figure: Shah et al., FlashAttention-3 (2024), section 4.3.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "backend/cuda/open.h"
#include "catch.h"
#include "kernels/cpu/reference.h"
#include "kernels/half.h"
#include "measure/buffers.h"

using namespace attnroof;

namespace {

std::vector<float> download(Backend& backend, const Buffer& buffer, std::int64_t elements,
                            DType dtype) {
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(elements));
    backend.download(buffer, 0, std::as_writable_bytes(std::span(bits)));
    std::vector<float> values;
    for (std::uint16_t b : bits)
        values.push_back(dtype == DType::bf16 ? bf16_to_float(b) : fp16_to_float(b));
    return values;
}

struct Error {
    double rmse = 0, largest = 0, largest_value = 0;
};

/// The first head's output against fp64.
Error error_of(Backend& backend, const CaseBuffers& b) {
    const AttentionProblem& p = b.problem;
    const std::int64_t size = p.q_len * p.head_dim;
    backend.poison(*b.o);
    backend.run(b.all_steps());
    const auto q = download(backend, *b.q, size, p.dtype),
               k = download(backend, *b.k, size, p.dtype),
               v = download(backend, *b.v, size, p.dtype),
               o = download(backend, *b.o, size, p.dtype);
    Error error;
    double squares = 0;
    for (std::int64_t row = 0; row < p.q_len; ++row) {
        const auto query = std::span(q).subspan(row * p.head_dim, p.head_dim);
        const ReferenceRow want =
            reference_row(query, k, v, p.visible_keys(row), p.head_dim, p.scale());
        for (std::int64_t c = 0; c < p.head_dim; ++c) {
            const double off = std::abs(o[row * p.head_dim + c] - want.o[c]);
            squares += off * off;
            error.largest = std::fmax(error.largest, std::isnan(off) ? INFINITY : off);
            error.largest_value = std::fmax(error.largest_value, std::abs(want.o[c]));
        }
    }
    error.rmse = std::sqrt(squares / static_cast<double>(size));
    return error;
}

}  // namespace

TEST_CASE("fused is at most twice as far off as naive on inputs with outliers") {
    const auto backend = open_cuda_backend(0);
    DeviceArena arena(*backend);
    for (DType dtype : {DType::bf16, DType::fp16})
        for (std::int64_t head_dim : {64, 128, 256}) {
            AttentionProblem p{.dtype = dtype,
                               .heads = 2,
                               .kv_heads = 2,
                               .q_len = 1024,
                               .kv_len = 1024,
                               .head_dim = head_dim};
            std::map<std::string, Error> errors;
            for (const KernelRow& row : kernel_registry()) {
                if (row.device != DeviceKind::cuda ||
                    row.refuses(p, backend->facts().compute_capability))
                    continue;
                const CaseBuffers buffers(arena, row, p, Distribution::normal_outliers, 11);
                errors[row.name + ":" + row.variant] = error_of(*backend, buffers);
            }
            REQUIRE(errors.contains("naive:sm80"));
            const Error& naive = errors.at("naive:sm80");
            for (const auto& [kernel, error] : errors) {
                CAPTURE(kernel, name(dtype), head_dim);
                fmt::print("outliers, {} d={:3}: {:12} RMSE {:.2e}, largest {:.2e}\n", name(dtype),
                           head_dim, kernel, error.rmse, error.largest);
                CHECK(error.rmse > 0);
                if (kernel.starts_with("fused"))
                    CHECK(error.largest <=
                          2 * naive.largest + 2 * unit_roundoff(dtype) * naive.largest_value);
            }
        }
}
