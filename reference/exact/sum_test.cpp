#include "reference/exact/sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/exact/dyadic.hpp"

namespace ulpgate {
namespace {

using boost::multiprecision::cpp_int;

// Sum of squares by the definition: one exact product and one exact addition an element.
Dyadic plain_sum(const std::vector<float>& x) {
    Dyadic s;
    for (float v : x) s = s + dyadic(v) * dyadic(v);
    return s;
}

float any_finite(Rng& r, int lo_field, int hi_field, std::uint32_t mantissa_mask) {
    const auto bits = static_cast<std::uint32_t>(r.next());
    return std::bit_cast<float>((bits & (0x80000000u | mantissa_mask)) |
                                static_cast<std::uint32_t>(r.between(lo_field, hi_field)) << 23);
}

// The quick sum within its bound of the exact one, the same with and without lanes.
void expect_quick_within_bound(const std::vector<float>& x, const Dyadic& exact) {
    const double quick = quick_sum_of_squares(x);
    EXPECT_EQ(quick, portable::quick_sum_of_squares(x));
    const double height = static_cast<double>(x.size() / 32 + 6 + x.size() % 32) * (1 + 0x1p-30);
    Dyadic error = dyadic(quick) + Dyadic{-exact.m, exact.e};
    if (error.m < 0) error.m = -error.m;
    EXPECT_LE(compare(error, dyadic(height * 0x1p-53) * exact), 0) << x.size();
}

// |hi + lo - S| <= bound S, in integers; bound itself is a double.
void expect_within_bound(const std::vector<float>& x) {
    const SumOfSquares s = sum_of_squares(x), p = portable::sum_of_squares(x);
    EXPECT_EQ(s.hi, p.hi);
    EXPECT_EQ(s.lo, p.lo);
    EXPECT_EQ(s.relative_bound, p.relative_bound);
    EXPECT_EQ(s.hi, s.hi + s.lo);
    const Dyadic exact = exact_sum_of_squares(x);
    Dyadic error = dyadic(s.hi) + dyadic(s.lo) + Dyadic{-exact.m, exact.e};
    if (error.m < 0) error.m = -error.m;
    EXPECT_LE(compare(error, dyadic(s.relative_bound) * exact), 0) << x.size();
    expect_quick_within_bound(x, exact);
}

TEST(Sum, BinsEqualTheDefinition) {
    Rng r(1, 0, 0);
    for (int rep = 0; rep < 50; ++rep) {
        std::vector<float> x(static_cast<std::size_t>(r.between(0, 40)));
        for (float& v : x) v = any_finite(r, 0, 254, 0x7fffff);
        EXPECT_EQ(compare(exact_sum_of_squares(x), plain_sum(x)), 0);
    }
    const std::vector<float> largest(70000, std::numeric_limits<float>::max());  // more than one filling of the bins
    EXPECT_EQ(compare(exact_sum_of_squares(largest), Dyadic{70000, 0} * dyadic(largest[0]) * dyadic(largest[0])), 0);
}

TEST(Sum, KeepsItsBoundAtAnyMagnitude) {
    Rng r(2, 0, 0);
    for (int rep = 0; rep < 400; ++rep) {
        const int lo = r.between(0, 254), hi = std::min(254, lo + r.between(0, rep % 3 ? 30 : 254));
        const std::uint32_t mask = rep % 2 ? 0x7fffffu : 0x7f0000u;
        std::vector<float> x(static_cast<std::size_t>(r.between(0, rep % 20 ? 200 : 7200)));
        for (float& v : x) v = any_finite(r, lo, hi, mask);
        expect_within_bound(x);
    }
}

TEST(Sum, IsExactOnOrdinaryRowsAndSaysSo) {
    Rng r(3, 0, 0);
    for (std::uint32_t mask : {0xffff0000u, 0xffffffffu}) {
        std::vector<float> x(7168);
        for (float& v : x) v = any_finite(r, 110, 128, mask & 0x7fffff);
        const SumOfSquares s = sum_of_squares(x);
        EXPECT_EQ(s.relative_bound, 0);
        EXPECT_EQ(compare(dyadic(s.hi) + dyadic(s.lo), plain_sum(x)), 0);
        EXPECT_TRUE(s.lo != 0 || mask != 0xffffffffu);
    }
}

TEST(Sum, DoesNotCallARoundedSumExact) {
    // 2^60, 1 and 2^-60 fit no pair of doubles together with 2^120 + 1.
    const std::vector<float> x{0x1p60f, 1, 0x1p-60f};
    const SumOfSquares s = sum_of_squares(x);
    EXPECT_GT(s.relative_bound, 0);
    EXPECT_NE(compare(dyadic(s.hi) + dyadic(s.lo), plain_sum(x)), 0);
    expect_within_bound(x);
    EXPECT_EQ(sum_of_squares({}).hi, 0);
    const std::vector<float> zeros(33, -0.0f), one{0x1p-149f};
    EXPECT_EQ(sum_of_squares(zeros).hi, 0);
    EXPECT_EQ(sum_of_squares(one).hi, 0x1p-298);
    EXPECT_EQ(sum_of_squares(one).relative_bound, 0);
    expect_within_bound(std::vector<float>(65536, std::numeric_limits<float>::max()));
}

TEST(Sum, ExactnessIsDecidedAtItsThreshold) {
    // One small square beside a growing number of large ones: the claim "exact" must turn off before the first wrong sum.
    int exact = 0, bounded = 0;
    for (int gap = -5; gap < 60; ++gap)
        for (std::size_t d : {16u, 160u, 1600u}) {
            std::vector<float> x(d, std::ldexp(0x1.fffffep0f, gap));
            x[d / 2] = 0x1.000002p-10f;
            x[1] = 0x1.000002p-10f;
            const SumOfSquares s = sum_of_squares(x);
            (s.relative_bound == 0 ? exact : bounded)++;
            expect_within_bound(x);
        }
    EXPECT_GT(exact, 10);
    EXPECT_GT(bounded, 10);
}

TEST(Sum, SeesTheSmallestUnitInEveryLane) {
    for (std::size_t at = 0; at < 40; ++at) {
        std::vector<float> x(40, 0x1p31f);
        x[at] = 0x1.000002p0f;  // its square ends at 2^-46, 109 bits below the sum's first
        EXPECT_GT(sum_of_squares(x).relative_bound, 0);
        expect_within_bound(x);
    }
}

}  // namespace
}  // namespace ulpgate
