// Every CUDA kernel of the registry against fp64: shapes on which attention kernels have failed.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "gpu/gpu_reference.h"
#include "kernels/cuda/check.h"
#include "kernels/registry.h"

using namespace attnroof;
using testing::Inputs;

namespace {

/// Device memory with NaN inside and in 64 KiB on each side, so that a read or write past the end
/// is seen.
class Guarded {
  public:
    explicit Guarded(std::int64_t bytes) : bytes_(bytes) {
        void* base = nullptr;
        ATTNROOF_CUDA_CHECK(cudaMalloc(&base, bytes_ + 2 * guard));
        base_ = static_cast<std::byte*>(base);
        ATTNROOF_CUDA_CHECK(cudaMemset(base_, 0xff, bytes_ + 2 * guard));
    }
    ~Guarded() { cudaFree(base_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    template <typename T = void>
    T* data() const {
        return reinterpret_cast<T*>(base_ + guard);
    }
    void poison() const { ATTNROOF_CUDA_CHECK(cudaMemset(data(), 0xff, bytes_)); }
    std::vector<std::byte> bytes() const { return read(guard, bytes_); }
    bool guards_intact() const {
        const auto intact = [](const std::vector<std::byte>& side) {
            return std::all_of(side.begin(), side.end(),
                               [](std::byte b) { return b == std::byte{0xff}; });
        };
        return intact(read(0, guard)) && intact(read(guard + bytes_, guard));
    }

  private:
    static constexpr std::int64_t guard = 1 << 16;

    std::vector<std::byte> read(std::int64_t offset, std::int64_t count) const {
        std::vector<std::byte> copy(count);
        ATTNROOF_CUDA_CHECK(cudaMemcpy(copy.data(), base_ + offset, count, cudaMemcpyDefault));
        return copy;
    }

    std::byte* base_ = nullptr;
    std::int64_t bytes_;
};

struct Tensors {
    Tensors(const KernelRow& kernel, const AttentionProblem& p)
        : q(q_bytes(p)),
          k(kv_bytes(p)),
          v(kv_bytes(p)),
          o(q_bytes(p)),
          lse(lse_bytes(p)),
          workspace(kernel.workspace_bytes(p)),
          args{p, q.data(), k.data(), v.data(), o.data(), lse.data<float>(), workspace.data()} {}

    void run(const KernelRow& kernel) const {
        o.poison();
        lse.poison();
        workspace.poison();
        for (const KernelStep& step : kernel.steps) step.launch(args);
        ATTNROOF_CUDA_CHECK(cudaDeviceSynchronize());
    }
    bool guards_intact() const {
        return q.guards_intact() && k.guards_intact() && v.guards_intact() && o.guards_intact() &&
               lse.guards_intact() && workspace.guards_intact();
    }

    Guarded q, k, v, o, lse, workspace;
    LaunchArgs args;
};

int compute_capability() {
    int major = 0, minor = 0;
    ATTNROOF_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    ATTNROOF_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    return 10 * major + minor;
}

/// CUDA kernels that take the problem on this device.
std::vector<const KernelRow*> kernels_for(const AttentionProblem& problem) {
    std::vector<const KernelRow*> kernels;
    for (const KernelRow& row : kernel_registry())
        if (row.device == DeviceKind::cuda && !row.refuses(problem, compute_capability()))
            kernels.push_back(&row);
    return kernels;
}

bool fits(const KernelRow& kernel, const AttentionProblem& p) {
    std::size_t free = 0, total = 0;
    ATTNROOF_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    const std::int64_t spare = std::int64_t{2} << 30;
    return operand_bytes(p) + kernel.workspace_bytes(p) + spare < static_cast<std::int64_t>(free);
}

/// Runs every kernel on the problem and compares every `step`-th row.
void check(const AttentionProblem& problem, Inputs inputs, std::int64_t step) {
    for (const KernelRow* kernel : kernels_for(problem)) {
        if (!fits(*kernel, problem)) continue;
        CAPTURE(kernel->name, kernel->variant, describe(problem), static_cast<int>(inputs));
        const Tensors tensors(*kernel, problem);
        testing::fill_inputs(tensors.args, inputs, 1);
        tensors.run(*kernel);
        const auto worst = testing::compare_with_fp64(tensors.args, kernel->scores_in_dtype, step);
        CAPTURE(worst.row);
        CHECK(worst.ratio <= 1);
        CHECK(tensors.guards_intact());
    }
}

struct Shape {
    AttentionProblem problem;
    std::vector<Mask> masks;
    bool large;
};

/// The shapes that must be computed; what must be skipped or refused is the plan's to test.
std::vector<Shape> shapes() {
    const char* folder = std::getenv("ATTNROOF_TEST_DATA");  // where the binary has moved machines
    std::ifstream file(std::string(folder ? folder : ATTNROOF_TEST_DATA) + "/shapes.json");
    std::vector<Shape> found;
    const auto document = nlohmann::json::parse(file);
    for (const auto& entry : document.at("shapes")) {
        if (entry.value("expect", "ok") != "ok") continue;
        AttentionProblem p;
        for (auto [key, member] : {std::pair{"batch", &AttentionProblem::batch},
                                   {"heads", &AttentionProblem::heads},
                                   {"kv_heads", &AttentionProblem::kv_heads},
                                   {"q_len", &AttentionProblem::q_len},
                                   {"kv_len", &AttentionProblem::kv_len},
                                   {"head_dim", &AttentionProblem::head_dim}})
            p.*member = entry.at(key);
        const bool large = entry.value("gpu_only", false);
        std::vector<Mask> masks{Mask::full, Mask::causal};
        if (large) masks = {Mask::full};
        if (entry.value("mask", "") == "causal") masks = {Mask::causal};
        found.push_back({p, masks, large});
    }
    return found;
}

}  // namespace

TEST_CASE("attention agrees with fp64 on the listed shapes") {
    const auto all = shapes();
    REQUIRE(all.size() >= 14);
    for (const Shape& shape : all) {
        if (shape.large) continue;
        for (DType dtype : {DType::fp32, DType::fp16, DType::bf16})
            for (Mask mask : shape.masks)
                for (Inputs inputs :
                     {Inputs::normal, Inputs::outliers, Inputs::large_negative, Inputs::one_hot}) {
                    AttentionProblem problem = shape.problem;
                    problem.dtype = dtype;
                    problem.mask = mask;
                    check(problem, inputs, 1);
                }
    }
}

TEST_CASE("attention agrees with fp64 where scores pass 2^31 elements") {
    for (const Shape& shape : shapes())
        if (shape.large) check(shape.problem, Inputs::normal, shape.problem.lse_elements() / 200);
}

TEST_CASE("attention agrees with fp64 where offsets pass 2^31 elements") {
    AttentionProblem problem;
    Inputs inputs = Inputs::normal;
    SECTION("through many heads") {
        problem = {.batch = 32769, .heads = 2, .kv_heads = 2};
        problem.q_len = problem.kv_len = 257;
        problem.head_dim = 128;
        REQUIRE(problem.q_elements() > std::int64_t{1} << 31);
    }
    SECTION("through one head's keys") {
        problem.q_len = 5;
        problem.kv_len = (std::int64_t{9} << 20) + 3;
        problem.head_dim = 256;
        REQUIRE(problem.kv_elements() * 15 / 16 > std::int64_t{1} << 31);
        inputs = Inputs::one_hot;  // fp32 sums over so many equal weights would be loose
    }
    SECTION("through one head's queries") {
        problem.q_len = (std::int64_t{1} << 23) + 3;
        problem.kv_len = 5;
        problem.head_dim = 256;
        REQUIRE(problem.q_elements() > std::int64_t{1} << 31);
    }
    check(problem, inputs, std::max<std::int64_t>(1, problem.lse_elements() / 200));
}

TEST_CASE("attention takes every head_dim that is a multiple of 8") {
    for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += 8)
        for (Mask mask : {Mask::full, Mask::causal}) {
            AttentionProblem problem{.mask = mask, .batch = 2, .heads = 4, .kv_heads = 2};
            problem.q_len = 150;
            problem.kv_len = 333;
            problem.head_dim = head_dim;
            check(problem, Inputs::normal, 1);
        }
}

TEST_CASE("attention agrees with fp64 where blocks take many tiles in several rounds") {
    for (const auto& [head_dim, batch] : {std::pair<std::int64_t, std::int64_t>{64, 4}, {256, 3}})
        for (DType dtype : {DType::fp16, DType::bf16})
            for (Mask mask : {Mask::full, Mask::causal}) {
                AttentionProblem problem{.dtype = dtype, .mask = mask, .batch = batch};
                problem.heads = 44;
                problem.kv_heads = 11;
                problem.q_len = 601;
                problem.kv_len = 1100;
                problem.head_dim = head_dim;
                check(problem, Inputs::normal, 3);
            }
}

TEST_CASE("attention gives the same bytes in 20 runs") {
    for (DType dtype : {DType::fp16, DType::bf16})
        for (std::int64_t head_dim : {64, 128, 256}) {
            AttentionProblem problem{.dtype = dtype, .mask = Mask::causal, .batch = 4};
            problem.heads = problem.kv_heads = 16;
            problem.q_len = problem.kv_len = 777;
            problem.head_dim = head_dim;
            for (const KernelRow* kernel : kernels_for(problem)) {
                CAPTURE(kernel->name, kernel->variant, describe(problem));
                const Tensors tensors(*kernel, problem);
                testing::fill_inputs(tensors.args, Inputs::normal, 2);
                tensors.run(*kernel);
                const auto o = tensors.o.bytes(), lse = tensors.lse.bytes();
                for (int run = 1; run < 20; ++run) {
                    tensors.run(*kernel);
                    CHECK(tensors.o.bytes() == o);
                    CHECK(tensors.lse.bytes() == lse);
                }
            }
        }
}
