#include "measure/buffers.h"

namespace attnroof {

CaseBuffers::CaseBuffers(Backend& backend, const KernelRow& row, const AttentionProblem& p,
                         Distribution distribution, std::uint64_t seed)
    : kernel(&row),
      problem(p),
      q(backend.allocate(q_bytes(p))),
      k(backend.allocate(kv_bytes(p))),
      v(backend.allocate(kv_bytes(p))),
      o(backend.allocate(q_bytes(p))),
      lse(backend.allocate(lse_bytes(p))) {
    if (const std::int64_t bytes = row.workspace_bytes(p)) {
        workspace = backend.allocate(bytes);
        backend.poison(workspace);
    }
    backend.fill_random(q, p.q_elements(), p.dtype, distribution, 3 * seed);
    backend.fill_random(k, p.kv_elements(), p.dtype, distribution, 3 * seed + 1);
    backend.fill_random(v, p.kv_elements(), p.dtype, distribution, 3 * seed + 2);
    backend.poison(o);
    backend.poison(lse);
}

LaunchArgs CaseBuffers::args(void* stream) const {
    return {.problem = problem,
            .q = q.data(),
            .k = k.data(),
            .v = v.data(),
            .o = o.data(),
            .lse = static_cast<float*>(lse.data()),
            .workspace = workspace.data(),
            .stream = stream};
}

StreamWork CaseBuffers::all_steps() const {
    return [this](void* stream) {
        for (const KernelStep& step : kernel->steps) step.launch(args(stream));
    };
}

StreamWork CaseBuffers::step(std::size_t index) const {
    return [this, index](void* stream) { kernel->steps[index].launch(args(stream)); };
}

}  // namespace attnroof
