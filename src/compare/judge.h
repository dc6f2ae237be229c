// One case that both sides name: from its results to a verdict.
#pragma once

#include <vector>

#include "compare/compare.h"

namespace attnroof {

/// Results of one case, one for each report of a side that has it.
using Results = std::vector<const CaseResult*>;

struct CaseRules {
    Limits limits;
    bool required_by_name = false;  // a pattern asks for this case, so that it must have run
    bool losses_count = true;       // the new side counts: what it lacks of the base, it lost
};

/// Fills the row: status, problem, counted quantities, time, in this order.
void judge_case(VerdictRow& row, const Results& base, const Results& fresh, const CaseRules& rules);

}  // namespace attnroof
