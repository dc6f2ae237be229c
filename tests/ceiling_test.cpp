// How far a ceiling's samples lie apart.
#include "backend/ceiling.h"

#include "catch.h"

using namespace attnroof;

TEST_CASE("a ceiling's spread is how far its samples' median lies from it") {
    CHECK(spread_of(5, {5}) == 0);
    CHECK(spread_of(100, {100, 99, 98, 97, 96, 20, 97}) == Approx(0.03));  // one was disturbed
    CHECK(spread_of(100, {100, 60, 60, 60, 60, 60, 60}) == Approx(0.4));   // one was lucky
    CHECK(spread_of(2, {2, 8, 9, 7, 8}) == Approx(0.75));                  // a least time
    CHECK(spread_of(0, {0, 0, 0}) == 0);
}
