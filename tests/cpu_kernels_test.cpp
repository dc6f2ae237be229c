// Both CPU kernels on every shape of tests/data/shapes.json: all rows against fp64.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "cpu_case.h"
#include "kernels/rows.h"

namespace {

using namespace attnroof;
using namespace attnroof::test;

std::vector<AttentionProblem> shapes() {
    std::ifstream file(ATTNROOF_TEST_DATA "/shapes.json");
    const nlohmann::json document = nlohmann::json::parse(file);
    std::vector<AttentionProblem> problems;
    for (const nlohmann::json& shape : document.at("shapes")) {
        if (shape.value("gpu_only", false)) continue;
        if (shape.value("expect", "ok").starts_with("skipped")) continue;  // a matter of the plan
        AttentionProblem p;
        p.batch = shape.at("batch");
        p.heads = shape.at("heads");
        p.kv_heads = shape.at("kv_heads");
        p.q_len = shape.at("q_len");
        p.kv_len = shape.at("kv_len");
        p.head_dim = shape.at("head_dim");
        const std::string mask = shape.value("mask", "");
        if (mask != "causal") problems.push_back(p);
        p.mask = Mask::causal;
        if (mask != "full") problems.push_back(p);
    }
    return problems;
}

void check_all_kernels(const AttentionProblem& problem, Inputs inputs) {
    HostCase c(problem, inputs, 11);
    const Reference reference(c);
    for (const KernelRow& kernel : cpu_kernel_rows()) {
        INFO(kernel.name << " " << describe(problem) << ", inputs " << test::name(inputs));
        REQUIRE_FALSE(kernel.refuses(problem, 0).has_value());
        const LaunchArgs args = c.fresh_args();
        for (const KernelStep& step : kernel.steps) step.launch(args);
        const Worst worst = reference.compare(c);
        INFO(worst.where);
        CHECK(worst.ratio <= 1);
        CHECK((c.o.guards_intact() && c.lse.guards_intact() && c.workspace.guards_intact()));
    }
}

}  // namespace

TEST_CASE("CPU kernels give the right answer on shapes that have failed elsewhere") {
    const std::vector<AttentionProblem> problems = shapes();
    REQUIRE(problems.size() >= 20);
    const DType dtype = GENERATE(DType::fp32, DType::fp16, DType::bf16);
    const Inputs inputs =
        GENERATE(Inputs::normal, Inputs::outliers, Inputs::large_negative, Inputs::one_hot);
    for (AttentionProblem problem : problems) {
        problem.dtype = dtype;
        check_all_kernels(problem, inputs);
    }
}

TEST_CASE("A query that sees no key has O = 0 and LSE = -inf on the CPU") {
    const AttentionProblem problem{.mask = Mask::causal, .q_len = 30, .kv_len = 7, .head_dim = 20};
    HostCase c(problem, Inputs::normal, 3);
    for (const KernelRow& kernel : cpu_kernel_rows()) {
        INFO(kernel.name);
        const LaunchArgs args = c.fresh_args();
        for (const KernelStep& step : kernel.steps) step.launch(args);
        for (std::int64_t row = 0; row < 23; ++row) {
            CHECK(c.lse.at(row) == -std::numeric_limits<float>::infinity());
            for (std::int64_t j = 0; j < 20; ++j) CHECK(c.o.at(row * 20 + j) == 0);
        }
        for (std::int64_t row = 23; row < 30; ++row) CHECK(std::isfinite(c.lse.at(row)));
    }
}

TEST_CASE("CPU kernels refuse the backward pass by name") {
    const AttentionProblem problem{.pass = Pass::backward, .q_len = 8, .kv_len = 8, .head_dim = 8};
    for (const KernelRow& kernel : cpu_kernel_rows()) {
        const auto refusal = kernel.refuses(problem, 0);
        REQUIRE(refusal.has_value());
        CHECK(refusal->find("backward") != std::string::npos);
    }
}

TEST_CASE("Modelled DRAM bytes of the CPU kernels know the cache") {
    const AttentionProblem p{.dtype = DType::fp32, .q_len = 1000, .kv_len = 1000, .head_dim = 50};
    const std::int64_t q = 4 * 50'000, kv = q, s = 4 * 1'000'000, lse = 4 * 1000;
    const std::vector<KernelRow> rows = cpu_kernel_rows();
    const KernelRow &naive = rows.at(0), &fused = rows.at(1);

    // In a cache that holds everything: each operand once, and lines of O are read to be written.
    const Traffic once = modelled_traffic(fused, p, 100'000'000);
    CHECK(once.read_bytes == q + 2 * kv + q + lse);
    CHECK(once.write_bytes == q + lse);
    const Traffic resident = modelled_traffic(naive, p, 100'000'000);
    CHECK(resident.write_bytes == once.write_bytes);

    // S does not fit: written and read twice, and its lines read once more to be written.
    const Traffic spilled = modelled_traffic(naive, p, 1'000'000);
    CHECK(spilled.write_bytes == resident.write_bytes + 2 * s);
    CHECK(spilled.read_bytes == resident.read_bytes + 3 * s);

    // K and V do not fit: read again by later blocks of rows, by all of them at worst.
    const Traffic reread = modelled_traffic(fused, p, 300'000);
    CHECK(reread.read_bytes >= once.read_bytes);
    CHECK((reread.read_bytes - once.read_bytes) % (2 * kv) == 0);
}
