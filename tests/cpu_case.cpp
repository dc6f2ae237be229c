#include "cpu_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cpu/reference.h"
#include "kernels/cpu/threads.h"
#include "kernels/half.h"
#include "kernels/random.h"

namespace attnroof::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void fill(GuardedTensor& tensor, std::int64_t elements, std::uint64_t seed, float centre,
          float spread, bool outliers = false) {
    for (std::int64_t i = 0; i < elements; ++i)
        tensor.set(i,
                   centre + spread * random_element(seed, static_cast<std::uint64_t>(i), outliers));
}

void fill_inputs(HostCase& c, Inputs inputs, std::uint64_t seed) {
    const AttentionProblem& p = c.problem;
    const bool outliers = inputs == Inputs::outliers;
    fill(c.v, p.kv_elements(), seed + 2, 0, 1, outliers);
    if (inputs == Inputs::normal || outliers) {
        fill(c.q, p.q_elements(), seed, 0, 1, outliers);
        fill(c.k, p.kv_elements(), seed + 1, 0, 1, outliers);
        return;
    }
    // q . k is then about head_dim times k's centre: choose that for the score that is wanted.
    fill(c.q, p.q_elements(), seed, 1, 0.02f);
    const auto for_score = [&](double score) {
        return static_cast<float>(score / (p.scale() * static_cast<double>(p.head_dim)));
    };
    if (inputs == Inputs::large_negative) {
        fill(c.k, p.kv_elements(), seed + 1, for_score(-120), 0);
        return;
    }
    fill(c.k, p.kv_elements(), seed + 1, 0, 0.1f);
    for (std::int64_t head = 0; head < p.batch * p.kv_heads; ++head)
        for (std::int64_t j = 0; j < p.head_dim; ++j)
            c.k.set((head * p.kv_len + p.kv_len / 2) * p.head_dim + j, for_score(60));
}

std::vector<float> floats(const GuardedTensor& tensor, std::int64_t first, std::int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = tensor.at(first + i);
    return values;
}

double ratio_of(double error, double bound) {
    return std::isfinite(error) ? error / bound : infinity;
}

}  // namespace

const char* name(Inputs inputs) {
    return std::array{"normal", "outliers", "large negative",
                      "one hot"}[static_cast<std::size_t>(inputs)];
}

GuardedTensor::GuardedTensor(std::int64_t elements, DType dtype)
    : memory_(2 * guard_bytes + static_cast<std::size_t>(elements * bytes_of(dtype)),
              std::byte{0xFF}),
      dtype_(dtype) {}

float GuardedTensor::at(std::int64_t index) const {
    const std::byte* const p =
        memory_.data() + guard_bytes + static_cast<std::size_t>(index * bytes_of(dtype_));
    if (dtype_ == DType::fp32) {
        float value = 0;
        std::memcpy(&value, p, sizeof(value));
        return value;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, p, sizeof(bits));
    return dtype_ == DType::fp16 ? fp16_to_float(bits) : bf16_to_float(bits);
}

void GuardedTensor::set(std::int64_t index, float value) {
    std::byte* const p =
        memory_.data() + guard_bytes + static_cast<std::size_t>(index * bytes_of(dtype_));
    if (dtype_ == DType::fp32) {
        std::memcpy(p, &value, sizeof(value));
        return;
    }
    const std::uint16_t bits = dtype_ == DType::fp16 ? float_to_fp16(value) : float_to_bf16(value);
    std::memcpy(p, &bits, sizeof(bits));
}

void GuardedTensor::poison() { std::fill(memory_.begin(), memory_.end(), std::byte{0xFF}); }

bool GuardedTensor::guards_intact() const {
    const auto intact = [](std::byte b) { return b == std::byte{0xFF}; };
    return std::all_of(memory_.begin(), memory_.begin() + guard_bytes, intact) &&
           std::all_of(memory_.end() - guard_bytes, memory_.end(), intact);
}

HostCase::HostCase(const AttentionProblem& p, Inputs inputs, std::uint64_t seed)
    : problem(p),
      q(p.q_elements(), p.dtype),
      k(p.kv_elements(), p.dtype),
      v(p.kv_elements(), p.dtype),
      o(p.q_elements(), p.dtype),
      lse(p.lse_elements(), DType::fp32),
      workspace(p.score_elements(), DType::fp32) {
    fill_inputs(*this, inputs, seed);
}

LaunchArgs HostCase::fresh_args() {
    o.poison();
    lse.poison();
    workspace.poison();
    return {.problem = problem,
            .q = q.data(),
            .k = k.data(),
            .v = v.data(),
            .o = o.data(),
            .lse = static_cast<float*>(lse.data()),
            .workspace = workspace.data(),
            .stream = nullptr};
}

Reference::Reference(const HostCase& c) {
    const AttentionProblem& p = c.problem;
    rows_.resize(static_cast<std::size_t>(p.lse_elements()));
    const std::int64_t group = p.heads / p.kv_heads, kv_size = p.kv_len * p.head_dim;
    for (std::int64_t kv_head = 0; kv_head < p.batch * p.kv_heads; ++kv_head) {
        const std::vector<float> k = floats(c.k, kv_head * kv_size, kv_size);
        const std::vector<float> v = floats(c.v, kv_head * kv_size, kv_size);
        cpu::for_each_index(group * p.q_len, [&](std::int64_t in_group) {
            const std::int64_t index = kv_head * group * p.q_len + in_group;
            const std::vector<float> q = floats(c.q, index * p.head_dim, p.head_dim);
            const ReferenceRow row =
                reference_row(q, k, v, p.visible_keys(in_group % p.q_len), p.head_dim, p.scale());
            // Arithmetic in fp32: O is rounded once to its dtype, a score is off by a few units of
            // its size, and that moves each p by as much.
            const double score_error = (1 + row.max_abs_score) * 0x1p-20;
            std::vector<double> bound(row.o.size());
            for (std::size_t j = 0; j < bound.size(); ++j)
                bound[j] = unit_roundoff(p.dtype) * std::abs(row.o[j]) +
                           score_error * row.pv_abs[j] + 0x1p-24;
            rows_[static_cast<std::size_t>(index)] = {row.o, std::move(bound), row.lse,
                                                      score_error};
        });
    }
}

Worst Reference::compare(const HostCase& c) const {
    const std::int64_t head_dim = c.problem.head_dim;
    Worst worst;
    const auto take = [&](double error, double bound, const char* what, std::int64_t row) {
        if (const double ratio = ratio_of(error, bound); ratio > worst.ratio)
            worst = {ratio, fmt::format("{} of row {} is off by {:.3g}", what, row, error)};
    };
    for (std::int64_t i = 0; i < std::ssize(rows_); ++i) {
        const Row& row = rows_[static_cast<std::size_t>(i)];
        const float lse = c.lse.at(i);
        const bool both_empty = std::isinf(row.lse) && lse == row.lse;
        take(both_empty ? 0 : std::abs(lse - row.lse), row.lse_bound, "LSE", i);
        for (std::int64_t j = 0; j < head_dim; ++j)
            take(std::abs(c.o.at(i * head_dim + j) - row.o[static_cast<std::size_t>(j)]),
                 row.bound[static_cast<std::size_t>(j)], "O", i);
    }
    return worst;
}

}  // namespace attnroof::test
