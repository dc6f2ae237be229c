#include "measure/buffers.h"

#include "errors.h"

namespace attnroof {
namespace {

/// Sizes every slot before any is filled: making room for one may take the others away.
void reserve_all(DeviceArena& arena, const KernelRow& row, const AttentionProblem& p) {
    arena.reserve(DeviceArena::workspace, row.workspace_bytes(p));
    arena.reserve(DeviceArena::q, q_bytes(p));
    arena.reserve(DeviceArena::k, kv_bytes(p));
    arena.reserve(DeviceArena::v, kv_bytes(p));
    arena.reserve(DeviceArena::o, q_bytes(p));
    arena.reserve(DeviceArena::lse, lse_bytes(p));
}

}  // namespace

const Buffer& DeviceArena::reserve(Slot slot, std::int64_t bytes) {
    Buffer& buffer = slots_[slot];
    if (buffer.bytes() >= bytes) return buffer;
    buffer = {};  // before the new one: both may not fit
    contents_[slot].reset();
    buffer = backend_.allocate(bytes);
    return buffer;
}

const Buffer& DeviceArena::input(Slot slot, std::int64_t elements, DType dtype,
                                 Distribution distribution, std::uint64_t seed) {
    const Buffer& buffer = reserve(slot, elements * bytes_of(dtype));
    std::optional<Content>& content = contents_[slot];
    if (content && content->elements >= elements && content->dtype == dtype &&
        content->distribution == distribution && content->seed == seed)
        return buffer;
    backend_.fill_random(buffer, elements, dtype, distribution, seed);
    content = Content{elements, dtype, distribution, seed};
    return buffer;
}

std::optional<std::int64_t> DeviceArena::bytes_taken_for(std::int64_t bytes) const {
    std::int64_t held = 0;
    for (const Buffer& slot : slots_) held += slot.bytes();
    if (held != bytes || backend_.facts().kind != DeviceKind::cuda) return std::nullopt;
    return available_at_first_ - backend_.available_bytes();
}

void DeviceArena::clear() {
    for (Buffer& buffer : slots_) buffer = {};
    contents_ = {};
}

CaseBuffers::CaseBuffers(DeviceArena& arena, const KernelRow& row, const AttentionProblem& p,
                         Distribution distribution, std::uint64_t seed)
    : kernel(&row), problem(p) {
    try {
        reserve_all(arena, row, p);
    } catch (const OutOfMemory&) {
        // Slots that earlier cases left large may be what is in the way.
        arena.clear();
        reserve_all(arena, row, p);
    }
    q = &arena.input(DeviceArena::q, p.q_elements(), p.dtype, distribution, 3 * seed);
    k = &arena.input(DeviceArena::k, p.kv_elements(), p.dtype, distribution, 3 * seed + 1);
    v = &arena.input(DeviceArena::v, p.kv_elements(), p.dtype, distribution, 3 * seed + 2);
    o = &arena.reserve(DeviceArena::o, q_bytes(p));
    lse = &arena.reserve(DeviceArena::lse, lse_bytes(p));
    if (const std::int64_t bytes = row.workspace_bytes(p))
        workspace = &arena.reserve(DeviceArena::workspace, bytes);
}

LaunchArgs CaseBuffers::args(const AttentionProblem& of, void* stream) const {
    return {.problem = of,
            .q = q->data(),
            .k = k->data(),
            .v = v->data(),
            .o = o->data(),
            .lse = static_cast<float*>(lse->data()),
            .workspace = workspace ? workspace->data() : nullptr,
            .stream = stream};
}

StreamWork CaseBuffers::all_steps() const {
    return [this](void* stream) {
        for (const KernelStep& step : kernel->steps) step.launch(args(problem, stream));
    };
}

StreamWork CaseBuffers::step(std::size_t index, const AttentionProblem& part) const {
    return [this, index, part](void* stream) { kernel->steps[index].launch(args(part, stream)); };
}

}  // namespace attnroof
