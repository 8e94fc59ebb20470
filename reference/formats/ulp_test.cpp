#include "reference/formats/ulp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct Row {
    Type t;
    std::uint32_t y;
    double ideal, fraction;
    std::int64_t steps;
};

// Written by hand from the definition: ulp(v) = 2^(max(floor(log2 |v|), emin) - p + 1).
const Row table[] = {
    // powers of two: the ulp is the upper binade's, twice the gap below
    {Type::bf16, 0x3f7f, 1.0, -0.5, -1},
    {Type::bf16, 0x3f81, 1.0, 1, 1},
    {Type::bf16, 0xbf7f, -1.0, 0.5, 1},
    {Type::bf16, 0x3f80, 0x1.fep-1, 1, 1},
    {Type::bf16, 0x3f80, 0x1.ffp-1, 0.5, 0},  // a tie: to even, 1.0
    {Type::fp16, 0x3bff, 1.0, -0.5, -1},
    {Type::f32, 0x3f7fffff, 1.0, -0.5, -1},
    {Type::e4m3, 0x37, 1.0, -0.5, -1},
    // between values: whole steps are counted from the rounded ideal
    {Type::bf16, 0x3f80, 1 + 0x1.8p-8, -0.75, -1},
    {Type::bf16, 0x3f81, 1 + 0x1.8p-8, 0.25, 0},
    {Type::bf16, 0x3f83, 1 + 0x1p-9, 2.75, 3},
    {Type::f32, 0x3f800002, 1 + 0x1p-50, 2 - 0x1p-27, 2},
    // zeros: both are one value
    {Type::bf16, 0x0000, 0.0, 0, 0},
    {Type::bf16, 0x8000, 0.0, 0, 0},
    {Type::bf16, 0x0000, -0.0, 0, 0},
    {Type::bf16, 0x0001, 0.0, 1, 1},
    {Type::bf16, 0x8001, 0.0, -1, -1},
    {Type::bf16, 0x0001, -0x1p-133, 2, 2},
    {Type::bf16, 0x0000, 0x1p-134, -0.5, 0},  // half the smallest subnormal: a tie to zero
    {Type::bf16, 0x0000, 0x1.8p-134, -0.75, -1},
    {Type::bf16, 0x0000, 0x1p-1074, -0x1p-941, 0},
    // subnormals: the ulp no longer shrinks
    {Type::fp16, 0x0001, 0x1p-24, 0, 0},
    {Type::fp16, 0x0003, 0x1p-24, 2, 2},
    {Type::fp16, 0x03ff, 0x1p-14, -1, -1},  // smallest normal and the value below it: one ulp on both sides
    {Type::fp16, 0x0401, 0x1p-14, 1, 1},
    {Type::fp16, 0x0400, 0x1.8p-16, 0x1.4p+9, 0x280},
    {Type::f32, 0x00000001, 0x1.8p-148, -2, -2},
    {Type::e4m3, 0x01, 0x1p-9, 0, 0},
    {Type::e4m3, 0x07, 0x1p-6, -1, -1},
    // overflow edge: half an ulp above the largest value rounds to infinity
    {Type::fp16, 0x7bff, 65519.0, -0x1.ep-2, 0},
    {Type::fp16, 0x7bff, 65520.0, -0.5, -1},
    {Type::fp16, 0x7c00, 65519.0, inf, 1},
    {Type::fp16, 0x7c00, 65520.0, 0, 0},
    {Type::fp16, 0xfc00, -65520.0, 0, 0},
    {Type::fp16, 0xfc00, 65520.0, -inf, -2 * 0x7c00},
    {Type::bf16, 0x7f7f, 0x1.ffp127, -0.5, -1},
    {Type::bf16, 0x7f80, 0x1p200, 0, 0},
    {Type::e4m3, 0x7e, 463.0, -0.46875, 0},
    {Type::e4m3, 0x7f, 465.0, 0, 0},   // no infinity: NaN is the correct word
    {Type::e4m3, 0x7e, 465.0, inf, never},
    // infinities and NaN
    {Type::bf16, 0x7f80, inf, 0, 0},
    {Type::bf16, 0xff80, inf, -inf, -2 * 0x7f80},
    {Type::bf16, 0x7f7f, inf, -inf, -1},
    {Type::bf16, 0xff7f, -inf, inf, 1},
    {Type::bf16, 0x7fc0, nan, 0, 0},
    {Type::bf16, 0xffff, nan, 0, 0},
    {Type::bf16, 0x7fc0, 1.0, inf, never},
    {Type::bf16, 0x3f80, nan, inf, never},
    {Type::bf16, 0x7f80, nan, inf, never},
    {Type::bf16, 0x7fc0, inf, inf, never},
};

TEST(Ulp, Table) {
    for (const Row& row : table) {
        SCOPED_TRACE(testing::Message() << name(row.t) << ' ' << std::hex << row.y << " against " << std::hexfloat << row.ideal);
        EXPECT_EQ(ulp_error(row.t, row.y, row.ideal), row.fraction);
        EXPECT_EQ(ulp_steps(row.t, row.y, encode(row.t, row.ideal)), row.steps);
    }
}

TEST(Ulp, SpacingIsTheGapAboveEveryValue) {
    for (Type t : {Type::bf16, Type::fp16, Type::e4m3})
        with_format(t, [t](auto f) {
            using F = decltype(f);
            for (std::uint32_t w = 0; w < F::max_word; ++w) {
                const double v = decode(t, w), above = decode(t, w + 1), ulp = ulp_at(t, v);
                ASSERT_EQ(ulp, above - v) << name(t) << ' ' << w;
                ASSERT_EQ(ulp_at(t, -v), ulp);
                ASSERT_EQ(ulp_at(t, v + 0.75 * (above - v)), ulp);
                ASSERT_EQ(ulp_error(t, w + 1, v), 1);
                ASSERT_EQ(ulp_steps(t, w + 1, w), 1);
            }
        });
}

}  // namespace
}  // namespace ulpgate
