// Rows of integers whose squares add up to a chosen number below 2^24: every partial sum is exact in f32, in any order.
#pragma once
#include <cstdint>
#include <span>

#include "reference/base/rng.hpp"

namespace ulpgate {

// x[j] = m, the others random up to `top` in magnitude, then what is missing, the largest first. False: it does not come out.
bool integer_row(Rng&, double top, std::span<float> x, std::uint32_t j, double m, double target);

}  // namespace ulpgate
