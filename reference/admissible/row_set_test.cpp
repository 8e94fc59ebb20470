#include "reference/admissible/row_set.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

using Row = std::vector<float>;
constexpr float inf = std::numeric_limits<float>::infinity();
const float nan_value = std::numeric_limits<float>::quiet_NaN();

Contract contract(const std::string& text) {
    Claim c;
    const auto bad = parse(text, c);
    EXPECT_FALSE(bad) << text << ": " << bad->what;
    return c.at(0);
}

// A contract with one map, applied and judged.
struct Judge {
    Contract c;
    const MapPiece* map;
    MapTypes types;
    explicit Judge(const std::string& text) : c(contract(text)), map(maps_for(c).at(0)), types(map_types(c)) {}

    Row apply(const Row& x, const Row& w, float r) const {
        Row y(x.size());
        map->apply(types, narrow_nearest, x, w, r, y);
        return y;
    }
    RowSet reproduce(const Row& x, const Row& w, const Row& y) const {
        return ulpgate::reproduce(*map, types, x, w, y);
    }
    RowSet within(const Row& x, const Row& w, const Row& y, double eps) const {
        const auto s = statistic_set(c, x, eps);
        EXPECT_EQ(s.unsupported, "");
        return reproduce_within(*map, types, x, w, y, s.set);
    }
    bool equal(const Row& x, const Row& w, const Row& y, float r) const {
        const Row out = apply(x, w, r);
        for (std::size_t j = 0; j < y.size(); ++j)
            if (std::bit_cast<std::uint32_t>(out[j]) != std::bit_cast<std::uint32_t>(y[j]) &&
                !(std::isnan(out[j]) && std::isnan(y[j])))
                return false;
        return true;
    }
};

float gaussian(Rng& g) { return static_cast<float>(g.gauss()) * 0x1p-16f; }
float bits(std::uint32_t w) { return std::bit_cast<float>(w); }
std::uint32_t word(float v) { return std::bit_cast<std::uint32_t>(v); }

const char* const all_contracts[] = {
    "bf16,cast_first",
    "fp16,cast_first",
    "f32,cast_first",
    "bf16,cast_first,by=div",
    "fp16,f32_gain,assoc=x_rw",
    "bf16,f32_gain,assoc=xw_r",
    "bf16,f32_gain,assoc=xr_w,gain=one_plus",
    "bf16,f32_gain,assoc=x_rw,by=div",
    "f32,f32_gain,assoc=xw_r,by=div",
    "bf16,cast_first,gain=none",
    "bf16,cast_first,w=f32",
    "bf16,f32_gain,w=f32,y=bf16,assoc=xr_w",
    "fp16,f32_gain,assoc=xr_w,by=div,gain=one_plus_t",
};

// Values with every special one among them.
float any_value(Rng& g, Type t, bool special) {
    if (special && g.below(3) == 0) {
        const float few[] = {0, -0.0f, inf, -inf, nan_value, 0x1p-126f, 0x1p-133f, 0x1p120f, -0x1p127f, 0x1p-24f};
        return round_to(t, few[g.below(10)]);
    }
    return round_to(t, gaussian(g));
}

// Every float of a window around r, and floats at and around the ends found: the interval says which reproduce the row.
TEST(RowSet, AgreesWithScanningEveryFloat) {
    int empty = 0, some = 0;
    for (std::uint64_t i = 0; i < 2600; ++i) {
        Rng g(11, 1, i);
        const Judge j(all_contracts[i % std::size(all_contracts)]);
        const bool special = g.below(2) != 0;
        Row x(1 + g.below(5)), w(x.size());
        for (float& v : x) v = any_value(g, j.types.x, special);
        for (float& v : w) v = any_value(g, j.types.w, special);
        if (j.types.gain == Gain::none) w.clear();
        const float r = special && g.below(4) == 0 ? std::array{0.0f, inf, 0x1p-140f, 0x1p126f}[g.below(4)]
                                                   : bits(0x3f800000 + g.below(1u << 23));
        Row y = j.apply(x, w, r);
        if (g.below(2)) {  // one output a step off: the row may be reproduced elsewhere, or nowhere
            float& v = y[g.below(static_cast<std::uint32_t>(y.size()))];
            if (std::isfinite(v)) v = decode(j.types.y, encode(j.types.y, v) + (g.below(2) ? 1u : ~0u));
        }
        const RowSet s = j.reproduce(x, w, y);
        const auto check = [&](std::uint32_t word) {
            if (word > 0x7f800000) return;
            const bool in = s.any && s.lo <= bits(word) && bits(word) <= s.hi;
            ASSERT_EQ(j.equal(x, w, y, bits(word)), in)
                << i << " " << all_contracts[i % std::size(all_contracts)] << " r " << bits(word) << " " << s.any
                << " [" << s.lo << ", " << s.hi << "]";
        };
        const std::uint32_t base = word(r) & 0x7fffffff;
        for (std::uint32_t k = 0; k < 400; ++k) check(base < 200 ? k : base - 200 + k);
        for (int k = 0; k < 60; ++k) check(g.below(0x7f800001));
        for (const std::uint32_t k : {0u, 1u, 0x7f7fffffu, 0x7f800000u}) check(k);
        if (s.any)
            for (const float end : {s.lo, s.hi})
                for (std::uint32_t k = 0; k < 5; ++k) check(word(end) + k - 2);
        (s.any ? some : empty)++;
        if (!s.any) {  // the columns before it have a common scalar, with it they have none
            ASSERT_GE(s.col, 0);
            const auto n = static_cast<std::size_t>(s.col);
            const auto cut = [](const Row& v, std::size_t k) {
                return Row(v.begin(), v.begin() + static_cast<long>(std::min(k, v.size())));
            };
            ASSERT_TRUE(n == 0 || j.reproduce(cut(x, n), cut(w, n), cut(y, n)).any) << i;
            ASSERT_FALSE(j.reproduce(cut(x, n + 1), cut(w, n + 1), cut(y, n + 1)).any) << i;
        }
    }
    EXPECT_GT(empty, 300);
    EXPECT_GT(some, 1000);
}

TEST(RowSet, SignsOfZeroAndNaN) {
    const Judge j("bf16,cast_first");
    EXPECT_TRUE(j.reproduce({0, 1}, {1, 1}, {0, 1}).any);
    EXPECT_EQ(j.reproduce({1, 0}, {1, 1}, {1, -0.0f}).col, 1);
    EXPECT_TRUE(j.reproduce({1, -0.0f}, {1, 1}, {1, -0.0f}).any);
    EXPECT_TRUE(j.reproduce({1, 0}, {1, -1}, {1, -0.0f}).any);
    EXPECT_EQ(j.reproduce({1, 0}, {1, -1}, {1, 0}).col, 1);
    EXPECT_EQ(j.reproduce({1, 1}, {1, 1}, {1, -1}).col, 1);
    // A row with Inf: r = 0 gives 0 elsewhere and NaN there. Any NaN is a NaN.
    const RowSet s = j.reproduce({inf, 1, -1}, {1, 1, 1}, {bits(0xffc12345), 0, -0.0f});
    EXPECT_TRUE(s.any && s.lo == 0 && s.hi == 0);
    EXPECT_TRUE(j.within({inf, 1, -1}, {1, 1, 1}, {nan_value, 0, -0.0f}, 1e-6).any);
    EXPECT_EQ(j.within({inf, 1, -1}, {1, 1, 1}, {nan_value, 0, 0}, 1e-6).col, 2);
    EXPECT_EQ(j.within({inf, 1, -1}, {1, 1, 1}, {nan_value, 1, -1}, 1e-6).col, 1);
    // A NaN makes its row NaN.
    EXPECT_TRUE(j.within({nan_value, 1}, {1, 1}, {nan_value, nan_value}, 1e-6).any);
    EXPECT_EQ(j.within({nan_value, 1}, {1, 1}, {nan_value, 1}, 1e-6).col, 1);
    // Zero rows.
    EXPECT_TRUE(j.within({0, -0.0f}, {1, 1}, {0, -0.0f}, 1e-6).any);
    EXPECT_FALSE(j.within({0, -0.0f}, {1, 1}, {0, 0}, 1e-6).any);
    EXPECT_TRUE(j.within({0, 0}, {1, 1}, {nan_value, nan_value}, 0).any);
    EXPECT_FALSE(j.within({0, 0}, {1, 1}, {0, 0}, 0).any);
    // A sum that overflows f32: the specification's zero, and what a wider range gives.
    EXPECT_TRUE(j.within(Row(4, 0x1p63f), Row(4, 1), Row(4, 0), 1e-6).any);
    EXPECT_TRUE(j.within(Row(4, 0x1p63f), Row(4, 1), Row(4, 1), 1e-6).any);
    EXPECT_FALSE(j.within(Row(4, 0x1p63f), Row(4, 1), Row(4, 1.0078125f), 1e-6).any);
    EXPECT_FALSE(j.within(Row(4, 0x1p63f), Row(4, 1), Row(4, nan_value), 1e-6).any);
    EXPECT_TRUE(j.reproduce({}, {}, {}).any);
}

// The rows that tell the gain orders apart: each order explains its own words and no other's.
TEST(RowSet, MasterProbe) {
    struct Words {
        const char* text;
        std::uint32_t a, b;
    };
    const Words words[] = {{"bf16,cast_first", 0x3fc1, 0x3fd5},
                           {"bf16,f32_gain,assoc=xr_w", 0x3fc2, 0x3fd4},
                           {"bf16,f32_gain,assoc=x_rw", 0x3fc2, 0x3fd4},
                           {"bf16,f32_gain,assoc=xw_r", 0x3fc2, 0x3fd4},
                           {"rstd.low", 0x3fc1, 0x3fd3},
                           {"rstd.low and gain_then_cast", 0x3fc1, 0x3fd4}};
    for (const std::size_t d : {2u, 8u, 512u, 1536u, 7168u}) {
        Row x, w(d, 1.5859375f), y;
        for (std::size_t k = 0; k < d; ++k) x.push_back(k % 2 ? 1.09375f : 1);
        for (const auto& claim : words) {
            if (claim.text[0] == 'r') continue;
            const Judge j(claim.text);
            for (const auto& k : words) {
                y.assign(d, decode(Type::bf16, k.a));
                for (std::size_t n = 1; n < d; n += 2) y[n] = decode(Type::bf16, k.b);
                EXPECT_EQ(j.within(x, w, y, 1e-6).any, k.a == claim.a && k.b == claim.b) << d << claim.text << k.text;
            }
        }
    }
}

// bf16 [1c65, 1c30] at eps 0: the squares are subnormal. [09a9, 4cef]: the product x r is.
TEST(RowSet, RowsAtTheEndsOfTheRange) {
    const auto value = [](std::uint32_t w) { return decode(Type::bf16, w); };
    const Judge j("bf16,cast_first");
    const Row tiny{value(0x1c65), value(0x1c30)};
    const float mean = (tiny[0] * tiny[0] + tiny[1] * tiny[1]) / 2;
    const Row y = j.apply(tiny, {1, 1}, static_cast<float>(1 / std::sqrt(static_cast<double>(mean))));
    EXPECT_EQ(Bf16::encode(y[0]), 0x3f8f);
    EXPECT_TRUE(j.within(tiny, {1, 1}, y, 0).any);
    const Row x{value(0x09a9), value(0x4cef)};
    EXPECT_TRUE(j.within(x, {1, 1}, {0, value(0x3fb5)}, 1e-6).any);
    EXPECT_FALSE(j.within(x, {1, 1}, {value(1), value(0x3fb5)}, 1e-6).any);
}

// Scales over an octave: with rms within 0.2 % of 1 a bf16 output shows r only from 0.2 % on.
Row random_row(Rng& g, Type t, std::size_t d) {
    const float scale = 1 + static_cast<float>(g.below(1u << 20)) * 0x1p-20f;
    Row x(d);
    for (float& v : x) v = round_to(t, gaussian(g) * scale);
    return x;
}
Row random_gains(Rng& g, Type t, std::size_t d) {
    Row w(d);
    for (float& v : w) v = round_to(t, 0.5f + static_cast<float>(g.below(1u << 16)) * 0x1p-16f);
    return w;
}

// One scalar a row, or the row is incoherent: a fresh r every 32 columns, each inside the set, is seen.
TEST(RowSet, FreshScalarsAreIncoherent) {
    for (const char* type : {"bf16", "fp16", "f32"})
        for (const std::size_t d : {7168u, 1536u}) {
            const Judge j(std::string(type) + ",cast_first");
            int seen = 0;
            for (std::uint64_t row = 0; row < 200; ++row) {
                Rng g(5, d, row);
                const Row x = random_row(g, j.types.x, d), w = random_gains(g, j.types.w, d);
                const auto s = statistic_set(j.c, x, 1e-6).set;
                Row y(d);
                for (std::size_t at = 0; at < d; at += 32) {
                    const float r = bits(word(s.lo) + g.below(word(s.hi) - word(s.lo) + 1));
                    j.map->apply(j.types, narrow_nearest, std::span(x).subspan(at, 32), std::span(w).subspan(at, 32), r,
                                 std::span(y).subspan(at, 32));
                }
                seen += !j.reproduce(x, w, y).any;
                ASSERT_TRUE(j.within(x, w, j.apply(x, w, bits(word(s.lo) + 1)), 1e-6).any);
            }
            RecordProperty(std::string(type) + "_" + std::to_string(d), seen);
            // At d = 1536 the set is five times narrower (5e-5) and has five times fewer elements to show it: bf16 sees
            // r only where some x r crosses a midpoint, 155 rows of 200.
            EXPECT_GE(seen, d == 7168 || j.types.x != Type::bf16 ? 195 : 150) << type << " d " << d;
        }
}

TEST(RowSet, HalfARowOffByOneUlp) {
    const Judge j("f32,cast_first");
    int seen = 0;
    for (std::uint64_t row = 0; row < 100; ++row) {
        Rng g(6, 1, row);
        const Row x = random_row(g, Type::f32, 7168), w = random_gains(g, Type::f32, 7168);
        const auto s = statistic_set(j.c, x, 1e-6).set;
        Row y = j.apply(x, w, bits((word(s.lo) + word(s.hi)) / 2));
        const RowSet right = j.reproduce(x, w, y);
        ASSERT_TRUE(right.any && word(right.hi) - word(right.lo) <= 1);
        for (std::size_t k = 0; k < y.size() / 2; ++k) y[k] = bits(word(y[k]) + 1);
        seen += !j.reproduce(x, w, y).any && !j.within(x, w, y, 1e-6).any;
    }
    EXPECT_EQ(seen, 100);
}

// One hot value: any r in the half ulp of its own output fits, the others must be exact zeros.
TEST(RowSet, OneHot) {
    const Judge j("bf16,cast_first");
    Row x(1536, 0), w(1536, 1), y(1536, 0);
    x[700] = 1;
    y[700] = decode(Type::bf16, 0x421d);  // 39.16177
    EXPECT_TRUE(j.within(x, w, y, 1e-6).any);
    y[700] = decode(Type::bf16, 0x421e);
    EXPECT_EQ(j.within(x, w, y, 1e-6).col, 700);
    y[700] = decode(Type::bf16, 0x447a);  // the column was dropped: 1/sqrt(eps)
    EXPECT_FALSE(j.within(x, w, y, 1e-6).any);
    EXPECT_TRUE(j.reproduce(x, w, y).any);
}

}  // namespace
}  // namespace ulpgate
