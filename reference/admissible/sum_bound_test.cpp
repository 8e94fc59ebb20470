// The bounds on the sum: by their definition, attained, and 0 where a sum has no error.
#include "reference/admissible/ways_test.hpp"
#include "reference/exact/sum.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

// The bound from the data by its definition: sorted squares. The bins may only add to it, by a few per cent.
TEST(Statistic, BoundFromDataByItsDefinition) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng g(7, 7, i);
        const Row x = strained(g, std::array{0, 1, 6, 7}[g.below(4)], Type::f32);
        std::vector<double> q;
        for (const float v : x)
            if (v != 0) q.push_back(static_cast<double>(v) * static_cast<double>(v));
        std::sort(q.rbegin(), q.rend());
        double c = 0, units = 0, edges = 0;
        for (std::size_t m = 1; m <= q.size(); ++m) {
            c += q[m - 1];
            if (m < 2) continue;
            units += std::ldexp(1.0, std::ilogb(c * (1 + static_cast<double>(2 * q.size()) * unit32)));
            edges += std::ldexp(1.0, std::ilogb(c * 1.07));  // a bin is a square's 1/32 octave wide
        }
        const double found = bound_by_data(x, static_cast<std::int64_t>(q.size()), c) * c / unit32;
        ASSERT_GE(found, units) << i;
        ASSERT_LE(least_bound_by_data(static_cast<std::int64_t>(q.size())) * c / unit32, units) << i;
        ASSERT_LE(found, edges * (1 + 1e-8)) << i;
    }
}

// The sequence that loses every term reaches the bound from the data: rho halved would lie.
TEST(Statistic, BoundFromDataIsAttained) {
    Row x(65, 0x1p-12f * 0.9921875f);
    x[0] = 1;
    x.resize(64);
    Rng g(0, 0, 0);
    const StatisticSet s = set_of("bf16,cast_first,rsqrt=0", x, 0);
    const float r = scalar(g, x, {2, false, false}, false, false, 0, 0, false);
    EXPECT_TRUE(holds(s, r));
    EXPECT_NEAR(s.rho / unit32, 63, 0.1);
    EXPECT_GE(set_of("bf16,cast_first,order=sequential", x, 0).rho, 62.99 * unit32);
    EXPECT_GT(static_cast<double>(r) / s.r - 1, 0.9 * 0.5 * s.rho);
    // Few terms carry the sum: far below the count.
    Row heavy(7168, 0x1p-9f);
    heavy[5] = 1;
    EXPECT_LT(set_of("bf16,cast_first", heavy, 0).rho, 7168 * unit32);
    Row gauss(7168);
    Rng h(3, 3, 3);
    for (float& v : gauss) v = Bf16::round(gaussian(h));
    const double rho = set_of("bf16,cast_first", gauss, 0).rho / unit32;
    EXPECT_LT(rho, 5000);  // 3/4 of d at most: ufp falls below the partial sum
    EXPECT_GT(rho, 3000);
}

// One pass or two, with lanes or without: the same facts, the same bits of the sum.
TEST(Statistic, FactsAndSumInOnePass) {
    for (std::uint64_t i = 0; i < 4000; ++i) {
        Rng g(7, 9, i);
        Row x(g.below(i % 8 ? 100 : 3000));
        const float few[] = {0, -0.0f, 0x1p-149f, -0x1p-130f, 0x1p127f, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
        for (float& v : x) {
            v = i % 2 ? gaussian(g) : Bf16::round(gaussian(g));
            if (i % 3 == 0 && g.below(8) == 0) v = few[g.below(i % 9 ? 5 : 7)];
        }
        double sum = -1;
        const RowFacts a = row_facts(x, sum), b = row_facts(x);
        ASSERT_TRUE(a.nonzero == b.nonzero && a.nan == b.nan && a.inf == b.inf && a.short_values == b.short_values) << i;
        ASSERT_EQ(a.nonzero, std::count_if(x.begin(), x.end(), [](float v) { return !(v == 0); }));
        if (a.nan || a.inf) continue;
        ASSERT_EQ(sum, quick_sum_of_squares(x)) << i;
    }
}

TEST(Statistic, SumsWithoutError) {
    Row hot(7168, 0);
    hot[77] = 3.25f;
    EXPECT_EQ(set_of("bf16,cast_first", hot, 1e-6).rho, 0);
    hot[77] = 3.2000000477f;  // its square needs 48 bits
    EXPECT_EQ(set_of("f32,cast_first", hot, 1e-6).rho, unit32);
    Row integers(1536);
    for (std::size_t i = 0; i < integers.size(); ++i) integers[i] = static_cast<float>(i % 100) * 0x1p-30f;
    EXPECT_EQ(set_of("bf16,cast_first", integers, 1e-6).rho, 0);
    integers[3] = 8192 * 0x1p-30f;  // its square alone is 2^26 units
    EXPECT_GT(set_of("bf16,cast_first", integers, 1e-6).rho, 0);
    EXPECT_EQ(set_of("f32,cast_first", {4097 * 0x1p-12f}, 1e-6).rho, unit32);  // 13 bits: the square has 25
    EXPECT_EQ(set_of("f32,cast_first", {4095 * 0x1p-12f}, 1e-6).rho, 0);
    EXPECT_NEAR(set_of("f32,cast_first", {2901, 2901}, 1e-6).rho / unit32, 0x1p24 / (2 * 2901.0 * 2901.0), 1e-6);
    EXPECT_TRUE(integer_row(Row{4095}, 4095.0 * 4095.0));
    EXPECT_FALSE(integer_row(Row{4095, 100}, 4095.0 * 4095.0 + 10000));
    EXPECT_TRUE(integer_row(Row{0x1p-149f, 3 * 0x1p-149f}, 10 * 0x1p-298));
}

TEST(Statistic, NamedOrderBoundsByItsHeight) {
    Row x(100);
    Rng g(1, 1, 1);
    for (float& v : x) v = gaussian(g);
    for (const Order* o : orders::all()) {
        const auto s = set_of("f32,cast_first,order=" + std::string(o->name), x, 1e-6);
        const auto c = find_order(o->name);
        const int h = o->height(Height{}, x.size(), c->p);
        EXPECT_LE(s.rho, bound_by_count(unit32, h) + 1.001 * unit32) << o->name;
        EXPECT_LE(s.rho, set_of("f32,cast_first", x, 1e-6).rho) << o->name;
        const float v = o->f32({x.data()}, x.size(), c->p) / 100 + 1e-6f;
        EXPECT_TRUE(holds(s, static_cast<float>(1 / std::sqrt(static_cast<double>(v))))) << o->name;
    }
}

}  // namespace
}  // namespace ulpgate
