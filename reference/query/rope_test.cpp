#include "reference/query/rope.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

bool holds(const Range& r, float v) { return r.free || (v != v ? r.lo != r.lo : r.lo <= v && v <= r.hi); }

// Every way to write the four products and two sums in f32, with FMA or without, and the exact answer rounded once.
TEST(Rope, EveryWayInF32IsAllowed) {
    std::int64_t outputs = 0, one = 0;
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const Rope rope : {Rope::one_cast, Rope::table_f32})
            for (std::uint64_t k = 0; k < 20000; ++k) {
                Rng r(5, static_cast<std::uint64_t>(t), k);
                const auto draw = [&](int spread) { return round_to(t, std::ldexp(static_cast<float>(r.gauss()), -16 - (spread ? static_cast<int>(r.below(static_cast<std::uint32_t>(spread))) : 0))); };
                const float a = draw(30), b = draw(30);
                const double angle = static_cast<double>(r.gauss());
                Angle v{static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
                if (rope == Rope::table_f32) v = {round_to(t, v.c), round_to(t, v.s)};
                const auto sets = rotated(rope, t, Range::of(a), Range::of(b), v);
                const double exact[] = {static_cast<double>(a) * static_cast<double>(v.c) - static_cast<double>(b) * static_cast<double>(v.s),
                                        static_cast<double>(b) * static_cast<double>(v.c) + static_cast<double>(a) * static_cast<double>(v.s)};
                const float ways[][2] = {{a * v.c - b * v.s, b * v.c + a * v.s},
                                         {std::fma(a, v.c, -(b * v.s)), std::fma(b, v.c, a * v.s)},
                                         {std::fma(-b, v.s, a * v.c), std::fma(a, v.s, b * v.c)}};
                for (std::size_t i = 0; i < 2; ++i) {
                    for (const auto& way : ways) ASSERT_TRUE(holds(sets[i], round_to(t, way[i]))) << k;
                    ASSERT_TRUE(holds(sets[i], round_to(t, exact[i]))) << k;
                    ++outputs;
                    one += sets[i].one();
                }
            }
    EXPECT_GT(one * 2, outputs) << "a set that holds everything tells nothing";
}

// Position 0 rotates by nothing; three roundings to bf16 of 1.5 (0.7071 -0.7071): products 1.0625 and 1.0625.
TEST(Rope, ValuesByHand) {
    for (const Rope rope : {Rope::one_cast, Rope::three, Rope::table_f32}) {
        const auto y = rotated(rope, Type::bf16, Range::of(1.5f), Range::of(-3.0f), {1, 0});
        EXPECT_TRUE(y[0].one() && y[1].one());
        EXPECT_EQ(y[0].lo, 1.5f);
        EXPECT_EQ(y[1].lo, -3.0f);
    }
    // bf16(sqrt(1/2)) = 181/256. 1.5 * 181/256 = 271.5/256 ties to even 272/256 = 1.0625; 1.0078125 * 181/256 = 182.4140625/256 -> 182/256.
    // In f32 the difference is 89.0859375/256, in bf16 89/256; three roundings leave 90/256 = 0.3515625.
    const Angle v{181.0f / 256, 181.0f / 256};
    EXPECT_EQ(rotated_once(Rope::three, Type::bf16, 1.5f, 1.0078125f, v)[0], 90.0f / 256);
    EXPECT_EQ(rotated_once(Rope::table_f32, Type::bf16, 1.5f, 1.0078125f, v)[0], 89.0f / 256);
    EXPECT_TRUE(rotated(Rope::three, Type::bf16, Range::of(1.5f), Range::of(1.0078125f), v)[0].one());
}

TEST(Rope, RangesHoldTheirMembersAndNaNStaysNaN) {
    for (std::uint64_t k = 0; k < 3000; ++k) {
        Rng r(6, 0, k);
        const auto value = [&] { return round_to(Type::bf16, std::ldexp(static_cast<float>(r.gauss()), -16)); };
        float a[] = {value(), value()}, b[] = {value(), value()};
        if (a[0] > a[1]) std::swap(a[0], a[1]);
        if (b[0] > b[1]) std::swap(b[0], b[1]);
        const double angle = static_cast<double>(r.gauss());
        const Angle v{round_to(Type::bf16, std::cos(angle)), round_to(Type::bf16, std::sin(angle))};
        for (const Rope rope : {Rope::three, Rope::table_f32}) {
            const auto sets = rotated(rope, Type::bf16, {a[0], a[1]}, {b[0], b[1]}, v);
            for (const float x : {a[0], round_to(Type::bf16, (a[0] + a[1]) / 2), a[1]})
                for (const float y : {b[0], round_to(Type::bf16, (b[0] + b[1]) / 2), b[1]}) {
                    const auto got = rotated_once(rope, Type::bf16, x, y, v);
                    ASSERT_TRUE(holds(sets[0], got[0]) && holds(sets[1], got[1])) << k;
                }
        }
    }
    EXPECT_TRUE(std::isnan(rotated(Rope::one_cast, Type::bf16, Range::of(NAN), Range::of(1), {1, 0})[0].lo));
}

}  // namespace
}  // namespace ulpgate
