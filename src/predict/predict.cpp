#include "predict/predict.h"

namespace attnroof {
namespace {

CaseResult predicted(const Case& c, const DeviceSpec& spec) {
    CaseResult result;
    result.plan = c;
    result.useful_flops = useful_flops(c.problem);
    if (!c.kernel) return result;
    result.modelled = modelled_traffic(*c.kernel, c.problem, spec.facts.cache_bytes);
    result.footprint_bytes = operand_bytes(c.problem) + c.kernel->workspace_bytes(c.problem);
    if (c.status != Status::ok) return result;
    result.point = point_at_roof({.problem = c.problem,
                                  .flops = result.useful_flops,
                                  .traffic = result.modelled,
                                  .traffic_source = Source::modelled,
                                  .traffic_kind = "model"},
                                 spec.ceilings);
    return result;
}

}  // namespace

Report predict(const SweepConfig& config, const DeviceSpec& spec) {
    Report report;
    report.complete = true;
    report.device = spec.facts;
    report.config = config;
    report.config.counters = CounterMode::off;
    report.ceilings = spec.ceilings;
    report.prediction = spec.source;
    for (const Case& c : make_plan(config, spec.facts, spec.facts.memory_bytes))
        report.cases.push_back(predicted(c, spec));
    return report;
}

}  // namespace attnroof
