// Points under roofs whose values are round numbers.
#include "roofline/roofline.h"

#include <cmath>

#include "catch.h"

using namespace attnroof;

namespace {

const std::vector<Ceiling> gpu{{"hbm.read", 4.4e12, "byte/s"}, {"hbm.write", 4.2e12, "byte/s"},
                               {"hbm.copy", 4.0e12, "byte/s"}, {"tensor.bf16", 600e12, "FLOP/s"},
                               {"exp", 4e12, "op/s"},          {"launch", 3e-6, "s"}};

Workload workload(double flops, Traffic traffic, double seconds) {
    AttentionProblem p{.q_len = 4096, .kv_len = 4096, .head_dim = 128};
    return {p, flops, traffic, Source::counted, "settled", seconds};
}

}  // namespace

TEST_CASE("bandwidth of a mix lies between the ceilings of its parts", "[roofline]") {
    CHECK(*attainable_bandwidth(gpu, 1) == Approx(4.4e12));
    CHECK(*attainable_bandwidth(gpu, 0.5) == Approx(4.0e12));
    CHECK(*attainable_bandwidth(gpu, 0) == Approx(4.2e12));
    CHECK(*attainable_bandwidth(gpu, 0.75) == Approx(4.2e12));
    CHECK(*attainable_bandwidth(gpu, 0.25) == Approx(4.1e12));
    CHECK_FALSE(attainable_bandwidth({}, 0.5));
    // The CPU measures no write ceiling; a write-only stream is held against the copy.
    const std::vector<Ceiling> cpu{{"dram.read", 20e9, "byte/s"}, {"dram.copy", 16e9, "byte/s"}};
    CHECK(*attainable_bandwidth(cpu, 0) == Approx(16e9));
    CHECK(*attainable_bandwidth(cpu, 1) == Approx(20e9));
}

TEST_CASE("the lowest roof binds", "[roofline]") {
    const AttentionProblem p{.q_len = 4096, .kv_len = 4096, .head_dim = 128};
    const double flops = useful_flops(p);
    const double pairs = 4096.0 * 4096.0;

    const auto memory = place_point(workload(flops, {1'000'000'000, 1'000'000'000}, 1e-3), gpu);
    REQUIRE(memory);
    CHECK(memory->bound == Bound::memory);
    CHECK(memory->ceiling == "hbm.copy");
    CHECK(memory->attainable_flops_per_s == Approx(flops / 2e9 * 4e12));
    CHECK(memory->fraction_of_roof == Approx(0.5));
    CHECK(memory->achieved_bytes_per_s == Approx(2e12));

    const auto compute = place_point(workload(flops, {10'000'000, 0}, 20e-6), gpu);
    REQUIRE(compute);
    CHECK(compute->bound == Bound::compute);
    CHECK(compute->ceiling == "tensor.bf16");
    CHECK(compute->fraction_of_roof == Approx(flops / 20e-6 / 600e12));

    Workload narrow = workload(0, {1'000'000, 0}, 10e-6);
    narrow.problem.head_dim = 32;
    narrow.flops = useful_flops(narrow.problem);
    const auto exp = place_point(narrow, gpu);
    REQUIRE(exp);
    CHECK(exp->bound == Bound::exp);
    CHECK(exp->attainable_flops_per_s == Approx(narrow.flops / pairs * 4e12));
}

TEST_CASE("work shorter than an empty launch is bound by latency", "[roofline]") {
    Workload tiny = workload(1e6, {1'000'000, 0}, 5e-6);
    tiny.problem.q_len = tiny.problem.kv_len = 64;
    const auto point = place_point(tiny, gpu);
    REQUIRE(point);
    CHECK(point->bound == Bound::latency);
}

TEST_CASE("what stays far below its roof is bound by neither, or by its launches", "[roofline]") {
    const double flops = 6e12;  // 10 ms at the tensor roof
    const auto bound = [&](double seconds, int launches) {
        Workload work = workload(flops, {10'000'000, 0}, seconds);
        work.launches = launches;
        return place_point(work, gpu)->bound;
    };
    CHECK(bound(0.04, 1) == Bound::compute);  // 25 %
    CHECK(bound(0.1, 1) == Bound::neither);
    CHECK(place_point(workload(flops, {10'000'000, 0}, 0.1), gpu)->ceiling == "tensor.bf16");

    std::vector<Ceiling> slow_launch = gpu;
    slow_launch.back().value = 0.009;  // hardly shorter than the roof's time
    const auto launched = [&](int launches) {
        Workload work = workload(flops, {10'000'000, 0}, 0.06);
        work.launches = launches;
        return place_point(work, slow_launch)->bound;
    };
    CHECK(launched(1) == Bound::neither);
    CHECK(launched(4) == Bound::latency);
    CHECK(point_at_roof(workload(flops, {10'000'000, 0}, 1), gpu)->bound == Bound::compute);
}

TEST_CASE("ceilings that cannot both be right", "[roofline]") {
    CHECK(contradictions(gpu).empty());
    const auto doubts = [](double read, double copy) {
        return contradictions({{"dram.read", read, "byte/s"}, {"dram.copy", copy, "byte/s"}});
    };
    CHECK(doubts(20e9, 20.5e9).empty());  // noise
    REQUIRE(doubts(35.0e9, 49.8e9).size() == 1);
    CHECK(doubts(35.0e9, 49.8e9)[0].higher == "dram.copy");
    CHECK(doubts(35.0e9, 49.8e9)[0].lower == "dram.read");
    std::vector<Ceiling> steady = gpu;  // what lasts cannot beat what does not
    steady.push_back({"tensor.bf16", 700e12, "FLOP/s", CeilingMode::sustained});
    CHECK(contradictions(steady).size() == 1);
    CHECK(contradictions({{"l2.read", 3e12, "byte/s"}, {"hbm.read", 4e12, "byte/s"}}).size() == 1);
}

TEST_CASE("without a roof, rates, bytes and intensity stand", "[roofline]") {
    const std::vector<Ceiling> launch_only{{"launch", 3e-6, "s"}};
    for (const std::vector<Ceiling>& ceilings : {std::vector<Ceiling>{}, launch_only}) {
        const auto point = place_point(workload(1e9, {1000, 1000}, 1e-3), ceilings);
        REQUIRE(point);
        CHECK(point->intensity_flop_per_byte == Approx(5e5));
        CHECK(point->achieved_flops_per_s == Approx(1e12));
        CHECK(point->achieved_bytes_per_s == Approx(2e6));
        CHECK(point->ceiling == "");
        CHECK_FALSE(point->bound);
        CHECK(std::isnan(point->attainable_flops_per_s));
        CHECK(std::isnan(point->attainable_s));
        CHECK(std::isnan(point->fraction_of_roof));
        CHECK_FALSE(above_roof_warning(*point));
    }
}

TEST_CASE("no time, no bytes or no FLOPs: no point", "[roofline]") {
    CHECK_FALSE(place_point(workload(1e9, {1000, 0}, 0), gpu));
    CHECK_FALSE(place_point(workload(1e9, {0, 0}, 1e-3), gpu));
    CHECK_FALSE(place_point(workload(0, {1000, 0}, 1e-3), gpu));
}

TEST_CASE("a point above its roof is named with its suspect", "[roofline]") {
    const auto above = place_point(workload(1e12, {4'000'000'000, 4'000'000'000}, 1e-3), gpu);
    REQUIRE(above);
    CHECK(above->fraction_of_roof == Approx(2));
    const auto warning = above_roof_warning(*above);
    REQUIRE(warning);
    CHECK(warning->find("hbm.copy") != std::string::npos);
    CHECK(warning->find("cache") != std::string::npos);
    const auto below = place_point(workload(1e12, {4'000'000'000, 4'000'000'000}, 4e-3), gpu);
    CHECK_FALSE(above_roof_warning(*below));
}

TEST_CASE("a dtype without its tensor ceiling falls to fp32 FMA", "[roofline]") {
    CHECK(compute_ceiling(gpu, DType::bf16) == "tensor.bf16");
    CHECK(compute_ceiling(gpu, DType::fp32).empty());
    CHECK(compute_ceiling({{"fma.fp32", 1e11, "FLOP/s"}}, DType::bf16) == "fma.fp32");
}

TEST_CASE("a throttled case is held against the sustained ceiling where there is one",
          "[roofline]") {
    std::vector<Ceiling> ceilings = gpu;
    Ceiling sustained{"tensor.bf16", 500e12, "FLOP/s"};
    sustained.mode = CeilingMode::sustained;
    ceilings.push_back(sustained);
    Workload work = workload(0.5e12, {10'000'000, 0}, 1e-3);

    const auto burst = place_point(work, ceilings);
    REQUIRE(burst);
    CHECK(burst->ceiling_mode == CeilingMode::burst);
    CHECK(burst->fraction_of_roof == Approx(5.0 / 6));

    work.throttled = true;
    const auto throttled = place_point(work, ceilings);
    REQUIRE(throttled);
    CHECK(throttled->ceiling == "tensor.bf16");
    CHECK(throttled->ceiling_mode == CeilingMode::sustained);
    CHECK(throttled->fraction_of_roof == Approx(1));

    work.traffic = {4'000'000'000, 4'000'000'000};  // memory has no sustained ceiling
    CHECK(place_point(work, ceilings)->ceiling_mode == CeilingMode::burst);
}
