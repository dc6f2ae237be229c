// Small questions that every finding asks of a series.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/plot.h"

namespace attnroof {

inline bool square(const CaseResult& c) { return c.plan.problem.q_len == c.plan.problem.kv_len; }
inline std::int64_t length(const CaseResult& c) { return c.plan.problem.q_len; }
inline double heads_of(const CaseResult& c) {
    return static_cast<double>(c.plan.problem.batch * c.plan.problem.heads);
}

/// The series of one kernel.
inline std::vector<const Series*> series_of(const Plot& plot, std::size_t kernel) {
    std::vector<const Series*> all;
    for (const Series& s : plot.series)
        if (s.kernel == kernel) all.push_back(&s);
    return all;
}

inline std::vector<const CaseResult*> cases_of(const Plot& plot, std::size_t kernel) {
    std::vector<const CaseResult*> all;
    for (const Series* s : series_of(plot, kernel))
        all.insert(all.end(), s->cases.begin(), s->cases.end());
    return all;
}

/// "causal mask, d=128, N=4096"; what is the same in the whole report goes without saying.
std::string case_text(const Plot& plot, const CaseResult& c);

}  // namespace attnroof
