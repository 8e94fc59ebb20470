#include "fuzz/record/record.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ulpgate::fuzzing {
namespace {

TEST(Record, FiresOnlyAboveTheLargestSoFar) {
    EXPECT_TRUE(record(3, 1));
    EXPECT_FALSE(record(3, 1));
    EXPECT_FALSE(record(3, 1.01)) << "less than 1/32 of an octave";
    EXPECT_TRUE(record(3, 1.05));
    EXPECT_FALSE(record(3, 0.5));
    EXPECT_TRUE(record(2, 0.5)) << "each number has its own scale";
    for (const double v : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) EXPECT_FALSE(record(1, v));
    EXPECT_TRUE(record(1, 1e-30)) << "below every class: the first";
    EXPECT_TRUE(record(1, std::numeric_limits<double>::infinity()));
    EXPECT_FALSE(record(1, 1e300));
}

}  // namespace
}  // namespace ulpgate::fuzzing
