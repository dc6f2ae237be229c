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

CUtensorMapDataType data_type(DType dtype) {
    switch (dtype) {
        case DType::fp32:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        case DType::fp16:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        case DType::bf16:
            return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    }
    throw CudaError(cudaErrorInvalidValue, "a dtype that no tensor map has");
}

}  // namespace

CUtensorMap make_tensor_map(const void* data, DType dtype, std::int64_t columns, std::int64_t rows,
                            std::int64_t outer, int box_rows, std::int64_t row_bytes) {
    static const Encode encode = encoder();
    const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows),
                                 static_cast<cuuint64_t>(outer)};
    if (row_bytes == 0) row_bytes = columns * bytes_of(dtype);
    const auto stride = static_cast<cuuint64_t>(row_bytes);
    const cuuint64_t strides[2] = {stride, stride * sizes[1]};
    const auto box_columns = static_cast<cuuint32_t>(128 / bytes_of(dtype));
    const cuuint32_t box[3] = {box_columns, static_cast<cuuint32_t>(box_rows), 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    CUtensorMap map;
    const CUresult result =
        encode(&map, data_type(dtype), 3, const_cast<void*>(data), sizes, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw CudaError(cudaErrorInvalidValue,
                        "cuTensorMapEncodeTiled refused a tensor of " + std::to_string(columns) +
                            " x " + std::to_string(rows) + " x " + std::to_string(outer) +
                            ": error " + std::to_string(static_cast<int>(result)));
    return map;
}

}  // namespace attnroof::cuda
