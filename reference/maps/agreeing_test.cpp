// MapPiece::agreeing against apply: what it says agrees does, and nothing that could be said is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/base/rng.hpp"
#include "reference/maps/map.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

constexpr std::array types{Type::bf16, Type::fp16, Type::f32};

// Near 1 (ties of both casts among them), or any bits at all.
float value(Rng& g, Type t, bool any) {
    if (any && g.below(4) == 0) return decode(t, g.below(bytes(t) == 2 ? 1u << 16 : ~0u));
    return round_to(t, std::ldexp(static_cast<float>(g.between(-512, 511)) + 0.5f, g.between(-10, -8)));
}

struct Row {
    MapTypes types;
    std::vector<float> x, w, y;
    float r = 1;
};

Row any_row(const MapPiece& map, std::uint64_t i) {
    Rng g(3, 8, i);
    const bool any = g.below(3) == 0;
    constexpr std::array gains{Gain::none, Gain::given, Gain::one_plus, Gain::one_plus_t};
    Row row{{types[g.below(3)], types[g.below(3)], types[g.below(3)], gains[g.below(4)]}, {}, {}, {}, 1};
    row.x.resize(g.below(4) ? g.below(100) : 500 + g.below(100));
    for (float& v : row.x) v = value(g, row.types.x, any);
    if (row.types.gain != Gain::none) row.w.resize(row.x.size());
    for (float& v : row.w) v = value(g, row.types.w, any);
    row.r = std::array{1.0f, 1.25f, 0x1.000002p0f, 0.7f, 0x1p-120f, 0x1p127f}[g.below(any ? 6 : 4)];
    row.y.resize(row.x.size());
    map.apply(row.types, narrow_nearest, row.x, row.w, row.r, row.y);
    return row;
}

TEST(Agreeing, IsWhatApplyGives) {
    int whole = 0, cut = 0;
    for (const MapPiece* map : maps::all())
        for (std::uint64_t i = 0; i < 1500; ++i) {
            Row row = any_row(*map, i);
            const std::vector<float> right = row.y;
            Rng g(3, 9, i);
            std::size_t wrong = row.x.size();
            if (!row.y.empty() && g.below(2)) {
                wrong = g.below(static_cast<std::uint32_t>(row.y.size()));
                float& v = row.y[wrong];  // one step of y's type, or the other zero
                v = v == 0 ? -v : decode(row.types.y, encode(row.types.y, v) ^ 1u);
                if (std::isnan(v)) v = 1;
            }
            const std::size_t n = map->agreeing(row.types, row.x, row.w, row.y, row.r);
            ASSERT_LE(n, wrong) << map->name << " " << i;
            const auto nan = [](float v) { return std::isnan(v); };
            std::size_t sure = std::min(wrong, static_cast<std::size_t>(std::find_if(right.begin(), right.end(), nan) - right.begin()));
            sure = has_avx2() ? sure / 8 * 8 : 0;
            ASSERT_GE(n, sure) << map->name << " " << i << " " << name(row.types.x) << name(row.types.w) << name(row.types.y);
            (wrong == row.x.size() ? whole : cut)++;
        }
    EXPECT_GT(whole, 5000);
    EXPECT_GT(cut, 5000);
}

// What no lanes hold is left to apply.
TEST(Agreeing, NothingIsSaidOfOtherTypes) {
    const std::vector<float> ones(64, 1);
    for (const MapPiece* map : maps::all())
        EXPECT_EQ(map->agreeing({Type::f32, Type::f32, Type::e4m3, Gain::given}, ones, ones, ones, 1), 0u) << map->name;
}

}  // namespace
}  // namespace ulpgate
