// The device memory of one case, filled with random inputs, and the arena that cases share.
#pragma once

#include <array>
#include <optional>

#include "backend/backend.h"
#include "kernels/registry.h"

namespace attnroof {

/// Device memory that is reused from case to case: a slot grows when a case needs more, and an
/// input slot that already holds the values asked for is not filled again. Allocating and filling
/// would otherwise take longer than measuring.
class DeviceArena {
  public:
    enum Slot { q, k, v, o, lse, workspace, slot_count };

    explicit DeviceArena(Backend& backend)
        : backend_(backend), available_at_first_(backend.available_bytes()) {}

    Backend& backend() const { return backend_; }

    /// At least `bytes` bytes, contents undefined. Throws OutOfMemory.
    const Buffer& reserve(Slot slot, std::int64_t bytes);

    /// The first `elements` of (distribution, seed), as Backend::fill_random draws them.
    const Buffer& input(Slot slot, std::int64_t elements, DType dtype, Distribution distribution,
                        std::uint64_t seed);

    /// Device memory that the arena took, as the device reports it, when its slots hold `bytes` and
    /// no more; empty when they are larger, or on a CPU, whose memory has other users.
    std::optional<std::int64_t> bytes_taken_for(std::int64_t bytes) const;

    /// Gives all memory back.
    void clear();

  private:
    struct Content {
        std::int64_t elements;
        DType dtype;
        Distribution distribution;
        std::uint64_t seed;
    };

    Backend& backend_;
    std::int64_t available_at_first_;
    std::array<Buffer, slot_count> slots_;
    std::array<std::optional<Content>, slot_count> contents_;
};

/// Q, K, V, O, LSE and workspace of one problem for one kernel, lying in an arena. A second one in
/// the same arena takes the first one's place.
struct CaseBuffers {
    /// Throws OutOfMemory. O, LSE and workspace are undefined.
    CaseBuffers(DeviceArena& arena, const KernelRow& kernel, const AttentionProblem& problem,
                Distribution distribution, std::uint64_t seed);

    /// All steps of the kernel, back to back.
    StreamWork all_steps() const;
    /// One step; its inputs must have been made by running the steps before it.
    StreamWork step(std::size_t index) const { return step(index, problem); }
    /// The same on `part`, whose operands are the first heads of these.
    StreamWork step(std::size_t index, const AttentionProblem& part) const;

    const KernelRow* kernel;
    AttentionProblem problem;
    const Buffer *q, *k, *v, *o, *lse;
    const Buffer* workspace = nullptr;  // null when the kernel needs none

  private:
    LaunchArgs args(const AttentionProblem& of, void* stream) const;
};

}  // namespace attnroof
