// libcupti, loaded at run time: nothing links it, so the program starts where there is none.
// Included by the cupti_*.cpp files only; other code uses cupti_counters.h.
#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace attnroof::cuda {

/// A CUPTI call failed; what() is the name of the call.
class CuptiError : public std::runtime_error {
  public:
    CuptiError(CUptiResult code, const std::string& call) : std::runtime_error(call), code_(code) {}
    CUptiResult code() const { return code_; }

  private:
    CUptiResult code_;
};

/// File names and paths to try, best first: the loader's own search, $CUDA_PATH, $CUDA_HOME,
/// /usr/local/cuda.
std::vector<std::string> cupti_candidates();

/// dlopen of the first candidate that is a CUPTI of the major version this was built for. Throws
/// GateShut. The library is never closed: CUPTI leaves hooks in the driver.
class CuptiHandle {
  public:
    explicit CuptiHandle(const std::vector<std::string>& candidates);

    /// Throws GateShut when the library has no such function.
    void* symbol(const char* name) const;
    const std::string& path() const { return path_; }
    const std::string& version() const { return version_; }
    /// "CUPTI 13.0.1 (PATH)"
    std::string name() const { return "CUPTI " + version_ + " (" + path_ + ")"; }

  private:
    /// Why `candidate` will not do; empty when it was taken.
    std::string open(const std::string& candidate);

    void* handle_ = nullptr;
    std::string path_, version_;
};

/// One CUPTI function that takes a parameter block. Throws CuptiError unless it succeeds.
template <class Params>
class CuptiCall {
  public:
    CuptiCall(const CuptiHandle& library, const char* name)
        : function_(reinterpret_cast<CUptiResult (*)(Params*)>(library.symbol(name))),
          name_(name) {}

    void operator()(Params& params) const { check(try_call(params)); }
    CUptiResult try_call(Params& params) const { return function_(&params); }
    void check(CUptiResult code) const {
        if (code != CUPTI_SUCCESS) throw CuptiError(code, name_);
    }

  private:
    CUptiResult (*function_)(Params*);
    const char* name_;
};

/// The functions used here, one line each.
struct CuptiLibrary {
    explicit CuptiLibrary(const std::vector<std::string>& candidates) : handle(candidates) {}

    CuptiHandle handle;

    CuptiCall<CUpti_Device_GetChipName_Params> chip_name{handle, "cuptiDeviceGetChipName"};
    CuptiCall<CUpti_Profiler_Initialize_Params> initialize{handle, "cuptiProfilerInitialize"};
    CuptiCall<CUpti_Profiler_DeInitialize_Params> deinitialize{handle, "cuptiProfilerDeInitialize"};
    CuptiCall<CUpti_Profiler_DeviceSupported_Params> device_supported{
        handle, "cuptiProfilerDeviceSupported"};

    CuptiCall<CUpti_Profiler_Host_GetSupportedChips_Params> host_chips{
        handle, "cuptiProfilerHostGetSupportedChips"};
    CuptiCall<CUpti_Profiler_Host_Initialize_Params> host_initialize{handle,
                                                                     "cuptiProfilerHostInitialize"};
    CuptiCall<CUpti_Profiler_Host_Deinitialize_Params> host_deinitialize{
        handle, "cuptiProfilerHostDeinitialize"};
    CuptiCall<CUpti_Profiler_Host_GetBaseMetrics_Params> host_base_metrics{
        handle, "cuptiProfilerHostGetBaseMetrics"};
    CuptiCall<CUpti_Profiler_Host_GetSubMetrics_Params> host_sub_metrics{
        handle, "cuptiProfilerHostGetSubMetrics"};
    CuptiCall<CUpti_Profiler_Host_ConfigAddMetrics_Params> host_add_metrics{
        handle, "cuptiProfilerHostConfigAddMetrics"};
    CuptiCall<CUpti_Profiler_Host_GetConfigImageSize_Params> host_image_size{
        handle, "cuptiProfilerHostGetConfigImageSize"};
    CuptiCall<CUpti_Profiler_Host_GetConfigImage_Params> host_image{
        handle, "cuptiProfilerHostGetConfigImage"};
    CuptiCall<CUpti_Profiler_Host_GetNumOfPasses_Params> host_passes{
        handle, "cuptiProfilerHostGetNumOfPasses"};
    CuptiCall<CUpti_Profiler_Host_EvaluateToGpuValues_Params> host_evaluate{
        handle, "cuptiProfilerHostEvaluateToGpuValues"};

    CuptiCall<CUpti_RangeProfiler_Enable_Params> range_enable{handle, "cuptiRangeProfilerEnable"};
    CuptiCall<CUpti_RangeProfiler_Disable_Params> range_disable{handle,
                                                                "cuptiRangeProfilerDisable"};
    CuptiCall<CUpti_RangeProfiler_SetConfig_Params> range_configure{handle,
                                                                    "cuptiRangeProfilerSetConfig"};
    CuptiCall<CUpti_RangeProfiler_Start_Params> range_start{handle, "cuptiRangeProfilerStart"};
    CuptiCall<CUpti_RangeProfiler_Stop_Params> range_stop{handle, "cuptiRangeProfilerStop"};
    CuptiCall<CUpti_RangeProfiler_PushRange_Params> range_push{handle,
                                                               "cuptiRangeProfilerPushRange"};
    CuptiCall<CUpti_RangeProfiler_PopRange_Params> range_pop{handle, "cuptiRangeProfilerPopRange"};
    CuptiCall<CUpti_RangeProfiler_DecodeData_Params> range_decode{handle,
                                                                  "cuptiRangeProfilerDecodeData"};
    CuptiCall<CUpti_RangeProfiler_GetCounterDataSize_Params> counter_data_size{
        handle, "cuptiRangeProfilerGetCounterDataSize"};
    CuptiCall<CUpti_RangeProfiler_CounterDataImage_Initialize_Params> counter_data_initialize{
        handle, "cuptiRangeProfilerCounterDataImageInitialize"};
    CuptiCall<CUpti_RangeProfiler_GetCounterDataInfo_Params> counter_data_info{
        handle, "cuptiRangeProfilerGetCounterDataInfo"};
    CuptiCall<CUpti_RangeProfiler_CounterData_GetRangeInfo_Params> counter_data_range{
        handle, "cuptiRangeProfilerCounterDataGetRangeInfo"};
};

}  // namespace attnroof::cuda
