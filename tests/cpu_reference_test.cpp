// The fp64 reference against answers known without it.
#include "kernels/cpu/reference.h"

#include <cmath>

#include "catch.h"

using namespace attnroof;

TEST_CASE("Reference: equal scores give the mean of the values") {
    const std::vector<float> q{1, 2}, k{0, 0, 0, 0, 0, 0}, v{1, 10, 2, 20, 6, -60};
    const ReferenceRow row = reference_row(q, k, v, 3, 2, 0.5);
    CHECK(row.o[0] == Approx(3));
    CHECK(row.o[1] == Approx(-10));
    CHECK(row.lse == Approx(std::log(3)));
    CHECK(row.max_abs_score == 0);
    CHECK(row.p2v2[0] == Approx((1 + 4 + 36) / 9.0));
    CHECK(row.pv_abs[1] == Approx(30));
}

TEST_CASE("Reference: two keys by hand") {
    const std::vector<float> q{2}, k{3, -1}, v{5, 7};
    const ReferenceRow row = reference_row(q, k, v, 2, 1, 0.25);  // scores 1.5 and -0.5
    const double p = 1 / (1 + std::exp(-2.0));
    CHECK(row.o[0] == Approx(5 * p + 7 * (1 - p)).epsilon(1e-14));
    CHECK(row.lse == Approx(1.5 + std::log1p(std::exp(-2.0))).epsilon(1e-14));
    CHECK(row.max_abs_score == 1.5);
}

TEST_CASE("Reference: keys past the visible ones are not read") {
    const float nan = std::nanf("");
    const std::vector<float> q{1}, k{1, nan}, v{4, nan};
    const ReferenceRow row = reference_row(q, k, v, 1, 1, 1);
    CHECK(row.o[0] == 4);
    CHECK(row.lse == 1);
}

TEST_CASE("Reference: a row without keys") {
    const std::vector<float> q{1, 1};
    const ReferenceRow row = reference_row(q, {}, {}, 0, 2, 1);
    CHECK(row.o == std::vector<double>{0, 0});
    CHECK(row.lse == -std::numeric_limits<double>::infinity());
}

TEST_CASE("Reference: scores far below zero do not underflow") {
    const std::vector<float> q{1}, k{-1000, -1001}, v{1, 2};
    const ReferenceRow row = reference_row(q, k, v, 2, 1, 1);
    CHECK(row.lse == Approx(-1000 + std::log1p(std::exp(-1.0))).epsilon(1e-14));
    CHECK(row.max_abs_score == 1001);
}
