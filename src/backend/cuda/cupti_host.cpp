#include "backend/cuda/cupti_host.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/cupti_library.h"
#include "backend/cuda/metrics.h"

namespace attnroof::cuda {
namespace {

std::vector<const char*> c_strings(const std::vector<std::string>& strings) {
    std::vector<const char*> pointers;
    for (const std::string& string : strings) pointers.push_back(string.c_str());
    return pointers;
}

CUpti_Profiler_Host_Object* create(const CuptiLibrary& library, const std::string& chip) {
    CUpti_Profiler_Host_Initialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    library.host_initialize(params);
    return params.pHostObject;
}

}  // namespace

std::shared_ptr<const CuptiLibrary> open_cupti(const std::vector<std::string>& candidates) {
    return std::make_shared<const CuptiLibrary>(candidates);
}
std::shared_ptr<const CuptiLibrary> open_cupti() { return open_cupti(cupti_candidates()); }

std::vector<std::string> cupti_chips(const CuptiLibrary& library) {
    CUpti_Profiler_Host_GetSupportedChips_Params params{};
    params.structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE;
    library.host_chips(params);
    return {params.ppChipNames, params.ppChipNames + params.numChips};
}

CuptiHost::CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip)
    : library_(std::move(library)), object_(create(*library_, chip)) {}

CuptiHost::~CuptiHost() {
    CUpti_Profiler_Host_Deinitialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    library_->host_deinitialize.try_call(params);
}

std::set<std::string> CuptiHost::base_metrics() const {
    CUpti_Profiler_Host_GetBaseMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.metricType = CUPTI_METRIC_TYPE_COUNTER;
    library_->host_base_metrics(params);
    return {params.ppMetricNames, params.ppMetricNames + params.numMetrics};
}

bool CuptiHost::has_rollup(const std::string& base, const std::string& rollup) const {
    CUpti_Profiler_Host_GetSubMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.metricType = CUPTI_METRIC_TYPE_COUNTER;
    params.pMetricName = base.c_str();
    if (library_->host_sub_metrics.try_call(params) != CUPTI_SUCCESS) return false;
    const std::span names(params.ppSubMetrics, params.numOfSubmetrics);
    return std::find(names.begin(), names.end(), rollup) != names.end();
}

std::vector<std::uint8_t> CuptiHost::schedule(const std::vector<std::string>& metrics) {
    std::vector<const char*> names = c_strings(metrics);
    CUpti_Profiler_Host_ConfigAddMetrics_Params add{};
    add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    add.pHostObject = object_;
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    library_->host_add_metrics(add);

    CUpti_Profiler_Host_GetConfigImageSize_Params size{};
    size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    size.pHostObject = object_;
    library_->host_image_size(size);

    std::vector<std::uint8_t> schedule(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params image{};
    image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    image.pHostObject = object_;
    image.configImageSize = schedule.size();
    image.pConfigImage = schedule.data();
    library_->host_image(image);
    return schedule;
}

int CuptiHost::passes(std::vector<std::uint8_t>& schedule) const {
    CUpti_Profiler_Host_GetNumOfPasses_Params params{};
    params.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
    params.configImageSize = schedule.size();
    params.pConfigImage = schedule.data();
    library_->host_passes(params);
    return static_cast<int>(params.numOfPasses);
}

std::vector<double> CuptiHost::evaluate(std::span<const std::uint8_t> image, std::size_t range,
                                        const std::vector<std::string>& metrics) const {
    std::vector<const char*> names = c_strings(metrics);
    std::vector<double> values(metrics.size(), std::numeric_limits<double>::quiet_NaN());
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
    params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.pCounterDataImage = image.data();
    params.counterDataImageSize = image.size();
    params.rangeIndex = range;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    params.pMetricValues = values.data();
    library_->host_evaluate(params);
    return values;
}

int passes_of(const std::shared_ptr<const CuptiLibrary>& library, const std::string& chip,
              const std::vector<ResolvedCounter>& counters) {
    int passes = 0;
    for (CounterGroup group : counter_groups) {
        const std::vector<std::string> names = metric_names(of_group(counters, group));
        if (names.empty()) continue;
        CuptiHost host(library, chip);
        std::vector<std::uint8_t> schedule = host.schedule(names);
        passes += host.passes(schedule);
    }
    return passes;
}

}  // namespace attnroof::cuda
