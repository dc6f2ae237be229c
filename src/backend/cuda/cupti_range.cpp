#include "backend/cuda/cupti_range.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "backend/cuda/cupti_host.h"
#include "backend/cuda/cupti_library.h"
#include "kernels/cuda/check.h"

namespace attnroof::cuda {
namespace {

/// The driver's current context, asked through the runtime: libcuda is not linked.
CUcontext current_context() {
    ATTNROOF_CUDA_CHECK(cudaFree(nullptr));  // makes the primary context current
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    ATTNROOF_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 4000,
                                                         cudaEnableDefault, &found));
    CUcontext context = nullptr;
    if (function != nullptr) reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
    return context;
}

/// Throws the CuptiError that names what shuts the counters of the current device. A vGPU that
/// could be profiled but is not set up for it counts as shut.
void require_support(const CuptiLibrary& library) {
    CUpti_Profiler_DeviceSupported_Params support{};
    support.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
    support.api = CUPTI_PROFILER_RANGE_PROFILING;
    library.device_supported(support);
    const std::pair<CUpti_Profiler_Support_Level, CUptiResult> levels[]{
        {support.architecture, CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED},
        {support.sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
        {support.vGpu, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
        {support.confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
        {support.cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
        {support.wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED},
        {support.isSupported, CUPTI_ERROR_NOT_SUPPORTED}};
    for (const auto& [level, error] : levels)
        if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
            library.device_supported.check(error);
}

/// CUPTI's profiler, initialised as long as the object lives.
class Profiler {
  public:
    explicit Profiler(const CuptiLibrary& library) : library_(library) {
        CUpti_Profiler_Initialize_Params params{};
        params.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
        library_.initialize(params);
    }
    ~Profiler() {
        CUpti_Profiler_DeInitialize_Params params{};
        params.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE;
        library_.deinitialize.try_call(params);
    }
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

  private:
    const CuptiLibrary& library_;
};

/// The range profiler, enabled on the current context as long as the object lives.
class RangeProfiler {
  public:
    explicit RangeProfiler(const CuptiLibrary& library) : library_(library), profiler_(library) {
        CUpti_RangeProfiler_Enable_Params params{};
        params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
        params.ctx = current_context();
        library_.range_enable(params);
        object_ = params.pRangeProfilerObject;
    }
    ~RangeProfiler() {
        CUpti_RangeProfiler_Disable_Params params{};
        params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
        params.pRangeProfilerObject = object_;
        library_.range_disable.try_call(params);
    }
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;

    CUpti_RangeProfiler_Object* object() const { return object_; }

  private:
    const CuptiLibrary& library_;
    Profiler profiler_;
    CUpti_RangeProfiler_Object* object_ = nullptr;
};

/// Ranges are named by their index: unique, whatever the jobs are called, since ranges of one name
/// are added together, and without the '/' that stands for nesting.
std::string range_name(std::size_t job) { return std::to_string(job); }

std::vector<std::uint8_t> make_counter_image(const CuptiLibrary& library,
                                             CUpti_RangeProfiler_Object* profiler,
                                             const std::vector<std::string>& metrics,
                                             std::size_t ranges) {
    std::vector<const char*> names;
    for (const std::string& metric : metrics) names.push_back(metric.c_str());
    CUpti_RangeProfiler_GetCounterDataSize_Params size{};
    size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    size.pRangeProfilerObject = profiler;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    library.counter_data_size(size);

    std::vector<std::uint8_t> image(size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params initialize{};
    initialize.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
    initialize.pRangeProfilerObject = profiler;
    initialize.counterDataSize = image.size();
    initialize.pCounterData = image.data();
    library.counter_data_initialize(initialize);
    return image;
}

void configure(const CuptiLibrary& library, CUpti_RangeProfiler_Object* profiler,
               const std::vector<std::uint8_t>& schedule, std::vector<std::uint8_t>& image,
               std::size_t ranges) {
    CUpti_RangeProfiler_SetConfig_Params params{};
    params.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler;
    params.configSize = schedule.size();
    params.pConfig = schedule.data();
    params.counterDataImageSize = image.size();
    params.pCounterDataImage = image.data();
    params.range = CUPTI_UserRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = ranges;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    library.range_configure(params);
}

void run_job(const CuptiLibrary& library, CUpti_RangeProfiler_Object* profiler, const CountJob& job,
             const std::string& name, const std::function<void()>& synchronize) {
    if (job.prepare) job.prepare();
    synchronize();
    CUpti_RangeProfiler_PushRange_Params push{};
    push.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
    push.pRangeProfilerObject = profiler;
    push.pRangeName = name.c_str();
    library.range_push(push);
    job.body();
    synchronize();
    CUpti_RangeProfiler_PopRange_Params pop{};
    pop.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
    pop.pRangeProfilerObject = profiler;
    library.range_pop(pop);
    if (job.after) job.after();
}

/// One pass over all jobs. True when it was the last.
bool run_pass(const CuptiLibrary& library, CUpti_RangeProfiler_Object* profiler,
              const std::vector<CountJob>& jobs, const std::function<void()>& synchronize) {
    CUpti_RangeProfiler_Start_Params start{};
    start.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
    start.pRangeProfilerObject = profiler;
    library.range_start(start);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        run_job(library, profiler, jobs[i], range_name(i), synchronize);
    CUpti_RangeProfiler_Stop_Params stop{};
    stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
    stop.pRangeProfilerObject = profiler;
    library.range_stop(stop);
    return stop.isAllPassSubmitted != 0;
}

void decode(const CuptiLibrary& library, CUpti_RangeProfiler_Object* profiler) {
    CUpti_RangeProfiler_DecodeData_Params params{};
    params.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
    params.pRangeProfilerObject = profiler;
    library.range_decode(params);
}

std::size_t decoded_ranges(const CuptiLibrary& library, const std::vector<std::uint8_t>& image) {
    CUpti_RangeProfiler_GetCounterDataInfo_Params params{};
    params.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
    params.pCounterDataImage = image.data();
    params.counterDataImageSize = image.size();
    library.counter_data_info(params);
    return params.numTotalRanges;
}

/// The job that a decoded range belongs to: ranges come back in an order of CUPTI's own.
std::size_t job_of(const CuptiLibrary& library, const std::vector<std::uint8_t>& image,
                   std::size_t range) {
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params params{};
    params.structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE;
    params.pCounterDataImage = image.data();
    params.counterDataImageSize = image.size();
    params.rangeIndex = range;
    params.rangeDelimiter = "/";
    library.counter_data_range(params);
    return std::stoul(params.rangeName);
}

}  // namespace

std::string profiled_chip(const CuptiLibrary& library, int device) {
    // Without it the name's query crashes. Taken back at once, it costs later launches nothing.
    const Profiler profiler(library);
    current_context();
    require_support(library);
    CUpti_Device_GetChipName_Params params{};
    params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
    params.deviceIndex = static_cast<std::size_t>(device);
    library.chip_name(params);
    return params.pChipName;
}

RangeValues count_ranges(const CuptiLibrary& library, CuptiHost& host,
                         const std::vector<std::string>& metrics, const std::vector<CountJob>& jobs,
                         const std::function<void()>& synchronize) {
    RangeValues result;
    result.rows.assign(
        jobs.size(), std::vector<double>(metrics.size(), std::numeric_limits<double>::quiet_NaN()));
    const std::vector<std::uint8_t> schedule = host.schedule(metrics);
    // Declared before the profiler, which writes into it until it is switched off.
    std::vector<std::uint8_t> image;
    RangeProfiler profiler(library);
    image = make_counter_image(library, profiler.object(), metrics, jobs.size());
    configure(library, profiler.object(), schedule, image, jobs.size());
    for (bool last = false; !last; ++result.passes)
        last = run_pass(library, profiler.object(), jobs, synchronize);
    decode(library, profiler.object());
    for (std::size_t range = 0; range < decoded_ranges(library, image); ++range)
        result.rows.at(job_of(library, image, range)) = host.evaluate(image, range, metrics);
    return result;
}

}  // namespace attnroof::cuda
