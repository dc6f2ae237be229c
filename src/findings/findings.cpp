#include "findings/findings.h"

#include "findings/growth.h"
#include "findings/verdicts.h"

namespace attnroof {

std::vector<Finding> findings_of(const Report& report) {
    if (report.prediction) return {};  // its plan holds the model's figures, and nothing was found
    const Plot plot = plot_of(report);
    std::vector<Finding> all;
    for (const std::vector<Finding>& part :
         {growth_findings(report, plot), cache_findings(report, plot), ceiling_findings(report),
          bound_findings(plot), compute_roof_findings(report, plot), speed_findings(plot),
          model_findings(plot)})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace attnroof
