#include "report/report.h"

namespace attnroof {

std::string variant_of(const CaseResult& result) {
    if (!result.variant.empty()) return result.variant;
    return result.plan.kernel ? result.plan.kernel->variant : result.plan.asked.variant;
}

}  // namespace attnroof
