// The lesson: claims on standard and fused attention, each with what this report found.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace attnroof {

struct LessonStep {
    std::string title, claim;
    std::string verdict;  // what this machine says to it, in a sentence
    std::string chart;    // what to look at: flops, footprint, bytes, rate, or roofline
    std::vector<const Finding*> findings;  // of the report
};

/// The steps in order; empty unless the config asked for the lesson. Verdicts come from the
/// report's findings: a claim that was not measured, or does not hold here, is said to be so.
std::vector<LessonStep> lesson_of(const Report& report);

}  // namespace attnroof
