// ULP error, three ways, defined once.
//   fraction  (y - ideal) / ulp(ideal), signed, ideal *unrounded*; ulp(v) = 2^(max(floor(log2 |v|), emin) - p + 1), the
//             spacing of the format in the ideal's binade
//   steps     values of the format between y and the correctly rounded one, signed; -0 and +0 are one value
//   bias      the mean of signed steps or fractions over many outputs (kept by the caller)
// For ideal 1.0 and output pred(1.0): 0.5 (its binade's ulp is twice the gap below 1) and 1 step.
#pragma once
#include <cstdint>

#include "reference/formats/format.hpp"

namespace ulpgate {

// Spacing of t at |v|, subnormals included; v = 0 gives the smallest subnormal. v finite.
double ulp_at(Type t, double v);

// Signed error of y (a word of t) against the unrounded ideal value. Equal infinities or two NaNs: 0. One NaN, or an
// infinity against a value that the format can round to a finite one: +-infinity. Where the format has no infinity, NaN is
// the correct word of an ideal value that overflows.
double ulp_error(Type t, std::uint32_t y, double ideal);

// Signed steps from the correctly rounded word to y. NaN against NaN: 0; NaN against a number: INT64_MAX.
std::int64_t ulp_steps(Type t, std::uint32_t y, std::uint32_t correct);

}  // namespace ulpgate
