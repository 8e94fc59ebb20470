#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

PIECE(Fault, fastmath_finite) = {
    .kind = "fastmath.finite",
    .stage = Stage::mean,
    .line = "m = fmax(S / d, 0): a NaN becomes 0",
    .fix = "compile without -ffinite-math-only, and do not guard the mean square with fmax",
    .change = [](Model& m) { m.mean = [](const Moments& s, double) { return std::fmax(s.s / s.n, 0.0f); }; },
    .needs = "a NaN",
};

}  // namespace ulpgate::faults
