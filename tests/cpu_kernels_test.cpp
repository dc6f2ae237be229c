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
