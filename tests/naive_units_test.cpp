#include "catch.h"
#include "kernels/cuda/naive/sm90.h"

using attnroof::ceil_div;
using attnroof::cuda::naive_sm90::tiles_of_unit;

TEST_CASE("the scores' units are whole heads where the blocks stay busy, else parts") {
    constexpr std::int64_t blocks = 132;
    CHECK(tiles_of_unit(32, 256 * 4, blocks) == 32);  // 7.8 rounds of whole heads
    CHECK(tiles_of_unit(256, 32 * 32, blocks) == 256);
    CHECK(tiles_of_unit(64, 128, blocks) == 64);  // one round, four blocks idle
    CHECK(tiles_of_unit(64, 8, blocks) == 4);     // one head: 128 units of 4 tiles
    CHECK(tiles_of_unit(1, 1, blocks) == 1);
    CHECK(tiles_of_unit(64, 133, blocks) < 64);  // 133 whole ones would take two rounds
}

TEST_CASE("the scores' units never take longer than whole heads") {
    constexpr std::int64_t blocks = 132;
    const auto time = [](std::int64_t m_tiles, std::int64_t tiles, std::int64_t k_tiles) {
        const std::int64_t units = ceil_div(m_tiles, tiles) * k_tiles;
        return ceil_div(units, blocks) * (tiles + 2);
    };
    for (std::int64_t m_tiles = 1; m_tiles < 40; ++m_tiles)
        for (std::int64_t k_tiles = 1; k_tiles < 300; k_tiles += 7) {
            const std::int64_t tiles = tiles_of_unit(m_tiles, k_tiles, blocks);
            CAPTURE(m_tiles, k_tiles, tiles);
            REQUIRE(tiles >= 1);
            REQUIRE(tiles <= m_tiles);
            REQUIRE(time(m_tiles, tiles, k_tiles) <= time(m_tiles, m_tiles, k_tiles));
        }
}
