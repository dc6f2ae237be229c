// Rooflines of several levels of memory: points, reasons, and every format.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "report/formats.h"
#include "report/memory_levels.h"
#include "report/read.h"
#include "report_fixture.h"

using namespace attnroof;

namespace {

/// Two naive and two fused cases with bytes at every level; the last lacks those of L1.
Report levels_report(std::vector<Level> asked = {Level::hbm, Level::l2, Level::l1}) {
    Report r = fixture::gpu_report({1024, 4096}, {128}, {Mask::full});
    r.config.levels = std::move(asked);
    r.ceilings.push_back(fixture::ceiling("l1.read", 33e12, "byte/s"));
    for (CaseResult& c : r.cases) {
        c.counted.in_range[Counter::l2_bytes] = fixture::counted(c.useful_flops / 50, "lts");
        c.counted.in_range[Counter::l1_bytes] = fixture::counted(c.useful_flops / 20, "l1tex");
    }
    r.cases.back().counted.in_range[Counter::l1_bytes] = {std::nullopt, "", "not on this chip"};
    return r;
}

std::string reason(const Report& r, std::size_t i, Level level) {
    const LevelPoint at = level_point(r, r.cases[i], level);
    CHECK_FALSE(at.point);
    return at.reason;
}

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++times;
    return times;
}

nlohmann::json json_of(const Report& r) { return nlohmann::json::parse(to_json(r)); }

}  // namespace

TEST_CASE("a cache's point is held against the cache's roof", "[levels]") {
    const Report r = levels_report();
    const CaseResult& c = r.cases[0];
    const Point l2 = *level_point(r, c, Level::l2).point;
    CHECK(l2.hbm_bytes == Approx(c.useful_flops / 50));
    CHECK(l2.intensity_flop_per_byte == Approx(50));
    CHECK(l2.achieved_bytes_per_s == Approx(c.useful_flops / 50 / c.time->median_s));
    CHECK(l2.attainable_flops_per_s == Approx(50 * 8.4e12));
    CHECK(l2.fraction_of_roof == Approx(c.useful_flops / c.time->median_s / (50 * 8.4e12)));
    CHECK(l2.ceiling == "l2.read");
    CHECK(l2.bound == Bound::memory);
    CHECK(l2.bytes_source == Source::counted);
    CHECK(level_point(r, c, Level::l1).point->ceiling == "l1.read");
    CHECK(level_point(r, c, Level::hbm).point->ceiling == c.point->ceiling);
}

TEST_CASE("a compute roof below the cache's binds, sustained when throttled", "[levels]") {
    Report r = levels_report();
    CaseResult& c = r.cases[0];
    c.counted.in_range[Counter::l2_bytes].value = c.useful_flops / 1000;
    CHECK(level_point(r, c, Level::l2).point->ceiling == "tensor.bf16");
    CHECK(level_point(r, c, Level::l2).point->attainable_flops_per_s == Approx(792e12));
    c.time->clocks.throttled = true;
    CHECK(level_point(r, c, Level::l2).point->attainable_flops_per_s == Approx(668e12));
}

TEST_CASE("a level without a point says why", "[levels]") {
    Report r = levels_report();
    CHECK(reason(r, 3, Level::l1) == "not on this chip");
    r.cases[0].counted.in_range[Counter::l2_bytes].value = 0;
    CHECK(reason(r, 0, Level::l2) == "no such traffic was counted");
    r.cases[1].counted = {};
    r.config.counters = CounterMode::off;
    CHECK(reason(r, 1, Level::l2) == "counters were switched off");
    r.cases[2].plan.status = Status::failed;
    r.cases[2].plan.reason = "hung";
    CHECK(reason(r, 2, Level::hbm) == "hung");
    r.cases[2].plan.status = Status::ok;
    std::erase_if(r.ceilings, [](const Ceiling& c) { return c.id == "l2.read"; });
    const Point without_roof = *level_point(r, r.cases[2], Level::l2).point;
    CHECK(without_roof.intensity_flop_per_byte == Approx(50));
    CHECK_FALSE(without_roof.bound);

    const Report cpu = fixture::cpu_report();
    CHECK(level_point(cpu, cpu.cases[0], Level::hbm).point);
    CHECK(reason(cpu, 0, Level::l2).find("not available on a CPU") == 0);
    CHECK(reason(cpu, 0, Level::l1).find("not available on a CPU") == 0);
    r.prediction = "a datasheet";
    CHECK(reason(r, 1, Level::l1) == "the model covers device memory alone");
}

TEST_CASE("JSON has the levels asked for, without asking hbm and l2", "[levels]") {
    const auto asked = json_of(levels_report());
    CHECK(asked["config"]["levels"] == nlohmann::json{"hbm", "l2", "l1"});
    const auto& first = asked["cases"][0]["levels"];
    CHECK(first["l2"]["intensity_flop_per_byte"].get<double>() == Approx(50));
    CHECK(first["l2"]["bytes_source"] == "counted");
    CHECK(first["l1"]["ceiling"] == "l1.read");
    CHECK(first["hbm"]["bytes"] == asked["cases"][0]["roofline"]["hbm_bytes"]);
    const auto& last = asked["cases"][3]["levels"];
    CHECK(last["l1"].is_null());
    CHECK(last["missing"]["l1"] == "not on this chip");

    const auto open = json_of(levels_report({}));
    CHECK_FALSE(open["config"].contains("levels"));
    CHECK(open["cases"][0]["levels"].contains("l2"));
    CHECK_FALSE(open["cases"][0]["levels"].contains("l1"));
    CHECK(json_of(levels_report({Level::l1}))["cases"][0]["levels"].size() == 1);
}

TEST_CASE("a report with levels reads back to the same text", "[levels]") {
    for (const Report& r : {levels_report(), levels_report({Level::l1}), levels_report({})}) {
        const std::string text = to_json(r);
        const Report read = parse_report(text, "report.json");
        CHECK(read.config.levels == r.config.levels);
        CHECK(to_json(read) == text);
        CHECK(to_csv(read) == to_csv(r));
    }
}

TEST_CASE("CSV has the columns of its levels", "[levels]") {
    const std::string csv = to_csv(levels_report());
    for (const char* column : {"levels_hbm_bytes", "levels_l2_intensity_flop_per_byte",
                               "levels_l1_fraction_of_roof", "levels_l1_bound"})
        CHECK_THAT(csv, ContainsSubstring(column));
    const std::string header = csv.substr(0, csv.find('\r'));
    for (std::size_t at = 0; at < csv.size(); at = csv.find("\r\n", at) + 2)
        if (csv.substr(at, 1) == "f")  // rows, whose fields hold no comma here
            CHECK(occurrences(csv.substr(at, csv.find('\r', at) - at), ",") ==
                  occurrences(header, ","));
    CHECK(to_csv(levels_report({})).find("levels_l1") == std::string::npos);
}

TEST_CASE("a table shows caches when they are asked for", "[levels]") {
    const std::string asked = to_table(levels_report(), false, 0);
    CHECK_THAT(asked, ContainsSubstring("FLOP/byte L2") && ContainsSubstring("of L1 roof") &&
                          ContainsSubstring("l1.read"));
    const std::string open = to_table(levels_report({}), false, 0);
    CHECK(open.find("FLOP/byte L2") == std::string::npos);

    Report cpu = fixture::cpu_report();
    cpu.config.levels = {Level::hbm, Level::l2};
    const std::string text = to_table(cpu, false, 0);
    CHECK_THAT(text, ContainsSubstring("no L2 roofline: not available on a CPU"));
    CHECK(text.find("of L2 roof") == std::string::npos);
}

TEST_CASE("a picture has a roof and a shape for each level asked for", "[levels]") {
    const Report r = levels_report();
    const Plot plot = plot_of_levels(r);
    CHECK(plot.levels == std::vector<std::string>{"HBM", "L2", "L1"});
    REQUIRE(plot.memory.size() == 3);
    CHECK(plot.memory[0].main);
    CHECK_FALSE(plot.memory[2].main);
    CHECK(plot.memory[1].value == 8.4e12);
    std::size_t points = 0;
    for (const Series& s : plot.series) {
        REQUIRE(s.points.size() == s.cases.size());
        points += s.points.size();
    }
    CHECK(points == 3 * r.cases.size() - 1);

    const std::string svg = to_svg(r);
    CHECK(occurrences(svg, "<g><title>") == points);
    CHECK_THAT(svg, ContainsSubstring("L2 read 8.40 TB/s") &&
                        ContainsSubstring("L1 read 33.0 TB/s") &&
                        ContainsSubstring("FLOP per byte of HBM, L2, L1"));
    // Not asked for, the picture is that of the memory, as before.
    CHECK(to_svg(levels_report({})) == to_svg(levels_report({Level::hbm})));
    CHECK(plot_of_levels(levels_report({Level::l2})).memory.front().main);
}
