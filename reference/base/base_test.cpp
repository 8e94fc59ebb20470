#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/base/hash.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/rng.hpp"
#include "reference/base/text.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

TEST(Hexfloat, WritesNormalisedDigitsAndReadsThemBack) {
    EXPECT_EQ(hexfloat(1.5), "0x1.8p+0");
    EXPECT_EQ(hexfloat(-0.0), "-0x0p+0");
    EXPECT_EQ(hexfloat(std::numeric_limits<double>::denorm_min()), "0x1p-1074");
    EXPECT_EQ(hexfloat(-std::numeric_limits<double>::infinity()), "-inf");
    for (double v : {1.0, -2.5, 1e-6, 0x1.fffffffffffffp+1023, 0x1p-1074, 0x1.23456789abcdep-500})
        EXPECT_EQ(read_float(hexfloat(v)), v);
    EXPECT_EQ(read_float("1e-6"), 1e-6);
    for (auto bad : {"", "-", "--1", "+1", "0x", "0x-1p0", "1.5z", "1 "}) EXPECT_FALSE(read_float(bad)) << bad;
}

TEST(Text, NearestOffersOnlyCloseWords) {
    EXPECT_EQ(nearest("gaussain", {"integer", "gaussian", "ties"}), "gaussian");
    EXPECT_EQ(nearest("zzzzzz", {"integer", "gaussian"}), "");
}

TEST(Rng, IsTheSameEverywhere) {
    // Values computed by an independent implementation of the formula in Python integers.
    Rng r(7, 1, 0);
    EXPECT_EQ(r.next(), 0x2e132b7270a06067u);
    EXPECT_EQ(r.next(), 0xdeeb16e7f6140372u);
    EXPECT_EQ(r.next(), 0xa94019fd640d2ff3u);
    EXPECT_NE(Rng(7, 1, 1).next(), Rng(7, 1, 0).next());
    double sum = 0, squares = 0;
    for (int k = 0; k < 100000; ++k) {
        const double g = r.gauss() / 65536.0;
        sum += g;
        squares += g * g;
    }
    EXPECT_NEAR(sum / 100000, 0, 0.02);
    EXPECT_NEAR(squares / 100000, 1, 0.02);
}

TEST(Orders, ReadsParametersWholeOrNotAtAll) {
    EXPECT_TRUE(find_order("sequential"));
    EXPECT_FALSE(find_order("sequential:8"));
    EXPECT_FALSE(find_order("none"));
}

}  // namespace
}  // namespace ulpgate
