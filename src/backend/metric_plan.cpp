#include "backend/metric_plan.h"

#include <fmt/format.h>

#include "errors.h"
#ifdef ATTNROOF_WITH_CUDA
#include "backend/cuda/open.h"
#endif

namespace attnroof {

std::string describe(const std::vector<MetricTerm>& terms) {
    std::string text;
    for (const MetricTerm& term : terms) {
        if (!text.empty()) text += " + ";
        if (term.scale != 1) text += fmt::format("{} * ", term.scale);
        text += term.name + ".sum";
    }
    return text;
}

MetricPlans metric_plans([[maybe_unused]] const std::string& chip) {
#ifdef ATTNROOF_WITH_CUDA
    return cuda_metric_plans(chip);
#else
    throw UsageError(
        "this build knows no GPU metrics: it was built without the CUDA Toolkit, whose CUPTI "
        "headers they come from");
#endif
}

}  // namespace attnroof
