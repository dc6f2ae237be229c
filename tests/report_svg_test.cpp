#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.h"
#include "report/formats.h"
#include "report/labels.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/read.h"
#include "report/svg_canvas.h"
#include "report_fixture.h"
#include "report_golden.h"

using namespace attnroof;

namespace {

/// What is wrong with XML made of elements, double-quoted attributes and text; empty when nothing.
std::string xml_fault(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < xml.size();) {
        if (xml[i] == '&') {
            const std::size_t end = xml.find(';', i);
            if (end == std::string::npos || end - i > 6) return "bare &";
            i = end + 1;
            continue;
        }
        if (xml[i] != '<') {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
            if (xml[end] == '"') quoted = !quoted;
            if (xml[end] == '<') return "< inside a tag";
        }
        if (end == xml.size()) return "a tag without an end";
        const std::string tag = xml.substr(i + 1, end - i - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
        if (tag[0] == '/') {
            if (open.empty() || "/" + open.back() != tag) return "unexpected <" + tag + ">";
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
        i = end + 1;
    }
    return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++times;
    return times;
}

struct Text {
    std::string content;
    Box box;
};

double number_of(const std::string& tag, const std::string& attribute) {
    const std::size_t at = tag.find(" " + attribute + "=\"");
    REQUIRE(at != std::string::npos);
    return std::stod(tag.substr(at + attribute.size() + 3));
}

/// The texts of a picture that are not rotated, with the boxes that a wide font fills.
std::vector<Text> upright_texts(const std::string& svg) {
    std::vector<Text> texts;
    for (std::size_t at = svg.find("<text"); at != std::string::npos;
         at = svg.find("<text", at + 1)) {
        const std::size_t end = svg.find('>', at);
        const std::string tag = svg.substr(at, end - at);
        if (tag.find("rotate") != std::string::npos) continue;
        const std::string content = svg.substr(end + 1, svg.find('<', end) - end - 1);
        const double size = number_of(tag, "font-size"), x = number_of(tag, "x");
        const double y = number_of(tag, "y"), wide = picture::text_width(content, size);
        const double left = tag.find("\"end\"") != std::string::npos      ? x - wide
                            : tag.find("\"middle\"") != std::string::npos ? x - wide / 2
                                                                          : x;
        texts.push_back({content, {left, y - 0.75 * size, left + wide, y + 0.2 * size}});
    }
    return texts;
}

bool contains(const std::string& text, const std::string& what) { return count(text, what) > 0; }

}  // namespace

TEST_CASE("the picture of a small report is as it was", "[report]") {
    check_golden("report.svg", to_svg(fixture::small_report()));
}

TEST_CASE("pictures are well-formed XML", "[report]") {
    Report hostile = fixture::small_report();
    hostile.device.name = "A & B <\"C\"> \x01 \xff \xed\xa0\x80 \xc2\xb5";
    for (const Report& report :
         {fixture::small_report(), fixture::gpu_report(), fixture::cpu_report(),
          fixture::empty_gpu_report(), hostile, Report{}}) {
        const std::string svg = to_svg(report);
        CHECK(xml_fault(svg) == "");
        CHECK_FALSE(contains(svg, "nan"));
        CHECK_FALSE(contains(svg, "inf"));
    }
    CHECK(contains(to_svg(hostile), "A &amp; B &lt;&quot;C&quot;&gt; ? ? ??? \xc2\xb5"));
}

TEST_CASE("there is one mark with a tooltip for every case that has a point", "[report]") {
    const Report r = fixture::gpu_report();
    const std::string svg = to_svg(r);
    CHECK(count(svg, "<g><title>") == r.cases.size());
    for (const CaseResult& c : r.cases) CHECK(contains(svg, c.plan.id));
    CHECK(count(to_svg(fixture::small_report()), "<g><title>") == 4);
    CHECK(contains(to_svg(fixture::small_report()), "7 cases: 4 ok, 1 unsupported, 1 skipped"));
}

TEST_CASE("roofs are labelled with their values", "[report]") {
    const std::string gpu = to_svg(fixture::gpu_report());
    for (const char* label : {"HBM copy 4.28 TB/s", "tensor bf16 792 TFLOP/s",
                              "sustained 668 TFLOP/s", "FMA fp32 62.4 TFLOP/s"})
        CHECK(contains(gpu, label));
    const std::string cpu = to_svg(fixture::cpu_report());
    CHECK(contains(cpu, "DRAM copy 36.8 GB/s"));
    CHECK(contains(cpu, "FMA fp32 912 GFLOP/s"));
}

TEST_CASE("the roof of exponentials is drawn where it comes near the tensor roof", "[report]") {
    const Plot low = plot_of(fixture::gpu_report({4096}, {32}));
    REQUIRE(low.compute.size() == 4);
    CHECK(low.compute[2].label == "exp, d=32 534 TFLOP/s");
    CHECK(low.compute[2].value == Approx(4.17e12 * 4 * 32));
    for (const Roof& roof : plot_of(fixture::gpu_report({4096}, {128})).compute)
        CHECK(roof.label.find("exp") == std::string::npos);
}

TEST_CASE("cases that differ in length alone are one series, shortest first", "[report]") {
    const Report r = fixture::gpu_report({4096, 512, 1024}, {64, 128});
    const Plot plot = plot_of(r);
    CHECK(plot.series.size() == 8);
    CHECK(plot.kernels == std::vector<std::string>{"naive", "fused"});
    CHECK(plot.shapes == std::vector<std::string>{"full", "causal"});
    for (const Series& s : plot.series) {
        REQUIRE(s.cases.size() == 3);
        CHECK(s.cases.front()->plan.problem.q_len == 512);
        CHECK(s.cases.back()->plan.problem.q_len == 4096);
        CHECK(s.label == "d=" + std::to_string(s.cases[0]->plan.problem.head_dim));
    }
    CHECK(plot.ridge() == Approx(792e12 / 4.28e12));
}

TEST_CASE("a report without a point gives a picture that says so", "[report]") {
    Report r = fixture::gpu_report({4096}, {128}, {Mask::full});
    r.cases[0].point->intensity_flop_per_byte = std::numeric_limits<double>::quiet_NaN();
    r.cases[1].point.reset();
    CHECK(contains(to_svg(r), "No case gave a point"));
    CHECK(contains(to_svg(Report{}), "No case gave a point"));
}

TEST_CASE("a point without any ceiling is drawn all the same", "[report]") {
    Report r = fixture::gpu_report({4096}, {128}, {Mask::full});
    r.ceilings.clear();
    CHECK(count(to_svg(r), "<g><title>") == 2);
    CHECK(xml_fault(to_svg(r)) == "");
}

TEST_CASE("a picture of any finite numbers ends and holds no other", "[report]") {
    const double most = std::numeric_limits<double>::max(),
                 least = std::numeric_limits<double>::denorm_min();
    for (const double value : {most, 1e308, 1e18, 1e-18, 1e-320, least})
        for (const std::size_t ceiling : {0u, 2u, 4u, 10u}) {
            Report r = fixture::gpu_report({512, 1024}, {128}, {Mask::full});
            if (ceiling < r.ceilings.size()) r.ceilings[ceiling].value = value;
            r.cases[0].point->intensity_flop_per_byte = value;
            r.cases[1].point->achieved_flops_per_s = value;
            const std::string svg = to_svg(r);
            INFO(value << " " << ceiling);
            CHECK(svg.size() < 200'000);
            CHECK(xml_fault(svg) == "");
            for (const char* word : {"\"nan", "\"-nan", "\"inf", "\"-inf", ",nan", ",inf", ",-inf"})
                CHECK(svg.find(word) == std::string::npos);
        }
}

TEST_CASE("no two texts of the picture of a measured report overlap", "[report]") {
    const Report measured = read_report(std::string(ATTNROOF_TEST_DATA) + "/h200/report.json");
    for (const Report& r : {measured, fixture::gpu_report(), fixture::cpu_report()}) {
        const std::vector<Text> texts = upright_texts(to_svg(r));
        CHECK(std::count_if(texts.begin(), texts.end(),
                            [](const Text& t) { return t.content.starts_with("N="); }) >= 4);
        for (std::size_t i = 0; i < texts.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) {
                INFO(texts[i].content << " and " << texts[k].content);
                CHECK_FALSE(texts[i].box.overlaps(texts[k].box));
            }
    }
    // The advance widths of DejaVu Sans, in units of its size.
    CHECK(picture::text_width("N=512", 1) >= 3.49);
    CHECK(picture::text_width("N=16k d=128", 1) >= 7.13);
}

TEST_CASE("labels never overlap each other or what is blocked", "[report]") {
    LabelPlacer placer({0, 0, 200, 100});
    const Box mark{95, 45, 105, 55};
    placer.add_mark(100, 50, 5, 0);
    std::vector<Box> placed;
    while (const auto box = placer.place(100, 50, 40, 12, 8, 0)) {
        for (const Box& other : placed) CHECK_FALSE(box->overlaps(other));
        CHECK_FALSE(box->overlaps(mark));
        CHECK(Box{0, 0, 200, 100}.holds(*box));
        placed.push_back(*box);
    }
    CHECK(placed.size() >= 4);  // and then there is no room, which is said, not forced
}

TEST_CASE("a label does not stand nearer to another series' point than to its own", "[report]") {
    LabelPlacer placer({0, 0, 200, 100});
    placer.add_mark(100, 50, 5, 0);
    placer.add_mark(115, 50, 5, 1);
    placer.add_mark(85, 50, 5, 0);
    const auto box = placer.place(100, 50, 40, 12, 8, 0);
    REQUIRE(box);
    const double x = std::clamp(115.0, box->left, box->right);
    const double y = std::clamp(50.0, box->top, box->bottom);
    const double own = std::hypot(std::clamp(100.0, box->left, box->right) - 100,
                                  std::clamp(50.0, box->top, box->bottom) - 50);
    CHECK(std::hypot(x - 115, y - 50) >= own);
}
