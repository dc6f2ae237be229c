#include "config/gate.h"

#include <algorithm>

namespace attnroof {

bool matches(std::string_view pattern, std::string_view id) {
    // Greedy, with one point to go back to: the last star and what it has swallowed so far.
    std::size_t p = 0, i = 0, star = std::string_view::npos, swallowed = 0;
    while (i < id.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            swallowed = i;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == id[i])) {
            ++p;
            ++i;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            i = ++swallowed;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view id) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches(pattern, id); });
}

Limits limits_for(const Gate& gate, std::string_view id) {
    Limits limits;
    for (const LimitRule& rule : gate.limits) {
        if (!matches(rule.cases, id)) continue;
        limits.percent = rule.percent.value_or(limits.percent);
        limits.seconds = rule.seconds.value_or(limits.seconds);
        limits.bytes_percent = rule.bytes_percent.value_or(limits.bytes_percent);
        limits.flops_percent = rule.flops_percent.value_or(limits.flops_percent);
    }
    return limits;
}

}  // namespace attnroof
