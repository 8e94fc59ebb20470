// Rows whose sum of squares overflows f32, in every order or in some: what each way of summing gives lies in the set.
#include "reference/admissible/ways_test.hpp"

#include <bit>

namespace ulpgate {
namespace {

// At and beyond the edge of overflow; in a quarter of the f32 rows only some orders overflow.
Row large_row(Rng& g, Type t) {
    Row x(1 + g.below(40));
    if (t == Type::f32 && g.below(4) == 0) {
        x.resize(1 + x.size() % 9);
        for (float& v : x) v = 0x1.2p51f - static_cast<float>(g.below(64)) * 0x1p44f;
        x[g.below(static_cast<std::uint32_t>(x.size()))] = 0x1.fffffep63f;
        return x;
    }
    const int e = g.below(3) ? g.between(61, 66) : g.between(64, 127);
    for (float& v : x) {
        v = round_to(t, std::ldexp(1 + static_cast<float>(g.below(1u << 20)) * 0x1p-20f, e - (g.below(3) ? 0 : g.between(0, 6))));
        if (std::isinf(v)) v = std::ldexp(1.0f, e);
    }
    return x;
}

float rounded_root(double v, bool div) { return static_cast<float>(root(v, div)); }

// x 2^-k before squaring, r back: exact but for what falls below 2^-126, far below the sum's last bit.
float prescaled(const Row& x, bool div) {
    int top = 0;
    for (const float v : x) top = std::max(top, std::ilogb(v));
    float s = 0;
    for (const float v : x) {
        const float small = std::ldexp(v, -top);
        s = std::fma(small, small, s);
    }
    const float v = s / static_cast<float>(x.size());  // eps 2^(-2 top) is lost beside it
    return static_cast<float>(std::ldexp(root(static_cast<double>(v), div), div ? top : -top));
}

TEST(Overflow, HoldsEveryWayOfSumming) {
    int always = 0, sometimes = 0, both = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        Rng g(31, 1, i);
        const Row x = large_row(g, g.below(2) ? Type::f32 : Type::bf16);
        const bool div = g.below(4) == 0;
        const StatisticSet s = set_of(std::string("f32,cast_first,rsqrt=0") + (div ? ",by=div" : ""), x, 1e-6);
        bool zero = false, finite = false;
        for (int n = 0; n < 6; ++n) {
            const float sum = tree_sum(g, {n % 5, g.below(2) != 0, n == 5}, x);
            const float v = sum / static_cast<float>(x.size()) + 1e-6f;
            const float r = rounded_root(static_cast<double>(v), div);
            ASSERT_TRUE(holds(s, r)) << i << " tree " << n << " r " << r;
            (std::isinf(v) ? zero : finite) = true;
        }
        double wide = 0;
        for (const float v : x) wide += static_cast<double>(v) * static_cast<double>(v);
        ASSERT_TRUE(holds(s, rounded_root(wide / static_cast<double>(x.size()) + 1e-6, div))) << i << " in f64";
        ASSERT_TRUE(holds(s, prescaled(x, div))) << i << " prescaled";
        ASSERT_FALSE(s.nan);
        ASSERT_TRUE(s.interval && s.lo > 0);
        if (s.spec_limit) {
            ASSERT_FALSE(finite) << i;
        }
        always += s.spec_limit;
        sometimes += !s.spec_limit && (div ? s.inf : s.zero);
        both += zero && finite;
    }
    EXPECT_GT(always, 5000);
    EXPECT_GT(sometimes, 500);
    EXPECT_GT(both, 50) << "the order decides";
}

// Not a wide one: a factor of 1.01 beside the value of real arithmetic is outside on every such row.
TEST(Overflow, HoldsNothingElse) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng g(31, 2, i);
        const Row x = large_row(g, Type::bf16);
        const StatisticSet s = set_of("bf16,cast_first", x, 1e-6);
        if (s.r < 0x1p-120) continue;
        EXPECT_FALSE(holds(s, static_cast<float>(s.r * 1.0001))) << i;
        EXPECT_FALSE(holds(s, static_cast<float>(s.r / 1.0001))) << i;
        EXPECT_FALSE(holds(s, std::nanf("")));
        EXPECT_FALSE(holds(s, finf));
    }
}

// A large square just below 2^128 - 2^103: small ones are lost one by one, and carry it over where they meet first.
TEST(Overflow, TheOrderDecides) {
    const Row x{0x1.fffffep63f, 0x1.2p51f, 0x1.2p51f, 0x1.2p51f, 0x1.2p51f, 0x1.2p51f};
    float one_by_one = 0, together = 0;
    for (const float v : x) one_by_one += v * v;
    for (std::size_t j = x.size(); j-- > 0;) together += x[j] * x[j];
    ASSERT_TRUE(std::isfinite(one_by_one));
    ASSERT_TRUE(std::isinf(together));
    const StatisticSet s = set_of("f32,cast_first,rsqrt=0", x, 0);
    EXPECT_TRUE(s.zero && s.interval && !s.spec_limit);
    EXPECT_TRUE(holds(s, rounded_root(static_cast<double>(one_by_one / 6), false)));
    EXPECT_FALSE(set_of("f32,cast_first", {0x1.fffffcp63f, 0x1p40f}, 0).zero) << "no order reaches it";
}

// An f64 sum from 2^128 - 2^103 on becomes Inf where it is rounded to f32.
TEST(Overflow, OfAnF64SumThatIsRounded) {
    const Row x{0x1.fffffep63f, 0x1.3ep52f, 0, 0};
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    ASSERT_GE(sum, 0x1p128 - 0x1p103);
    ASSERT_LT(sum, 0x1p128);
    ASSERT_TRUE(std::isinf(static_cast<float>(sum)));
    const StatisticSet s = set_of("f32,cast_first,rsqrt=0,acc=f64,sq=f64", x, 0);
    EXPECT_TRUE(s.zero && s.interval && !s.spec_limit);
    EXPECT_TRUE(holds(s, rounded_root(sum / 4, false)));
}

// Kahan's sum: inside as long as it is finite. A carry of inf - inf is NaN and no sum of the declared form.
TEST(Overflow, CompensatedSums) {
    const auto kahan = [](const Row& x) {
        volatile float s = 0, c = 0;
        for (const float v : x) {
            const volatile float y = v * v - c, t = s + y;
            c = (t - s) - y;
            s = t;
        }
        return static_cast<float>(s);
    };
    for (std::uint64_t i = 0; i < 20000; ++i) {
        Rng g(31, 3, i);
        const Row x = strained(g, static_cast<int>(g.below(8)), g.below(2) ? Type::f32 : Type::bf16);
        const float sum = kahan(x);
        if (!std::isfinite(sum)) continue;
        const float v = sum / static_cast<float>(x.size()) + 1e-6f;
        ASSERT_TRUE(holds(set_of("f32,cast_first,rsqrt=0", x, 1e-6), rounded_root(static_cast<double>(v), false))) << i;
    }
    EXPECT_TRUE(std::isnan(kahan(Row(8, 0x1p63f))));
}

}  // namespace
}  // namespace ulpgate
