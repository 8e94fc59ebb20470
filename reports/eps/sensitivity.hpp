// What eps does to the outputs of given rows, and which eps a subject's own outputs show.
//
//   d ln y / d ln eps = -1/2 eps / (v + eps),  v the mean square.
// From eps1 to eps2 > eps1, p significand bits: |ln(y1 / y2)| = 1/2 ln[(v + eps2) / (v + eps1)] exceeds a relative ulp
// 2^(1-p) (that of the smallest significand, so every output moves by one) iff v <= (eps2 - K eps1) / (K - 1),
// K = exp(2^(2-p)), and 2^-p (the largest significand's, so that some do) iff the same holds with K = exp(2^(1-p)). Of d
// outputs about one changes where v = 1/2 (eps2 - eps1) log2(e) 2^(p-1) d.
#pragma once
#include <span>
#include <string>

#include "reference/contract/contract.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

// The three rms thresholds of an EpsMove between two eps in either order; its counts are left 0.
EpsMove eps_thresholds(Type, double eps, double other, std::int64_t d);

// eps values that a scalar interval of one row allows: r within [lo, hi] (the rms where the map divides), x what the statistic
// sees. Every error that the contract allows the sum, mean, addition and rsqrt is in it. Empty: lo > hi.
struct EpsInterval {
    double lo = 0, hi = 0;
};
EpsInterval eps_of_row(const Contract&, float lo, float hi, std::span<const float> x);

}  // namespace ulpgate
