#include "findings/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/axes.h"

namespace attnroof {

std::string case_text(const Plot& plot, const CaseResult& c) {
    std::string text;
    const auto add = [&](const std::string& item) {
        if (!item.empty()) text += (text.empty() ? "" : ", ") + item;
    };
    for (const Series& s : plot.series) {
        if (std::find(s.cases.begin(), s.cases.end(), &c) == s.cases.end()) continue;
        if (plot.shapes.size() > 1) add(plot.shapes[s.shape] + " mask");
        add(s.label);
    }
    add("N=" + length_text(c.plan.problem));
    return text;
}

}  // namespace attnroof
