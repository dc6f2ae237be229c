// Metric plans of any chip through the host half of CUPTI: no GPU, no driver.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backend/cuda/counter_gate.h"
#include "backend/cuda/cupti_host.h"
#include "backend/cuda/cupti_library.h"
#include "backend/cuda/metrics.h"
#include "backend/cuda/open.h"
#include "errors.h"

namespace attnroof {
namespace cuda {
namespace {

ChipPlan plan_of(const std::shared_ptr<const CuptiLibrary>& library, const std::string& chip) {
    ChipPlan plan;
    plan.chip = chip;
    try {
        plan.counters = resolve_counters(chip, CuptiHost(library, chip).base_metrics());
        plan.passes = passes_of(library, chip, plan.counters);
    } catch (const CuptiError& error) {
        plan.counters.clear();
        plan.refused = gate_of(error.code(), error.what()).closed;
    }
    return plan;
}

std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::shared_ptr<const CuptiLibrary> library_or_error() {
    try {
        return open_cupti();
    } catch (const GateShut& shut) {
        throw DeviceError(shut.gate().closed + "; " + shut.gate().remedy);
    }
}

}  // namespace
}  // namespace cuda

MetricPlans cuda_metric_plans(const std::string& chip) {
    const auto library = cuda::library_or_error();
    MetricPlans plans;
    plans.library = library->handle.name();
    const std::vector<std::string> known = cuda::cupti_chips(*library);
    if (chip == "all") {
        for (const std::string& one : known) plans.chips.push_back(cuda::plan_of(library, one));
        return plans;
    }
    const std::string wanted = cuda::in_capitals(chip);
    if (std::find(known.begin(), known.end(), wanted) == known.end())
        throw UsageError(fmt::format("unknown chip '{}'; {} knows: {}", chip, plans.library,
                                     fmt::join(known, ", ")));
    plans.chips.push_back(cuda::plan_of(library, wanted));
    return plans;
}

}  // namespace attnroof
