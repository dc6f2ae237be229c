// The measured report that the README shows: it reads, and its points lie under its roofs.
#include "catch.h"
#include "report/formats.h"
#include "report/read.h"

using namespace attnroof;

TEST_CASE("the report that the README shows is whole and has no point above its roof", "[report]") {
    const Report report = read_report(std::string(ATTNROOF_TEST_DATA) + "/h200/report.json");
    CHECK(report.complete);
    CHECK(report.device.name == "NVIDIA H200");
    REQUIRE(report.cases.size() == 32);
    for (const CaseResult& c : report.cases) {
        CAPTURE(c.plan.id);
        REQUIRE(c.point);
        CHECK(c.point->fraction_of_roof < 1);
        CHECK(c.point->bytes_source == Source::counted);
        CHECK(*c.counted.executed_flops() >= c.useful_flops);
        const double off = c.point->hbm_bytes / static_cast<double>(c.modelled.total()) - 1;
        CHECK(std::abs(off) < 0.05);
    }
}
