// Rows and contracts that the formulas are not for.
#include "reference/admissible/ways_test.hpp"

namespace ulpgate {
namespace {

TEST(Statistic, SpecialRows) {
    const auto zero = set_of("bf16,cast_first", Row(8, 0), 1e-6);
    EXPECT_TRUE(zero.interval && zero.lo <= 1000.0f && 1000.0f <= zero.hi && !zero.zero && !zero.inf);
    const auto empty = set_of("bf16,cast_first", Row(8, 0), 0);
    EXPECT_TRUE(!empty.interval && empty.inf && !empty.zero && std::isinf(empty.r));
    const auto with_inf = set_of("bf16,cast_first", {1, -finf}, 1e-6);
    EXPECT_TRUE(!with_inf.interval && with_inf.zero && with_inf.r == 0);
    const auto with_nan = set_of("bf16,cast_first", {1, std::nanf(""), finf}, 1e-6);
    EXPECT_TRUE(!with_nan.interval && with_nan.nan && !with_nan.zero && std::isnan(with_nan.r));
    const auto over = set_of("bf16,cast_first", Row(4, 0x1p63f), 1e-6);
    EXPECT_TRUE(over.spec_limit && over.zero && over.r == 0x1p-63);
    EXPECT_TRUE(over.interval && over.lo <= 0x1p-63f && 0x1p-63f <= over.hi);
    // S is half an ulp below 2^128: the order decides.
    const auto maybe = set_of("f32,cast_first", {0x1.fffffep63f, 0x1.398p52f}, 1e-6);
    EXPECT_TRUE(!maybe.spec_limit && maybe.interval && maybe.zero);
    const auto flushed = set_of("bf16,cast_first,ftz=sum", Row(4, 0x1p-64f), 0);
    EXPECT_TRUE(flushed.inf && flushed.interval);
    EXPECT_FALSE(set_of("bf16,cast_first", Row(4, 0x1p-64f), 0).inf);
    EXPECT_TRUE(set_of("bf16,cast_first,ftz=sum", Row(4, 0), 0x1p-130).inf);
    EXPECT_FALSE(set_of("bf16,cast_first", Row(4, 0), 0x1p-130).inf);
    const auto div = set_of("bf16,cast_first,by=div", Row(8, 0), 0);
    EXPECT_TRUE(div.zero && !div.inf && !div.interval);
    EXPECT_TRUE(set_of("bf16,cast_first,by=div", {1, finf}, 0).inf);
    // eps = 1.5 * 2^-150 is 2^-149 in f32: v is that or, with eps added in f64 and rounded, the same; never a value between it and 0.
    EXPECT_FALSE(holds(set_of("bf16,cast_first", Row(4, 0), 0x1.8p-150), 0x1.8p74f));
    EXPECT_TRUE(holds(set_of("bf16,cast_first", Row(4, 0), 0x1.8p-150), static_cast<float>(std::sqrt(0x1p149))));
    // Columns beyond the statistic's width are not seen.
    EXPECT_FALSE(set_of("bf16,cast_first,stat_width=2", {1, 1, finf}, 0).zero);
    EXPECT_EQ(set_of("bf16,cast_first,stat_width=2", {2, 2, 100}, 0).r, 0.5);
}

// What the core allows the whole set allows, in every contract that has a proof; and the core holds ordinary kernels' scalars.
TEST(Statistic, CoreIsAPartOfTheSet) {
    constexpr std::array contracts{"bf16,cast_first", "f32,cast_first,mean=recip", "f32,cast_first,by=div,rsqrt=0", "f32,f32_gain,acc=f64",
                                   "f32,cast_first,acc=f64,sq=f64,rsqrt=1", "bf16,cast_first,order=sequential", "f32,cast_first,order=pairwise:8",
                                   "bf16,cast_first,ftz=sum", "bf16,cast_first,by=div,ftz=sum"};
    int held = 0, rows = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        Rng g(9, 9, i);
        const Contract c = contract(contracts[i % contracts.size()]);
        Row x = strained(g, static_cast<int>(g.below(8)), c.x);
        if (i % 50 == 0) x.resize(7168, x[0]);
        if (i % 97 == 0) x[0] = i % 2 ? finf : 0;
        const double eps = std::array{0.0, 1e-6, 0x1p-149, 0.5}[g.below(4)];
        const StatisticSet core = statistic_core(c, x, eps).set, whole = statistic_set(c, x, eps).set;
        ASSERT_LE(core.rho, whole.rho) << i;
        if (core.interval) {
            ASSERT_TRUE(whole.interval) << i;
            ASSERT_TRUE(whole.lo <= core.lo && core.hi <= whole.hi) << i << ": " << core.lo << ' ' << core.hi << " in " << whole.lo << ' ' << whole.hi;
        }
        ASSERT_TRUE(whole.zero >= core.zero && whole.inf >= core.inf && whole.nan == core.nan) << i;
        if (c.by == By::div || !whole.interval || c.rsqrt == 0) continue;
        ++rows;
        held += holds(core, static_cast<float>(whole.r));
    }
    EXPECT_GT(held, rows * 99 / 100);  // all but some whose sum is subnormal
}

TEST(Statistic, WithoutProof) {
    const auto why = [](const char* text, double eps = 1e-6) {
        return statistic_set(contract(text), Row(4, 1), eps).unsupported;
    };
    EXPECT_EQ(why("bf16,cast_first"), "");
    EXPECT_EQ(why("bf16,cast_first,acc=t"), "acc=t: sums kept in bf16");
    EXPECT_EQ(why("bf16,cast_first,sq=t"), "sq=t: squares kept in bf16");
    EXPECT_EQ(why("f32,cast_first,sq=t,acc=t"), "");
    EXPECT_EQ(why("bf16,cast_first,stat=mean_m2"), "stat=mean_m2: mean and M2 subtract");
    EXPECT_EQ(why("bf16,cast_first,stat_width=5"), "stat_width=5: the row has only 4 columns");
    EXPECT_EQ(why("bf16,cast_first", -1), "eps -1: not a number from 0 to 2^127");
    EXPECT_NE(why("bf16,cast_first", std::nan("")), "");
}

}  // namespace
}  // namespace ulpgate
