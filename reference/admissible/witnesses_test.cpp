// Each constant of proof.md is reached: a row at which the rounding that it stands for errs by 0.9 of it or more, the scalar
// that comes of it in the set, and outside a set without the constant where that is more than the other constants' slack.
#include "reference/admissible/ways_test.hpp"

#include "reference/formats/format.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

constexpr double u = unit32;
double relative(double got, double exact) { return std::fabs(got - exact) / std::fabs(exact); }
float rounded_root(double v, bool div = false) { return static_cast<float>(root(v, div)); }

// Four integers with this sum of squares: an integer row, whose sum and mean are exact.
Row integer_squares(std::int64_t sum) {
    const auto whole = [](std::int64_t v) { return static_cast<std::int64_t>(std::sqrt(static_cast<double>(v))); };
    for (std::int64_t a = whole(sum); a >= 0; --a)
        for (std::int64_t b = whole(sum - a * a); b >= 0; --b)
            for (std::int64_t c = whole(sum - a * a - b * b), tries = 0; c >= 0 && tries < 40; --c, ++tries) {
                const std::int64_t rest = sum - a * a - b * b - c * c, e = whole(rest);
                if (e * e == rest)
                    return {static_cast<float>(a), static_cast<float>(b), static_cast<float>(c), static_cast<float>(e)};
            }
    return {};
}

// v = 1 - 2^-23: 1/sqrt(v) lies half an ulp above 1, where an ulp is 2u. Correctly rounded roots err by u, k ulps by 2ku.
TEST(Witness, Kappa) {
    const Row x = integer_squares((1 << 24) - 2);
    ASSERT_EQ(x.size(), 4u);
    const double v = (0x1p24 - 2) / 4, exact = 1 / std::sqrt(v);
    for (int k = 0; k <= 5; ++k) {
        const StatisticSet s = set_of("f32,cast_first,rsqrt=" + std::to_string(k), x, 0);
        double worst = 0;
        for (const bool above : {false, true}) {
            const float r = at_the_edge(exact, k, above);
            EXPECT_TRUE(holds(s, r)) << k;
            worst = std::max(worst, relative(static_cast<double>(r), exact));
        }
        EXPECT_GE(worst, 0.9 * 2 * std::max(k - 0.5, 0.5) * u) << k;
        if (k == 0) {
            EXPECT_GE(worst, 0.99 * u);
        }
    }
    // k whole ulps: 1/sqrt(v) a little above a power of two with k floats between.
    const Row y = integer_squares((1 << 24) - 4);  // r = 2^-11 (1 + 2^-23 + ...), next to a float
    const double near = 1 / std::sqrt((0x1p24 - 4) / 4);
    for (int k = 1; k <= 5; ++k) {
        const float r = at_the_edge(near, k, false), up = at_the_edge(near, k, true);
        const StatisticSet s = set_of("f32,cast_first,rsqrt=" + std::to_string(k), y, 0);
        EXPECT_TRUE(holds(s, r) && holds(s, up));
        EXPECT_GE(std::max(relative(static_cast<double>(up), near), relative(static_cast<double>(r), near)), 0.9 * 2 * k * u);
        EXPECT_FALSE(holds(set_of("f32,cast_first,rsqrt=" + std::to_string(k - 1), y, 0), at_the_edge(near, k + 1, true)));
    }
    // by=div: sqrt(v) just above a power of two.
    const Row z = integer_squares((1 << 22) + 4);
    const double rms = std::sqrt((0x1p22 + 4) / 4);
    for (int k = 1; k <= 3; ++k) {
        const float above = at_the_edge(rms, k, true), below = at_the_edge(rms, k, false);
        const StatisticSet s = set_of("f32,cast_first,by=div,rsqrt=" + std::to_string(k), z, 0);
        EXPECT_TRUE(holds(s, above) && holds(s, below));
        EXPECT_GE(std::max(relative(static_cast<double>(above), rms), relative(static_cast<double>(below), rms)), 0.9 * 2 * k * u);
        EXPECT_FALSE(holds(set_of("f32,cast_first,by=div,rsqrt=" + std::to_string(k - 1), z, 0),
                           at_the_edge(rms, k + 1, true)));
    }
}

// v = m + eps: 1 + 2^-24 (1 - 2^-20) goes down to 1.
TEST(Witness, LastAddition) {
    const double eps = 0x1p-24 * (1 - 0x1p-20), exact = 1 + eps;
    const float v = 1.0f + static_cast<float>(eps);
    EXPECT_GE(relative(static_cast<double>(v), exact), 0.99 * u);
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0", {1, 1, 1, 1}, eps), rounded_root(static_cast<double>(v))));
    // Both at once: v and 1/sqrt(v) err together by 5/4 u at most, of the 3/2 u of both bounds (proof.md 6).
    double worst = 0;
    for (std::uint64_t i = 0; i < 40000; ++i) {
        Rng g(61, 1, i);
        const auto m = static_cast<float>(g.between(200, 255)) * 0x1p-6f;
        const double e = static_cast<double>(g.below(1u << 24)) * 0x1p-26;
        const Row x{m, m, m, m};
        const float w = m * m + static_cast<float>(e);
        const float r = rounded_root(static_cast<double>(w));
        const StatisticSet s = set_of("f32,cast_first,rsqrt=0", x, e);
        ASSERT_TRUE(holds(s, r));
        const double q = static_cast<double>(m);
        worst = std::max(worst, relative(static_cast<double>(r), 1 / std::sqrt(q * q + static_cast<double>(static_cast<float>(e)))));
    }
    EXPECT_GE(worst, 0.9 * 1.25 * u);
    EXPECT_LE(worst, 1.2501 * u);
}

// c: the mean's roundings. Widths and integer sums at which a division errs by 0.99 u, a product with fl(1/d) by 1.9 u.
TEST(Witness, RoundingsOfTheMean) {
    double division = 0, product = 0;
    std::size_t product_d = 0;
    std::int64_t product_s = 0;
    for (std::int64_t d = 3; d < 8192; ++d) {
        const double inverse = relative(static_cast<double>(1 / static_cast<float>(d)), 1 / static_cast<double>(d));
        const bool candidate = inverse > 0.93 * u;
        for (std::int64_t s = d; s < d + (candidate ? 4000 : 4); ++s) {
            const std::int64_t sum = s << 10;
            if (sum >= 1 << 24) break;
            const auto f = static_cast<float>(sum);
            const double exact = static_cast<double>(sum) / static_cast<double>(d);
            division = std::max(division, relative(static_cast<double>(f / static_cast<float>(d)), exact));
            const double e = relative(static_cast<double>(f * (1 / static_cast<float>(d))), exact);
            if (e > product) product = e, product_d = static_cast<std::size_t>(d), product_s = sum;
        }
    }
    EXPECT_GE(division, 0.99 * u);
    EXPECT_GE(product, 1.8 * u) << product_d;
    // The worst product as a row: it is in the set of mean=recip, and of mean=any.
    Row x = integer_squares(product_s);
    ASSERT_EQ(x.size(), 4u);
    x.resize(product_d);
    const float m = static_cast<float>(product_s) * (1 / static_cast<float>(product_d));
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0,mean=recip", x, 0), rounded_root(static_cast<double>(m))));
    for (const bool above : {false, true})
        EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=1", x, 0), at_the_edge(1 / std::sqrt(static_cast<double>(m)), 1, above)));
    // c = 2, 1, 0 as the half-widths tell them apart.
    const auto half = [&](const std::string& text, const Row& row) {
        const StatisticSet s = set_of("f32,cast_first,rsqrt=0" + text, row, 0);
        return std::log(static_cast<double>(s.hi) / static_cast<double>(s.lo)) / 2 / u;
    };
    const Row plain = {3, 0, 0, 0, 0}, power = {3, 0, 0, 0};
    EXPECT_NEAR(half(",mean=recip", plain), 2.5, 0.8);
    EXPECT_GT(half(",mean=recip", plain), half(",mean=div", plain));
    EXPECT_GE(half(",mean=div", plain) + 1, half("", power) + 0.4);
}

// The last rounding of an f64 sum: 2^24 + 1 is half an ulp from 2^24.
TEST(Witness, SumKeptInF64) {
    const Row x = integer_squares((1 << 24) + 1);
    const auto kept = static_cast<float>(0x1p24 + 1);
    EXPECT_GE(relative(static_cast<double>(kept), 0x1p24 + 1), 0.99 * u);
    const StatisticSet s = set_of("f32,cast_first,rsqrt=1,acc=f64", x, 0);
    for (const bool above : {false, true})
        EXPECT_TRUE(holds(s, at_the_edge(1 / std::sqrt(static_cast<double>(kept) / 4), 1, above)));
    EXPECT_LT(s.rho, 0x1p-50);
    // The sum, v = 2^22 + 0.25- and the root all err one way: 1/2 u, 1/2 u and 2u of r.
    const double eps = 0x1.ffp-3;
    const float v = kept / 4 + static_cast<float>(eps), r = at_the_edge(1 / std::sqrt(static_cast<double>(v)), 1, true);
    const double exact = 1 / std::sqrt((0x1p24 + 1) / 4 + eps);
    EXPECT_GE(relative(static_cast<double>(r), exact), 0.99 * 3 * u);
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=1,acc=f64", x, eps), r));
}

// rho by count where sums are kept in f64: 7168 terms just below half an ulp of the f64 sum, lost one by one.
TEST(Witness, AdditionsInF64) {
    constexpr std::size_t n = 7169;
    const float small = std::sqrt(0.999f * 0x1p-53f);
    Row x(n, small);
    x[0] = 1;
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    ASSERT_EQ(sum, 1);
    const double lost = static_cast<double>(n - 1) * static_cast<double>(small) * static_cast<double>(small), rho = set_of("f32,cast_first,acc=f64,sq=f64", x, 0).rho;
    EXPECT_LE(lost / (1 + lost), rho);
    EXPECT_GE(lost / (1 + lost), 0.9 * rho);
}

// Squares that f32 does not hold: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 is a tie.
TEST(Witness, RoundedSquares) {
    const float x = 0x1.001p0f, square = x * x;
    EXPECT_GE(relative(static_cast<double>(square), static_cast<double>(x) * static_cast<double>(x)), 0.99 * u);
    const StatisticSet s = set_of("f32,cast_first,rsqrt=0", {x, 0, 0, 0}, 0);
    EXPECT_EQ(s.rho, u);
    EXPECT_TRUE(holds(s, rounded_root(static_cast<double>(square) / 4)));
}

// eta of a square: 2^-75 squared is half of the smallest subnormal and goes to 0, in every column.
TEST(Witness, EtaOfTheSquares) {
    Row x(64, 0x1p-75f);
    x[0] = 0x1p-72f;
    float sum = 0;
    for (const float v : x) sum += v * v;
    const double exact = 0x1p-144 + 63 * 0x1p-150;
    EXPECT_GE(std::fabs(static_cast<double>(sum) - exact), 0.9 * 64 * tiny32);
    EXPECT_EQ(sum / 64, 0) << "2^-150: a tie that goes to 0";
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0", x, 0), finf));
}

// eta of the mean: 2^-148 / 4 = 2^-150 goes to 0; the square is exact.
TEST(Witness, EtaOfTheMean) {
    const Row x{0x1p-74f, 0, 0, 0};
    EXPECT_EQ(x[0] * x[0], 0x1p-148f);
    EXPECT_EQ(x[0] * x[0] / 4, 0);
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0", x, 0), finf));
    const Row larger{0x1p-73f, 0, 0, 0};
    EXPECT_FALSE(holds(set_of("f32,cast_first,rsqrt=0", larger, 0), finf));
}

// eta where sums may be flushed: values just below 2^-126 count as 0, one by one.
TEST(Witness, EtaOfFlushedSums) {
    Row x(50, 0x1.ffp-64f);  // 0.996 2^-126
    x[0] = 0x1p-61f;
    const float kept = x[0] * x[0], m = kept / 50;
    const double lost = 49 * static_cast<double>(x[1]) * static_cast<double>(x[1]);
    EXPECT_GE(lost, 0.9 * 50 * 0x1p-126);
    EXPECT_LT(m, 0x1p-126f) << "flushed as well";
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0,ftz=sum", x, 0), finf));
    EXPECT_FALSE(holds(set_of("f32,cast_first,rsqrt=0", x, 0), finf));
    x[0] = 0x1p-57f;
    const float v = x[0] * x[0] / 50;
    ASSERT_GE(v, 0x1p-126f);
    EXPECT_TRUE(holds(set_of("f32,cast_first,rsqrt=0,ftz=sum", x, 0), rounded_root(static_cast<double>(v))));
}

// rho by height: a value in the deepest leaf, one lost half ulp at each node above it, every other leaf too small to matter
// but not 0, so that the count and the data say far more.
TEST(Witness, HeightOfEveryNamedOrder) {
    constexpr std::size_t d = 512;
    for (const Order* o : orders::all()) {
        const auto choice = find_order(o->name);
        const auto sum = [&](const Row& x) { return o->f32({x.data()}, d, choice->p); };
        double best = 0;
        for (const std::size_t leaf : {0u, 1u, 255u, 511u}) {
            Row x(d, 0x1p-60f);
            x[leaf] = 1;
            double exact = 1;
            for (std::size_t j = 0; j < d; ++j) {
                if (j == leaf) continue;
                x[j] = 0x1.fcp-13f;  // its square is 0.98 of half an ulp: lost alone, seen where two meet first
                if (sum(x) != 1)
                    x[j] = 0x1p-60f;
                else
                    exact += 0x1.fcp-13 * 0x1.fcp-13;
            }
            const StatisticSet s = set_of("f32,cast_first,rsqrt=0,order=" + std::string(o->name), x, 0);
            const float r = rounded_root(static_cast<double>(sum(x) / static_cast<float>(d)));
            EXPECT_TRUE(holds(s, r)) << o->name;
            best = std::max(best, relative(1, exact) / s.rho);
        }
        EXPECT_GE(best, 0.9) << o->name;
        EXPECT_LE(best, 1) << o->name;
    }
}

// Why C_m grows by 1 + 2nu: a sum just below 2, carried to it by squares a little above half an ulp, goes on rounding up by
// twice as much while the exact C_m are still below 2.
TEST(Witness, GrowthOfTheDataBound) {
    const float small = std::sqrt(1.01f * 0x1p-24f), large = std::sqrt(1.01f * 0x1p-23f);
    Row x{std::sqrt(2 - 2000 * 0x1p-24f)};
    float sum = x[0] * x[0];
    const auto add = [&](float v) {
        x.push_back(v);
        sum = std::fma(v, v, sum);
    };
    while (sum < 2) add(small);
    const std::size_t first = x.size();
    for (std::size_t j = 0; j < first * 9 / 20; ++j) add(large);
    double exact = 0;
    for (const float v : x) exact += static_cast<double>(v) * static_cast<double>(v);
    ASSERT_LT(exact, 2);
    ASSERT_GT(relative(static_cast<double>(sum), exact) * exact, 1.2 * static_cast<double>(x.size()) * u);
    const StatisticSet s = set_of("f32,cast_first,rsqrt=0", x, 0);
    EXPECT_TRUE(holds(s, rounded_root(static_cast<double>(sum / static_cast<float>(x.size())))));
}

// rho from the data, largest first: every term is lost.
TEST(Witness, DataBound) {
    for (const std::size_t n : {2u, 3u, 10u, 64u, 1000u, 7169u}) {
        Row x(n, 0x1.ffp-13f);
        x[0] = 1;
        float sum = 0;
        double exact = 0;
        for (const float v : x) sum += v * v, exact += static_cast<double>(v) * static_cast<double>(v);
        const StatisticSet s = set_of("f32,cast_first,rsqrt=0", x, 0);
        EXPECT_GE(relative(static_cast<double>(sum), exact), 0.9 * s.rho) << n;
        EXPECT_TRUE(holds(s, rounded_root(static_cast<double>(sum / static_cast<float>(n))))) << n;
    }
}

}  // namespace
}  // namespace ulpgate
