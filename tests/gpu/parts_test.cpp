// Instructions counted on a problem's first heads against those of the whole launch.
#include <memory>

#include "backend/cuda/open.h"
#include "catch.h"
#include "measure/count.h"

using namespace attnroof;

namespace {

constexpr std::uint64_t seed = 1;

/// Cases of every kernel that takes them, each in two parts: of the batch, and of the heads.
std::vector<Case> cases_for(int compute_capability) {
    std::vector<Case> cases;
    for (Mask mask : {Mask::full, Mask::causal})
        for (std::int64_t batch : {2, 1}) {
            AttentionProblem p{.mask = mask, .batch = batch, .heads = 32 / batch, .kv_heads = 8};
            p.q_len = p.kv_len = 2048;
            p.head_dim = 64;
            for (const KernelRow& row : kernel_registry()) {
                if (row.device != DeviceKind::cuda || row.refuses(p, compute_capability)) continue;
                Case c;
                c.id = describe(p) + " " + row.name + ":" + row.variant;
                c.problem = p;
                c.kernel = &row;
                cases.push_back(c);
            }
        }
    return cases;
}

double instruction_flops(const CounterSet& set) {
    double flops = 0;
    for (const CounterInfo& info : counter_table())
        if (info.group == CounterGroup::instructions)
            flops += info.flops_each * set.at(info.counter).value.value();
    return flops;
}

/// Of every step of every case, run whole, in the order of the cases.
CountOutcome count_whole(DeviceArena& arena, const std::vector<Case>& cases) {
    const auto buffers = std::make_shared<std::unique_ptr<CaseBuffers>>();
    std::vector<CountJob> jobs;
    for (const Case& c : cases)
        for (std::size_t s = 0; s < c.kernel->steps.size(); ++s)
            jobs.push_back({c.id + " " + c.kernel->steps[s].name,
                            [&arena, &c, s, buffers] {
                                if (s == 0)
                                    *buffers = std::make_unique<CaseBuffers>(
                                        arena, *c.kernel, c.problem, Distribution::normal, seed);
                            },
                            [&arena, s, buffers] { arena.backend().run((*buffers)->step(s)); },
                            {CounterGroup::instructions}});
    return arena.backend().count(jobs);
}

}  // namespace

TEST_CASE("instructions of a part, times the parts, are those of the whole", "[parts]") {
    const auto backend = open_cuda_backend(0);
    const std::vector<Case> cases = cases_for(backend->facts().compute_capability);
    std::vector<const Case*> pointers;
    for (const Case& c : cases) pointers.push_back(&c);
    DeviceArena arena(*backend);
    const CountedSweep by_part = count_cases(arena, pointers, seed);
    if (!by_part.closed_gate.empty()) {
        WARN("skipped: " << by_part.closed_gate << "; " << by_part.remedy);
        return;
    }
    const CountOutcome whole = count_whole(arena, cases);
    REQUIRE(whole.closed_gate.empty());
    std::size_t at = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        double expected = 0;
        for (std::size_t s = 0; s < cases[i].kernel->steps.size(); ++s)
            expected += instruction_flops(whole.sets.at(at++));
        const CounterSet& counted = by_part.cases[i].in_range;
        INFO(cases[i].id << ": " << counted.at(Counter::ffma).metric);
        CHECK(counted.at(Counter::ffma).metric.ends_with(" of 16 of 32 heads"));
        CHECK(instruction_flops(counted) == Approx(expected).epsilon(0.005));
    }
}
