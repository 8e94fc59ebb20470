#include "properties/judge/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

// Every bin holds its lower edge and not the value just below it.
TEST(ErrorHistogram, EdgesBelongToTheirOwnBin) {
    for (int k = 0; k < ErrorHistogram::bins - 1; ++k) {
        const double edge = ErrorHistogram::lower(k);
        EXPECT_EQ(ErrorHistogram::bin(edge), k);
        EXPECT_EQ(ErrorHistogram::bin(-edge), k);
        if (k) {
            EXPECT_EQ(ErrorHistogram::bin(std::nextafter(edge, 0.0)), k - 1);
        }
    }
    EXPECT_EQ(ErrorHistogram::lower(8), 0.5);
    EXPECT_EQ(ErrorHistogram::lower(33), 4);
}

TEST(ErrorHistogram, WhatIsNotFiniteHasItsOwnBin) {
    EXPECT_EQ(ErrorHistogram::bin(std::numeric_limits<double>::quiet_NaN()), ErrorHistogram::not_finite);
    EXPECT_EQ(ErrorHistogram::bin(-std::numeric_limits<double>::infinity()), ErrorHistogram::not_finite);
    EXPECT_EQ(ErrorHistogram::bin(std::numeric_limits<double>::max()), ErrorHistogram::not_finite - 1);
}

TEST(RmsOctave, PowersOfTwoBeginAnOctave) {
    EXPECT_EQ(rms_octave(1), 0);
    EXPECT_EQ(rms_octave(std::nextafter(1.0, 0.0)), -1);
    EXPECT_EQ(rms_octave(std::ldexp(1, -140)), -140);
    EXPECT_EQ(rms_octave(0), zero_row);
}

}  // namespace
}  // namespace ulpgate
