#include "reference/stages/contributions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulpgate {
namespace {

// Two elements of two stages by hand: (1/2, -1/4) and (0, 3/2), errors 1/4 and 3/2, their squares 37/16 together.
TEST(Contributions, ByHand) {
    Contributions c(2);
    c.add(std::vector<double>{0.5, -0.25}, 3, 7);
    c.add(std::vector<double>{0, 1.5}, 4, 8);
    c.add_row(std::vector<double>{2});
    c.add_row(std::vector<double>{-4});
    EXPECT_EQ(c.elements(), 2);
    EXPECT_EQ(c.worst_ulp(), 1.5);
    EXPECT_EQ(c.bias_ulp(), 0.875);
    EXPECT_DOUBLE_EQ(c.rms_ulp(), std::sqrt(37.0 / 32));
    const auto s = c.shares();
    EXPECT_DOUBLE_EQ(s[0].share, 2 / 37.0);
    EXPECT_DOUBLE_EQ(s[1].share, 35 / 37.0);
    EXPECT_DOUBLE_EQ(s[0].rms_ulp, std::sqrt(1 / 8.0));
    EXPECT_EQ(s[0].worst_ulp, 0.5);
    EXPECT_EQ(s[0].bias_ulp, 0.25);
    EXPECT_EQ(s[1].bias_ulp, 0.625);
    EXPECT_EQ(s[1].worst_row, 4);
    EXPECT_EQ(s[1].worst_col, 8);
    EXPECT_DOUBLE_EQ(s[0].rms_ulp32, std::sqrt(10.0));
    EXPECT_EQ(s[0].worst_ulp32, 4);
    EXPECT_EQ(s[0].by_size, (std::map<int, std::int64_t>{{smallest_size, 1}, {-1, 1}})) << "an octave holds its lower end";
    EXPECT_EQ(s[1].by_size, (std::map<int, std::int64_t>{{-2, 1}, {0, 1}}));
}

TEST(Contributions, StagesThatCancelHaveNoShare) {
    Contributions c(2);
    c.add(std::vector<double>{1, -1}, 0, 0);
    EXPECT_TRUE(std::isnan(c.shares()[0].share));
}

}  // namespace
}  // namespace ulpgate
