// The arena that cases share, on a device whose memory is counted.
#include "measure/buffers.h"

#include "catch.h"
#include "errors.h"
#include "fake_backend.h"

using namespace attnroof;

namespace {

const KernelRow& fused_cpu() {
    for (const KernelRow& row : kernel_registry())
        if (row.name == "fused" && row.variant == "cpu") return row;
    throw std::logic_error("no fused cpu row");
}

}  // namespace

TEST_CASE("an arena allocates once for cases of one size and fills once for one input",
          "[buffers]") {
    FakeBackend backend({});
    DeviceArena arena(backend);
    AttentionProblem p{.q_len = 64, .kv_len = 64, .head_dim = 16};
    const CaseBuffers first(arena, fused_cpu(), p, Distribution::normal, 1);
    const int allocated = backend.allocated, filled = backend.filled;
    CHECK(filled == 3);
    p.mask = Mask::causal;
    const CaseBuffers second(arena, fused_cpu(), p, Distribution::normal, 1);
    CHECK(backend.allocated == allocated);
    CHECK(backend.filled == filled);
    const CaseBuffers other_seed(arena, fused_cpu(), p, Distribution::normal, 2);
    CHECK(backend.filled == filled + 3);
    p.q_len = 128;
    const CaseBuffers longer(arena, fused_cpu(), p, Distribution::normal, 2);
    CHECK(backend.allocated == allocated + 3);  // Q, O, LSE
    CHECK(backend.filled == filled + 4);        // Q
}

TEST_CASE("an arena gives back what earlier cases took before it says out of memory", "[buffers]") {
    FakeBackend backend({});
    const std::int64_t megabyte = 1 << 20;
    backend.available = 4 * megabyte;
    DeviceArena arena(backend);
    // Long queries, then long keys: each fits alone, the largest slots of both do not.
    const AttentionProblem queries{
        .dtype = DType::fp32, .q_len = 7 * megabyte / 1024, .kv_len = 8, .head_dim = 64};
    const AttentionProblem keys{
        .dtype = DType::fp32, .q_len = 8, .kv_len = 7 * megabyte / 1024, .head_dim = 64};
    CHECK_NOTHROW(CaseBuffers(arena, fused_cpu(), queries, Distribution::normal, 1));
    CHECK_NOTHROW(CaseBuffers(arena, fused_cpu(), keys, Distribution::normal, 1));
    AttentionProblem too_large = keys;
    too_large.kv_len *= 4;
    CHECK_THROWS_AS(CaseBuffers(arena, fused_cpu(), too_large, Distribution::normal, 1),
                    OutOfMemory);
}

TEST_CASE("an arena tells what it took while it holds one case and no more", "[buffers]") {
    DeviceFacts gpu;
    gpu.kind = DeviceKind::cuda;
    FakeBackend backend(gpu);
    DeviceArena arena(backend);
    AttentionProblem p{.q_len = 64, .kv_len = 64, .head_dim = 16};
    const CaseBuffers first(arena, fused_cpu(), p, Distribution::normal, 1);
    const std::int64_t bytes = operand_bytes(p) + fused_cpu().workspace_bytes(p);
    backend.available -= 4096;  // what a device gives in larger granules
    CHECK(arena.bytes_taken_for(bytes) == bytes + 4096);
    CHECK_FALSE(arena.bytes_taken_for(bytes / 2));

    FakeBackend cpu({});
    DeviceArena host(cpu);
    const CaseBuffers on_host(host, fused_cpu(), p, Distribution::normal, 1);
    CHECK_FALSE(host.bytes_taken_for(bytes));
}
