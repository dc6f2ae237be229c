#include "report/report.h"

namespace attnroof {

std::string variant_of(const CaseResult& result) {
    if (!result.variant.empty()) return result.variant;
    return result.plan.kernel ? result.plan.kernel->variant : result.plan.asked.variant;
}

std::string uncounted_reason(const CaseResult& result, const Report& report) {
    return result.plan.status == Status::ok ? uncounted_reason(report) : result.plan.reason;
}

std::string uncounted_reason(const Report& report) {
    if (report.prediction) return "predicted, not counted";
    if (report.config.counters == CounterMode::off) return "counters were switched off";
    if (!report.counters_closed_gate.empty()) return report.counters_closed_gate;
    return report.complete ? "not counted" : "not counted yet";
}

}  // namespace attnroof
