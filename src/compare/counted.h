// Bytes and FLOPs of one case, as hardware counted them: exact, so that no statistics are needed.
#pragma once

#include <string>

#include "compare/judge.h"

namespace attnroof {

struct CountedVerdict {
    std::string grew;  // what grew beyond its limit; empty when nothing did
    std::string lost;  // what the base counted and the new reports did not, with the reason
};

/// Compares settled bytes with settled ones, bytes in range with bytes in range where a side has
/// no settled ones or they exceed them, and executed FLOPs. Fills the row's `counted`, and its
/// notes with what decides nothing.
CountedVerdict judge_counted(VerdictRow& row, const Results& base, const Results& fresh,
                             const Limits& limits);

}  // namespace attnroof
