#include "measure/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <random>
#include <set>

#include "kernels/cpu/reference.h"
#include "kernels/half.h"

namespace attnroof {
namespace {

std::vector<float> download_floats(Backend& backend, const Buffer& buffer, std::int64_t first,
                                   std::int64_t elements, DType dtype) {
    std::vector<float> values(static_cast<std::size_t>(elements));
    if (dtype == DType::fp32) {
        backend.download(buffer, 4 * first, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::vector<std::uint16_t> bits(values.size());
    backend.download(buffer, 2 * first, std::as_writable_bytes(std::span(bits)));
    std::transform(bits.begin(), bits.end(), values.begin(),
                   dtype == DType::bf16 ? bf16_to_float : fp16_to_float);
    return values;
}

/// `count` distinct indexes below `size`, the first and the last among them.
std::set<std::int64_t> sample_indexes(std::int64_t size, std::int64_t count, std::mt19937_64& rng) {
    std::set<std::int64_t> chosen{0, size - 1};
    std::uniform_int_distribution<std::int64_t> any(0, size - 1);
    while (static_cast<std::int64_t>(chosen.size()) < std::min(count, size))
        chosen.insert(any(rng));
    return chosen;
}

/// Error bounds of one row: what rounding alone can explain.
///
/// A kernel rounds each p_j v_j (P stored in the dtype) and O itself. Rounding errors are
/// independent, so they add as the root of the sum of squares; eight standard deviations of a
/// uniform error of half a unit in the last place is 8/sqrt(3) unit roundoffs. Scores kept in
/// fp32 carry an error that grows with their size and moves p_j by that much, in each key alike;
/// scores rounded to the dtype move p_j by |s_j| unit roundoffs, independently. Sums over many keys
/// add an fp32 rounding for each 16 of them, which a tensor core truncates rather than rounds.
class RowBounds {
  public:
    RowBounds(const KernelRow& kernel, DType dtype, std::int64_t keys, double max_abs_score)
        : unit_(unit_roundoff(dtype)),
          stored_score_(kernel.scores_in_dtype ? max_abs_score : 0),
          score_error_((1 + max_abs_score) * 0x1p-18),
          sum_error_(static_cast<double>(keys) / 16 * 0x1p-23) {}

    double output(double o, double p2v2, double pv_abs) const {
        const double spread = std::sqrt(p2v2);
        return (unit_ + sum_error_) * std::abs(o) +
               (unit_ * 8 / std::sqrt(3.0) * (1 + stored_score_) + sum_error_) * spread +
               score_error_ * pv_abs + std::numeric_limits<float>::min();
    }
    double lse() const {
        // Sums of positive terms: fp32 roundings add up like a random walk.
        return score_error_ + std::sqrt(16 * sum_error_ * 0x1p-23) * 8 + unit_ * stored_score_;
    }

  private:
    double unit_, stored_score_, score_error_, sum_error_;
};

struct RowError {
    double o = 0, o_bound = 0, worst_ratio = 0, lse = 0;
};

double ratio_of(double error, double bound) {
    return std::isfinite(error) ? error / bound : std::numeric_limits<double>::infinity();
}

RowError compare_row(const RowBounds& bounds, const ReferenceRow& reference,
                     std::span<const float> o, float lse) {
    RowError row;
    for (std::size_t j = 0; j < o.size(); ++j) {
        const double error = std::abs(o[j] - reference.o[j]);
        const double bound = bounds.output(reference.o[j], reference.p2v2[j], reference.pv_abs[j]);
        row.o =
            std::isfinite(error) ? std::max(row.o, error) : std::numeric_limits<double>::infinity();
        if (const double ratio = ratio_of(error, bound); ratio >= row.worst_ratio) {
            row.worst_ratio = ratio;
            row.o_bound = bound;
        }
    }
    if (std::isinf(reference.lse)) {  // no key: exactly -inf is asked for
        row.lse = lse == -std::numeric_limits<float>::infinity()
                      ? 0
                      : std::numeric_limits<double>::infinity();
        row.worst_ratio = std::max(row.worst_ratio, row.lse);
    } else {
        row.lse = std::abs(lse - reference.lse);
        row.worst_ratio = std::max(row.worst_ratio, ratio_of(row.lse, bounds.lse()));
    }
    return row;
}

/// The sampled rows of one query head.
void check_head(Backend& backend, const CaseBuffers& b, std::int64_t batch_head,
                const std::set<std::int64_t>& rows, CheckResult& check) {
    const AttentionProblem& p = b.problem;
    const std::int64_t batch = batch_head / p.heads, head = batch_head % p.heads;
    const std::int64_t kv_head = batch * p.kv_heads + head / (p.heads / p.kv_heads);
    const std::int64_t kv_size = p.kv_len * p.head_dim;
    const std::vector<float> k =
        download_floats(backend, *b.k, kv_head * kv_size, kv_size, p.dtype);
    const std::vector<float> v =
        download_floats(backend, *b.v, kv_head * kv_size, kv_size, p.dtype);

    std::vector<std::future<RowError>> errors;
    for (std::int64_t row : rows) {
        const std::int64_t index = batch_head * p.q_len + row;
        auto q = download_floats(backend, *b.q, index * p.head_dim, p.head_dim, p.dtype);
        auto o = download_floats(backend, *b.o, index * p.head_dim, p.head_dim, p.dtype);
        const float lse = download_floats(backend, *b.lse, index, 1, DType::fp32)[0];
        errors.push_back(
            std::async(std::launch::async, [&, row, lse, q = std::move(q), o = std::move(o)] {
                const std::int64_t keys = p.visible_keys(row);
                const ReferenceRow reference = reference_row(q, k, v, keys, p.head_dim, p.scale());
                const RowBounds bounds(*b.kernel, p.dtype, keys, reference.max_abs_score);
                return compare_row(bounds, reference, o, lse);
            }));
    }
    for (auto& pending : errors) {
        const RowError error = pending.get();
        check.max_abs_error = std::max(check.max_abs_error, error.o);
        check.lse_max_abs_error = std::max(check.lse_max_abs_error, error.lse);
        if (error.worst_ratio >= check.worst_ratio) {
            check.worst_ratio = error.worst_ratio;
            check.tolerance = error.o_bound;
        }
        ++check.rows;
    }
}

}  // namespace

CheckResult verify_case(Backend& backend, const CaseBuffers& buffers, int sampled_rows,
                        std::uint64_t seed) {
    const AttentionProblem& p = buffers.problem;
    backend.poison(*buffers.o);
    backend.poison(*buffers.lse);
    if (buffers.workspace) backend.poison(*buffers.workspace);
    backend.run(buffers.all_steps());

    CheckResult check;
    check.unwritten = backend.count_nan(*buffers.o, p.q_elements(), p.dtype) +
                      backend.count_nan(*buffers.lse, p.lse_elements(), DType::fp32);
    std::mt19937_64 rng(seed);
    const std::set<std::int64_t> heads = sample_indexes(p.batch * p.heads, 3, rng);
    const auto rows_each = std::max<std::int64_t>(2, sampled_rows / std::ssize(heads));
    for (std::int64_t head : heads)
        check_head(backend, buffers, head, sample_indexes(p.q_len, rows_each, rng), check);
    return check;
}

std::optional<std::string> fault_of(const CheckResult& check) {
    if (check.unwritten > 0)
        return fmt::format("{} elements of O and LSE are NaN after the run", check.unwritten);
    if (!(check.worst_ratio <= 1))
        return fmt::format(
            "O is off by up to {:.3g} and LSE by up to {:.3g}, {:.3g} times the bound",
            check.max_abs_error, check.lse_max_abs_error, check.worst_ratio);
    return std::nullopt;
}

}  // namespace attnroof
