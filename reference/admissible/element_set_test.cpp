#include "reference/admissible/element_set.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

using Row = std::vector<float>;
constexpr float inf = std::numeric_limits<float>::infinity();

struct Judge {
    Contract c;
    std::vector<const MapPiece*> maps;
    MapTypes types;
    explicit Judge(const std::string& text) {
        Claim claim;
        EXPECT_FALSE(parse(text, claim)) << text;
        c = claim.at(0);
        maps = maps_for(c);
        types = map_types(c);
    }
    std::vector<ElementSet> sets(const Row& x, const Row& w, const StatisticSet& s, std::size_t map = 0) const {
        std::vector<ElementSet> v(x.size());
        element_sets(*maps.at(map), types, x, w, s, v);
        return v;
    }
    std::vector<ElementSet> sets(const Row& x, const Row& w, double eps) const {
        return sets(x, w, statistic_set(c, x, eps).set);
    }
};

// The ends are outputs of the map at scalars of the set, and no output of a scalar between lies outside.
TEST(ElementSet, IsTheHullOfEveryScalar) {
    for (const char* text : {"bf16,cast_first", "fp16,f32_gain,assoc=x_rw", "f32,cast_first", "bf16,cast_first,by=div",
                             "bf16,f32_gain,w=f32,y=bf16,assoc=xw_r,gain=one_plus"}) {
        const Judge j(text);
        for (std::uint64_t i = 0; i < 40; ++i) {
            Rng g(21, 1, i);
            Row x(8), w(8), y(8);
            for (float& v : x) v = round_to(j.types.x, static_cast<float>(g.gauss()) * 0x1p-16f);
            for (float& v : w) v = round_to(j.types.w, static_cast<float>(g.gauss()) * 0x1p-16f);
            const auto s = statistic_set(j.c, x, 1e-6).set;
            ASSERT_TRUE(s.interval);
            const auto found = j.sets(x, w, s);
            std::vector<ElementSet> hull;
            for (auto r = std::bit_cast<std::uint32_t>(s.lo); r <= std::bit_cast<std::uint32_t>(s.hi); ++r) {
                j.maps[0]->apply(j.types, narrow_nearest, x, w, std::bit_cast<float>(r), y);
                for (std::size_t k = 0; k < y.size(); ++k) {
                    const auto word = encode(j.types.y, y[k]);
                    ASSERT_TRUE(allows(j.types.y, found[k], word)) << text;
                    if (hull.size() < y.size())
                        hull.push_back({word, word, false});
                    else
                        hull[k] = join(j.types.y, hull[k], {word, word, false});
                }
            }
            for (std::size_t k = 0; k < y.size(); ++k) {
                EXPECT_EQ(found[k].lo, hull[k].lo) << text;
                EXPECT_EQ(found[k].hi, hull[k].hi) << text;
                EXPECT_FALSE(found[k].nan);
            }
        }
    }
}

TEST(ElementSet, Words) {
    const Judge cast("bf16,cast_first"), gain("bf16,f32_gain");
    Row x, w(8, 1.5859375f);
    for (int k = 0; k < 8; ++k) x.push_back(k % 2 ? 1.09375f : 1);
    const auto a = cast.sets(x, w, 1e-6);
    EXPECT_EQ(a[1].lo, 0x3fd5u);
    EXPECT_EQ(a[1].hi, 0x3fd5u);
    EXPECT_FALSE(allows(Type::bf16, a[1], 0x3fd4));
    const auto s = statistic_set(gain.c, x, 1e-6).set;
    for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_TRUE(allows(Type::bf16, gain.sets(x, w, s, m)[0], 0x3fc2));
        EXPECT_FALSE(allows(Type::bf16, gain.sets(x, w, s, m)[0], 0x3fc1));
    }
}

// Rows at the ends of the range: without the rounding of squares and products to subnormals these words would be
// outside.
TEST(ElementSet, Subnormals) {
    const Judge cast("bf16,cast_first,rsqrt=0"), all("bf16,f32_gain,rsqrt=0");
    const auto value = [](std::uint32_t w) { return decode(Type::bf16, w); };
    const auto a = cast.sets({value(0x1c65), value(0x1c30)}, {1, 1}, 0);
    EXPECT_TRUE(allows(Type::bf16, a[0], 0x3f8f));
    const auto b = cast.sets({value(0x09a9), value(0x4cef)}, {1, 1}, 1e-6);
    EXPECT_TRUE(allows(Type::bf16, b[0], 0x0000));
    // The associations: maps 0, 1, 2 are xr_w, x_rw, xw_r.
    const auto allowed = [&](std::size_t map, const Row& x, float w, double eps, std::uint32_t word) {
        return allows(Type::bf16, all.sets(x, Row(x.size(), w), statistic_set(all.c, x, eps).set, map)[0], word);
    };
    const Row p{value(0x45f3), value(0x45d3)}, q(4, value(0x1cfa)), big(4, 0x1p10f), small(4, 0x1p-9f);
    EXPECT_TRUE(allowed(1, p, value(0x0247), 1e-6, 0x0255));
    EXPECT_FALSE(allowed(0, p, value(0x0247), 1e-6, 0x0255));
    EXPECT_TRUE(allowed(2, q, value(0x1c82), 1e-6, 0x0010));
    EXPECT_FALSE(allowed(0, q, value(0x1c82), 1e-6, 0x0010));
    EXPECT_TRUE(allowed(2, big, 0x1p120f, 0, 0x7f80));
    EXPECT_FALSE(allowed(0, big, 0x1p120f, 0, 0x7f80));
    EXPECT_TRUE(allowed(1, small, 0x1p121f, 0, 0x7f80));
    EXPECT_FALSE(allowed(0, small, 0x1p121f, 0, 0x7f80));
}

TEST(ElementSet, ZerosInfinitiesAndNaN) {
    const Judge j("bf16,cast_first");
    const auto with_inf = j.sets({inf, 1, -1}, {1, 1, 1}, 1e-6);
    EXPECT_TRUE(with_inf[0].nan && allows(Type::bf16, with_inf[0], 0x7fc1) && !allows(Type::bf16, with_inf[0], 0x7f80));
    EXPECT_TRUE(allows(Type::bf16, with_inf[1], 0x0000) && !allows(Type::bf16, with_inf[1], 0x8000));
    EXPECT_TRUE(allows(Type::bf16, with_inf[2], 0x8000) && !allows(Type::bf16, with_inf[2], 0x0000));
    const auto with_nan = j.sets({std::nanf(""), 1}, {1, 1}, 1e-6);
    EXPECT_TRUE(allows(Type::bf16, with_nan[1], 0xffc0) && !allows(Type::bf16, with_nan[1], 0x3f80));
    const auto zeros = j.sets({0, -0.0f}, {1, 1}, 1e-6);
    EXPECT_TRUE(allows(Type::bf16, zeros[0], 0x0000) && !allows(Type::bf16, zeros[0], 0x8000));
    EXPECT_TRUE(allows(Type::bf16, zeros[1], 0x8000) && !allows(Type::bf16, zeros[1], 0x0000));
    // The sum may overflow or not: the specification's zero, and everything up to the value.
    const Judge f("f32,cast_first");
    const auto maybe = f.sets({0x1.fffffep63f, 0x1.398p52f}, {1, 1}, 1e-6);
    EXPECT_TRUE(allows(Type::f32, maybe[0], 0) && allows(Type::f32, maybe[0], 0x3fb504f3));
    EXPECT_FALSE(allows(Type::f32, maybe[0], 0x80000000) || allows(Type::f32, maybe[0], 0x3fb50600));
}

}  // namespace
}  // namespace ulpgate
