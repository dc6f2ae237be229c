// Which part of a problem stands for the whole, and what its counts become.
#include "measure/part.h"

#include "catch.h"

using namespace attnroof;

namespace {

AttentionProblem problem(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads,
                         std::int64_t len = 1024) {
    return {.batch = batch,
            .heads = heads,
            .kv_heads = kv_heads,
            .q_len = len,
            .kv_len = len,
            .head_dim = 64};
}

constexpr std::int64_t head = 1024 * 1024;  // scores of one

}  // namespace

TEST_CASE("a problem that is small enough is its own part", "[part]") {
    const AttentionProblem whole = problem(4, 8, 2);
    const Part part = part_of(whole, 32 * head);
    CHECK(part.problem == whole);
    CHECK(part.whole());
    const CounterSet counted{{Counter::ffma, {5.0, "ffma.sum", ""}}};
    CHECK(*of_whole(counted, part).at(Counter::ffma).value == 5);
    CHECK(of_whole(counted, part).at(Counter::ffma).metric == "ffma.sum");
}

TEST_CASE("the batch is cut before the heads, into parts that divide it", "[part]") {
    const Part part = part_of(problem(6, 4, 4), 20 * head);  // 5 items would fit, 3 divide 6
    CHECK(part.problem == problem(3, 4, 4));
    CHECK(part.times == 2);
    CHECK(part.heads == 24);
}

TEST_CASE("heads are cut in whole groups once one item of the batch is left", "[part]") {
    const Part part = part_of(problem(2, 32, 8), 10 * head);  // groups of 4 heads
    CHECK(part.problem == problem(1, 8, 2));
    CHECK(part.times == 8);
    CHECK(part_of(problem(1, 32, 8), 33 * head / 2).problem == problem(1, 16, 4));
}

TEST_CASE("one group of heads is left however large it is", "[part]") {
    CHECK(part_of(problem(3, 32, 4), 1).problem == problem(1, 8, 1));
    CHECK(part_of(problem(3, 32, 4), 1).times == 12);
    CHECK(part_of(problem(1, 8, 1), 1).whole());  // all heads share one key/value head
    CHECK(part_of(problem(1, 1, 1), 1).whole());
}

TEST_CASE("odd counts are divided evenly or not at all", "[part]") {
    CHECK(part_of(problem(1, 15, 15), 8 * head).problem == problem(1, 5, 5));
    CHECK(part_of(problem(1, 13, 13), 12 * head).problem == problem(1, 1, 1));
    CHECK(part_of(problem(7, 3, 3), 20 * head).problem == problem(1, 3, 3));
}

TEST_CASE("a part has the bytes of the whole's beginning", "[part]") {
    const AttentionProblem whole = problem(2, 32, 8);
    const Part part = part_of(whole, 10 * head);
    CHECK(part.problem.heads / part.problem.kv_heads == whole.heads / whole.kv_heads);
    CHECK(part.problem.q_elements() * part.times == whole.q_elements());
    CHECK(part.problem.kv_elements() * part.times == whole.kv_elements());
    CHECK(part.problem.lse_elements() * part.times == whole.lse_elements());
}

TEST_CASE("a part's counts are multiplied, and the metric says so", "[part]") {
    const Part part = part_of(problem(1, 32, 32), 4 * head);
    const CounterSet whole = of_whole({{Counter::ffma, {10.0, "a.sum", ""}},
                                       {Counter::fadd, {3.0, "a.sum + 2 * b.sum", ""}},
                                       {Counter::fmul, {std::nullopt, "", "not on this chip"}}},
                                      part);
    CHECK(*whole.at(Counter::ffma).value == 80);
    CHECK(whole.at(Counter::ffma).metric == "8 * a.sum of 4 of 32 heads");
    CHECK(*whole.at(Counter::fadd).value == 24);
    CHECK(whole.at(Counter::fadd).metric == "8 * (a.sum + 2 * b.sum) of 4 of 32 heads");
    CHECK_FALSE(whole.at(Counter::fmul).value);
    CHECK(whole.at(Counter::fmul).metric.empty());
}

TEST_CASE("long sequences keep to 64 bits", "[part]") {
    const Part part = part_of(problem(64, 128, 128, std::int64_t{1} << 20));
    CHECK(part.problem == problem(1, 1, 1, std::int64_t{1} << 20));
    CHECK(part.times == 64 * 128);
}
