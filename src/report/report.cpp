#include "report/report.h"

namespace attnroof {

std::string variant_of(const CaseResult& result) {
    if (!result.variant.empty()) return result.variant;
    return result.plan.kernel ? result.plan.kernel->variant : result.plan.asked.variant;
}

std::string uncounted_reason(const CaseResult& result, const Report& report) {
    if (result.plan.status != Status::ok) return result.plan.reason;
    if (report.prediction) return "predicted, not counted";
    if (report.config.counters == CounterMode::off) return "counters were switched off";
    if (!report.counters_closed_gate.empty()) return report.counters_closed_gate;
    return report.complete ? "not counted" : "not counted yet";
}

}  // namespace attnroof
