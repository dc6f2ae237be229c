#include "backend/inspection.h"

#ifdef ATTNROOF_WITH_CUDA
#include "backend/cuda/open.h"
#endif

namespace attnroof {

GpuInspection inspect_gpu([[maybe_unused]] int index) {
#ifdef ATTNROOF_WITH_CUDA
    return inspect_cuda(index);
#else
    GpuInspection found;
    found.device_fault = "this build has no CUDA backend (no CUDA compiler was found)";
    found.counters_fault = found.device_fault;
    return found;
#endif
}

}  // namespace attnroof
