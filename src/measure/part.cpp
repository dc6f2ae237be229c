#include "measure/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace attnroof {
namespace {

/// The largest divisor of `count` that is at most `most`, and at least 1.
std::int64_t largest_divisor(std::int64_t count, std::int64_t most) {
    std::int64_t divisor = std::clamp<std::int64_t>(most, 1, count);
    while (count % divisor != 0) --divisor;
    return divisor;
}

std::string words(const std::string& metric, const Part& part) {
    const bool sum = metric.find(' ') != std::string::npos;
    return fmt::format("{} * {}{}{} of {} of {} heads", part.times, sum ? "(" : "", metric,
                       sum ? ")" : "", part.heads / part.times, part.heads);
}

}  // namespace

Part part_of(const AttentionProblem& whole, std::int64_t most_scores) {
    Part part{.problem = whole, .heads = whole.batch * whole.heads};
    AttentionProblem& p = part.problem;
    p.batch = largest_divisor(whole.batch, most_scores / (whole.score_elements() / whole.batch));
    if (p.score_elements() > most_scores) {  // one item of the batch is too large
        const std::int64_t group = whole.heads / whole.kv_heads;
        p.kv_heads =
            largest_divisor(whole.kv_heads, most_scores / (p.score_elements() / whole.kv_heads));
        p.heads = group * p.kv_heads;
    }
    part.times = part.heads / (p.batch * p.heads);
    return part;
}

CounterSet of_whole(CounterSet counted, const Part& part) {
    if (part.whole()) return counted;
    for (auto& [counter, value] : counted) {
        if (!value.value) continue;
        *value.value *= static_cast<double>(part.times);
        value.metric = words(value.metric, part);
    }
    return counted;
}

}  // namespace attnroof
