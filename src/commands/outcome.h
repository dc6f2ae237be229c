// A report whose cases could none of them run passes no gate.
#pragma once

#include <algorithm>

#include "commands/terminal.h"
#include "config/words.h"
#include "report/axes.h"

namespace attnroof {

/// True when every case is unsupported or skipped.
inline bool nothing_ran(const Report& report) {
    return std::all_of(report.cases.begin(), report.cases.end(), [](const CaseResult& c) {
        return c.plan.status == Status::unsupported || c.plan.status == Status::skipped;
    });
}

/// Says so on standard error, with the reason of the first case.
inline void note_nothing_ran(const Report& report) {
    if (report.cases.empty()) return;
    note("nothing could run ({}): {}", tally(report), printable(report.cases.front().plan.reason));
}

}  // namespace attnroof
