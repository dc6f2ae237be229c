#include "plan/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "errors.h"

namespace attnroof {
namespace {

constexpr std::size_t most_cases = 100'000;

/// True when the product stays below 2^62: room for a sum of two.
bool fits(std::initializer_list<std::int64_t> factors) {
    std::int64_t product = 1;
    for (std::int64_t factor : factors)
        if (__builtin_mul_overflow(product, factor, &product)) return false;
    return product < (std::int64_t{1} << 62);
}

void check_sizes(const AttentionProblem& p) {
    if (sizes_fit(p)) return;
    throw UsageError(fmt::format("axes: {} is too large: its sizes in bytes do not fit in 64 bits",
                                 describe(p)));
}

/// (q_len, kv_len): both lists crossed where they are given, else seq_len for the one not given,
/// else both equal.
std::vector<std::pair<std::int64_t, std::int64_t>> lengths(const SweepConfig& config) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    if (config.q_lens.empty() && config.kv_lens.empty()) {
        for (std::int64_t n : config.seq_lens) pairs.emplace_back(n, n);
        return pairs;
    }
    for (std::int64_t q : config.q_lens.empty() ? config.seq_lens : config.q_lens)
        for (std::int64_t kv : config.kv_lens.empty() ? config.seq_lens : config.kv_lens)
            pairs.emplace_back(q, kv);
    return pairs;
}

bool derived(const SweepConfig& config) { return config.tokens || config.hidden; }

/// The (batch, heads, kv_heads) that go with one length and head_dim, put into `problem`.
std::vector<AttentionProblem> with_heads(const SweepConfig& config, AttentionProblem problem) {
    if (derived(config)) {
        if (config.tokens)
            problem.batch = std::max<std::int64_t>(1, *config.tokens / problem.q_len);
        if (config.hidden)
            problem.heads = std::max<std::int64_t>(1, *config.hidden / problem.head_dim);
        problem.kv_heads = problem.heads;
        return {problem};
    }
    std::vector<AttentionProblem> problems;
    for (std::int64_t batch : config.batches)
        for (std::int64_t heads : config.heads)
            for (std::int64_t kv_heads :
                 config.kv_heads.empty() ? std::vector{heads} : config.kv_heads) {
                problem.batch = batch;
                problem.heads = heads;
                problem.kv_heads = kv_heads;
                problems.push_back(problem);
            }
    return problems;
}

/// Stops before a list is built that no memory or patience is enough for.
void check_count(const SweepConfig& c, std::size_t length_count) {
    std::size_t cases = length_count;
    const std::size_t head_count = derived(c) ? 1
                                              : c.batches.size() * c.heads.size() *
                                                    std::max<std::size_t>(1, c.kv_heads.size());
    for (std::size_t factor : {c.passes.size(), c.dtypes.size(), c.masks.size(), c.head_dims.size(),
                               head_count, c.kernels.size(), c.caches.size()})
        if (__builtin_mul_overflow(cases, factor, &cases) || cases > most_cases)
            throw UsageError(
                fmt::format("axes: the sweep has more than {} cases; make it smaller", most_cases));
}

}  // namespace

// 64 covers 4 bytes an element and the dozen times that a model counts one tensor.
bool sizes_fit(const AttentionProblem& p) {
    const std::int64_t heads = std::max(p.heads, p.kv_heads);
    return fits({p.batch, heads, p.q_len, p.kv_len, 64}) &&
           fits({p.batch, heads, std::max(p.q_len, p.kv_len), p.head_dim, 64});
}

std::vector<AttentionProblem> list_problems(const SweepConfig& config) {
    const auto pairs = lengths(config);
    check_count(config, pairs.size());
    std::vector<AttentionProblem> problems;
    for (Pass pass : config.passes)
        for (DType dtype : config.dtypes)
            for (Mask mask : config.masks)
                for (std::int64_t head_dim : config.head_dims)
                    for (const auto& [q_len, kv_len] : pairs) {
                        const AttentionProblem one{pass, dtype, mask,   1,       1,
                                                   1,    q_len, kv_len, head_dim};
                        for (const AttentionProblem& p : with_heads(config, one)) {
                            check_sizes(p);
                            problems.push_back(p);
                        }
                    }
    return problems;
}

}  // namespace attnroof
