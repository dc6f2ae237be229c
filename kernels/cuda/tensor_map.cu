#include "kernels/cuda/tensor_map.h"

#include <string>

#include "kernels/cuda/check.h"

namespace attnroof::cuda {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    ATTNROOF_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                         cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess)
        throw CudaError(cudaErrorNotSupported, "the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<Encode>(function);
}

}  // namespace

CUtensorMap make_tensor_map(const void* data, DType dtype, std::int64_t columns, std::int64_t rows,
                            std::int64_t outer, int box_rows) {
    static const Encode encode = encoder();
    const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                                 static_cast<cuuint64_t>(outer)};
    const cuuint64_t strides[2] = {sizes[0] * 2, sizes[0] * sizes[1] * 2};
    const cuuint32_t box[3] = {64, static_cast<cuuint32_t>(box_rows), 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    CUtensorMap map;
    const CUresult result = encode(
        &map,
        dtype == DType::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        3, const_cast<void*>(data), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw CudaError(cudaErrorInvalidValue,
                        "cuTensorMapEncodeTiled refused a tensor of " + std::to_string(columns) +
                            " x " + std::to_string(rows) + " x " + std::to_string(outer) +
                            ": error " + std::to_string(static_cast<int>(result)));
    return map;
}

}  // namespace attnroof::cuda
