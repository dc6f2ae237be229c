// What the cases of a report have in common and where they differ, in words.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace attnroof {

struct VaryingAxes {
    bool pass = false, dtype = false, mask = false, head_dim = false, cache = false;
    bool batch_heads = false;  // batch, heads or kv_heads vary on their own, not with N and d
};

VaryingAxes varying_axes(const Report& report);

/// The axes that do not vary: "forward, bf16, full mask, d = 128, batch 1, 16 heads, cold cache".
std::string common_axes(const Report& report);

/// "4096", or "1 x 4096" (queries by keys) when the two differ.
std::string length_text(const AttentionProblem& problem);

/// "4 x 16", with grouped-query heads "4 x 16/2".
std::string batch_heads_text(const AttentionProblem& problem);

/// Each kernel once with the variant that ran: "naive (sm80), fused (sm90)".
std::string kernels_text(const Report& report);

/// "12 cases: 10 ok, 1 skipped, 1 wrong".
std::string tally(const Report& report);

/// "Attention roofline, NVIDIA H200", or "Predicted attention roofline, ..." when nothing ran.
std::string report_title(const Report& report);

}  // namespace attnroof
