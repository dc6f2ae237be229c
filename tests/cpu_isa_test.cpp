// Every instruction set that this CPU has, on random shapes: each right, and all alike.
#include <cmath>
#include <random>

#include "catch.h"
#include "cpu_case.h"
#include "kernels/cpu/drivers.h"

namespace {

using namespace attnroof;
using namespace attnroof::test;

AttentionProblem random_problem(std::mt19937& rng) {
    const auto upto = [&](std::int64_t n) {
        return std::uniform_int_distribution<std::int64_t>(1, n)(rng);
    };
    AttentionProblem p;
    p.dtype = static_cast<DType>(upto(3) - 1);
    p.mask = static_cast<Mask>(upto(2) - 1);
    p.batch = upto(2);
    p.kv_heads = upto(2);
    p.heads = p.kv_heads * upto(4);
    p.q_len = upto(200);
    p.kv_len = upto(300);
    p.head_dim = upto(4) == 1 ? upto(300) : upto(80);
    return p;
}

void run_naive(const LaunchArgs& args, const cpu::Isa& isa) {
    cpu::scores(args, isa);
    cpu::softmax(args, isa);
    cpu::output(args, isa);
}

}  // namespace

TEST_CASE("Every instruction set gives the right answer on random shapes") {
    std::mt19937 rng(2024);
    for (int trial = 0; trial < 60; ++trial) {
        const AttentionProblem problem = random_problem(rng);
        const Inputs inputs = all_inputs[static_cast<std::size_t>(trial) % all_inputs.size()];
        HostCase c(problem, inputs, static_cast<std::uint64_t>(trial));
        const Reference reference(c);
        for (const cpu::Isa* isa : cpu::usable_isas())
            for (const auto run : {&cpu::fused, &run_naive}) {
                INFO(isa->name << (run == &run_naive ? " naive " : " fused ") << describe(problem)
                               << ", inputs " << test::name(inputs));
                run(c.fresh_args(), *isa);
                const Worst worst = reference.compare(c);
                INFO(worst.where);
                CHECK(worst.ratio <= 1);
                CHECK((c.o.guards_intact() && c.lse.guards_intact()));
            }
    }
}

TEST_CASE("The instruction sets agree on fp32 to a few units in the last place") {
    const AttentionProblem problem{.dtype = DType::fp32,
                                   .mask = Mask::causal,
                                   .heads = 2,
                                   .q_len = 150,
                                   .kv_len = 290,
                                   .head_dim = 72};
    HostCase c(AttentionProblem(problem), Inputs::normal, 5);
    cpu::fused(c.fresh_args(), cpu::portable_isa());
    const GuardedTensor expected = c.o;
    for (const cpu::Isa* isa : cpu::usable_isas()) {
        cpu::fused(c.fresh_args(), *isa);
        double apart = 0;
        for (std::int64_t i = 0; i < problem.q_elements(); ++i)
            apart = std::max<double>(apart, std::abs(c.o.at(i) - expected.at(i)));
        INFO(isa->name);
        CHECK(apart < 1e-6);
    }
}

TEST_CASE("A kernel run twice gives the same bits") {
    const AttentionProblem problem{
        .dtype = DType::fp32, .q_len = 333, .kv_len = 333, .head_dim = 64};
    HostCase c(problem, Inputs::normal, 8);
    cpu::fused(c.fresh_args(), cpu::best_isa());
    const GuardedTensor first = c.o;
    cpu::fused(c.fresh_args(), cpu::best_isa());
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < problem.q_elements(); ++i) different += c.o.at(i) != first.at(i);
    CHECK(different == 0);
}

TEST_CASE("What a masked key holds does not matter") {
    // The last key is seen by the last row alone; the fused kernel must not let it in elsewhere.
    const AttentionProblem problem{
        .dtype = DType::fp32, .mask = Mask::causal, .q_len = 40, .kv_len = 40, .head_dim = 16};
    HostCase c(problem, Inputs::normal, 8);
    for (std::int64_t j = 0; j < 16; ++j) c.k.set(39 * 16 + j, 1e30f);
    for (const cpu::Isa* isa : cpu::usable_isas()) {
        INFO(isa->name);
        cpu::fused(c.fresh_args(), *isa);
        for (std::int64_t i = 0; i < 39 * 16; ++i) CHECK(std::abs(c.o.at(i)) < 5);
    }
}
