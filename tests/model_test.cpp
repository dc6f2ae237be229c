// The closed forms of memory traffic against bytes that hardware counted.
#include "kernels/model.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.h"
#include "config/parse.h"
#include "kernels/registry.h"
#include "kernels/rows.h"
#include "plan/plan.h"
#include "report_golden.h"

using namespace attnroof;

namespace {

constexpr std::int64_t h200_l2 = 62'914'560;
constexpr std::int64_t h200_memory = 149'000'000'000;

const KernelRow& row_of(const std::string& name, const std::string& variant) {
    for (const KernelRow& row : kernel_registry())
        if (row.name == name && row.variant == variant) return row;
    throw std::runtime_error("no kernel " + name + ":" + variant);
}

DeviceFacts h200() {
    DeviceFacts facts;
    facts.kind = DeviceKind::cuda;
    facts.compute_capability = 90;
    facts.cache_bytes = h200_l2;
    return facts;
}

/// The shipped config's cases by id, as planned for an H200 with memory for all of them.
std::map<std::string, Case> planned(const std::string& config) {
    SweepRequest request;
    request.file = load_config(config);
    std::map<std::string, Case> cases;
    for (Case& c : make_plan(resolve(request, DeviceKind::cuda), h200(), std::int64_t{1} << 50)) {
        std::string id = c.id;
        cases.emplace(std::move(id), std::move(c));
    }
    return cases;
}

AttentionProblem one_head(std::int64_t n, std::int64_t d, Mask mask = Mask::full) {
    return {Pass::forward, DType::bf16, mask, 1, 1, 1, n, n, d};
}

}  // namespace

TEST_CASE("modelled bytes are within 10 % of counted ones at every point of shipped sweeps") {
    const std::string file =
        GENERATE("/h200_counted_bytes.json", "/h200_counted_bytes_long_context.json");
    const auto data = nlohmann::json::parse(file_text(std::string(ATTNROOF_TEST_DATA) + file));
    const std::map<std::string, Case> cases = planned(data.at("config"));
    const std::int64_t cache = data.at("cache_bytes");
    std::set<std::string> seen;
    for (const auto& counted : data.at("cases")) {
        const std::string id = counted.at("id");
        INFO(id);
        REQUIRE(cases.contains(id));
        const Case& c = cases.at(id);
        const Traffic model =
            modelled_traffic(row_of(c.asked.name, counted.at("variant")), c.problem, cache);
        const double read = counted.at("read"), write = counted.at("write");
        CHECK(std::abs(static_cast<double>(model.read_bytes) / read - 1) < 0.10);
        CHECK(std::abs(static_cast<double>(model.write_bytes) / write - 1) < 0.10);
        CHECK(std::abs(static_cast<double>(model.total()) / (read + write) - 1) < 0.10);
        seen.insert(id);
    }
    for (const auto& [id, c] : cases) {
        INFO(id);
        const bool fits = c.kernel->workspace_bytes(c.problem) < h200_memory;
        CHECK(seen.contains(id) == fits);
    }
}

TEST_CASE("scores that stay in the cache are not read again, but P is written back") {
    const KernelRow& naive = row_of("naive", "sm80");
    const AttentionProblem p = one_head(2048, 128);
    const std::int64_t operands = operand_bytes(p), s = score_bytes(p, 2);
    REQUIRE(s < 0.45 * h200_l2);
    const Traffic resident = modelled_traffic(naive, p, h200_l2);
    CHECK(resident.read_bytes == 3 * q_bytes(p));
    CHECK(resident.total() == operands + s);
    CHECK(modelled_traffic(naive, p, 0).total() == operands + 4 * s);
}

TEST_CASE("scores between the dirty share and the cache are written twice and never read") {
    const KernelRow& naive = row_of("naive", "sm80");
    const AttentionProblem p = one_head(5000, 128);
    const std::int64_t s = score_bytes(p, 2);
    REQUIRE(s > 0.45 * h200_l2);
    REQUIRE(s < h200_l2);
    const Traffic model = modelled_traffic(naive, p, h200_l2);
    CHECK(model.read_bytes == 3 * q_bytes(p));
    CHECK(model.write_bytes == q_bytes(p) + lse_bytes(p) + 2 * s);
}

TEST_CASE("scores in fp32 cost twice what they cost in 16 bits, probabilities the same") {
    const KernelRow& naive = row_of("naive", "sm90-fp32s");
    const AttentionProblem p = one_head(8192, 128);
    const std::int64_t s = score_bytes(p, 2);
    CHECK(naive.workspace_bytes(p) == 2 * s);
    CHECK(modelled_traffic(naive, p, 0).total() == operand_bytes(p) + 6 * s);
    // Written, and written over, once more than P alone; nothing is read again.
    const AttentionProblem small = one_head(1024, 128);
    CHECK(modelled_traffic(naive, small, h200_l2).total() ==
          operand_bytes(small) + score_bytes(small, 2));
    AttentionProblem longest = p;
    longest.kv_len = 57344;
    CHECK_FALSE(naive.refuses(longest, 90));
    longest.kv_len += 1;
    CHECK_THAT(naive.refuses(longest, 90).value(), ContainsSubstring("kv_len <= 57344"));
}

TEST_CASE("a causal kernel that skips moves tiles that hold a visible key and no others") {
    const KernelRow& naive = row_of("naive", "sm90-skip");
    const AttentionProblem p = one_head(512, 128, Mask::causal);
    const auto bytes = [&](std::size_t step) { return naive.steps[step].traffic(p, 0); };
    // Tiles of 64 x 256 are written; 256 rows x 64 keys are read by the output step.
    const std::int64_t written = 2 * (256 * 256 + 256 * 512);
    const std::int64_t read = 2 * 16 * 16 * (32 * 33 / 2);  // each row's keys, by 16
    CHECK(bytes(0).write_bytes == written);
    CHECK(bytes(1).read_bytes == read);
    CHECK(bytes(1).write_bytes == written + lse_bytes(p));
    CHECK(bytes(2).read_bytes == written + kv_bytes(p));
    // Large scores: half of what the dense kernel moves, and the diagonal.
    const AttentionProblem large = one_head(16384, 128, Mask::causal);
    const double share =
        static_cast<double>(modelled_traffic(naive, large, 0).total()) /
        static_cast<double>(modelled_traffic(row_of("naive", "sm90"), large, 0).total());
    CHECK(share > 0.5);
    CHECK(share < 0.52);
    // Rows that see nothing (more queries than keys) still cost their LSE and O.
    AttentionProblem few_keys = p;
    few_keys.kv_len = 64;
    CHECK(naive.steps[0].traffic(few_keys, 0).write_bytes == 2 * 64 * 64);
    few_keys.q_len = std::int64_t{1} << 50;  // no row of those is walked one by one
    CHECK(naive.steps[0].traffic(few_keys, 0).write_bytes == 2 * 64 * 64);
    CHECK_THAT(naive.refuses(one_head(512, 128), 90).value(),
               ContainsSubstring("needs mask causal"));
}

TEST_CASE("no CUDA kernel takes more rows, keys or heads than 32 bits can number") {
    for (const KernelRow& kernel : cuda_kernel_rows()) {
        INFO(kernel.name << ":" << kernel.variant);
        AttentionProblem p = one_head(1024, 64);
        p.mask = Mask::causal;
        p.dtype = kernel.refuses(p, 90) ? DType::fp32 : p.dtype;
        REQUIRE_FALSE(kernel.refuses(p, 90));
        p.q_len = std::int64_t{1} << 31;
        CHECK_THAT(kernel.refuses(p, 90).value_or(""), ContainsSubstring("q_len"));
        p.q_len = p.kv_len = 1;
        p.batch = p.heads = std::int64_t{1} << 16;
        if (kernel.variant.starts_with("sm90"))
            CHECK_THAT(kernel.refuses(p, 90).value_or(""), ContainsSubstring("batch * heads"));
    }
}

TEST_CASE("no variant of its own kind is preferred to plain naive") {
    for (const KernelRow& row : kernel_registry())
        if (row.name == "naive" && row.variant.starts_with("sm90-"))
            CHECK(&row > &row_of("naive", "sm90"));
}

TEST_CASE("what a fill leaves in the cache: counted on an H200, in MB") {
    // {filled, written while the fill ran}; above the dirty share only that share is left.
    for (const auto& [filled, written] : {std::pair{4, 0.0},
                                          {8, 0.0},
                                          {16, 0.0},
                                          {32, 3.7},
                                          {64, 35.9},
                                          {128, 99.9},
                                          {512, 483.9}}) {
        const double left = std::min<double>(filled, dirty_share * h200_l2 / 1e6);
        CHECK(std::abs(filled - left - written) < 1.0);
    }
}

TEST_CASE("K and V of a head that exceed the cache are walked once a wave of query rows") {
    const KernelRow& fused = row_of("fused", "sm90");
    const AttentionProblem fits = one_head(16384, 128), exceeds = one_head(131072, 128);
    CHECK(modelled_traffic(fused, fits, h200_l2).total() == compulsory_traffic(fits).total());
    const Traffic again = modelled_traffic(fused, exceeds, h200_l2);
    CHECK(again.read_bytes == q_bytes(exceeds) + 8 * 2 * kv_bytes(exceeds));  // 1024 tiles by 132
    CHECK(again.write_bytes == compulsory_traffic(exceeds).write_bytes);
    // Between the two a part of K and V is lost from one wave to the next.
    const AttentionProblem partly = one_head(32768, 128);
    const std::int64_t more =
        modelled_traffic(fused, partly, h200_l2).read_bytes - compulsory_traffic(partly).read_bytes;
    CHECK(more > 0);
    CHECK(more < kv_bytes(partly));
    // Two heads meet in a wave, unless one ends where the wave does.
    AttentionProblem heads = exceeds;
    heads.heads = heads.kv_heads = 2;
    const auto walks = [&](const AttentionProblem& p) {
        return (modelled_traffic(fused, p, h200_l2).read_bytes - q_bytes(p)) /
               (2 * kv_bytes(p) / p.kv_heads);
    };
    CHECK(walks(heads) == 16 + 1);
    heads.q_len = 132 * 128;
    CHECK(walks(heads) == 2);
    // Half the pairs are visible: half the walks.
    const double waves = 131072.0 / (132 * 128);
    const AttentionProblem causal = one_head(131072, 128, Mask::causal);
    CHECK(static_cast<double>(modelled_traffic(fused, causal, h200_l2).read_bytes -
                              q_bytes(causal)) ==
          Approx(waves * static_cast<double>(kv_bytes(causal))).epsilon(1e-4));
    // A few rows walk them once.
    AttentionProblem decode = exceeds;
    decode.q_len = 1;
    CHECK(modelled_traffic(fused, decode, h200_l2).total() == compulsory_traffic(decode).total());
}
