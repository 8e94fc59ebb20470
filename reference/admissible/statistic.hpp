// The contract's set of values for a row's one scalar r (or the rms where the map divides).
//
// With S the exact sum of squares, u = 2^-24, kappa = max(k, 1/2), eta = 2^-150 (2^-126 where FTZ is claimed), n the number
// of nonzero x, c the roundings of the mean, rho the bound on the sum:
//   V+ = ((S + n eta)(1+rho)(1+u)^c / d + eta + eps+)(1+u),  V- = (max(0, (S(1-rho) - n eta)(1-u)^c / d - eta) + eps-)(1-u)
//   r in [ V+^-1/2 (1 - 2 kappa u), V-^-1/2 (1 + 2 kappa u) ]
// Proof: reference/admissible/proof.md. The ends are rounded outward.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "reference/contract/contract.hpp"

namespace ulpgate {

struct StatisticSet {    // of the scalar: r, or the rms where the contract says by=div
    bool interval = false;  // [lo, hi] holds; both are positive floats, ends included
    float lo = 0, hi = 0;
    bool zero = false;  // 0 is allowed: r, where the sum may overflow or an input is infinite; the rms, where it may be 0
    bool inf = false;   // inf is allowed: r, where the statistic may be 0; the rms, where the sum may overflow
    bool nan = false;   // NaN is the only value: an input is NaN
    // The f32 sum overflows in every order: the specification gives 0 where real arithmetic does not. The interval holds
    // what a sum of wider range gives (f64, squares scaled by a power of two).
    bool spec_limit = false;
    double rho = 0;           // relative bound on the sum that was used
    double r = 0;             // 1/sqrt(S/d + eps) in real arithmetic, to 2^-50 relative; inf or 0 at the ends
};

// x: what the statistic sees (after the residual), exact in float. The reason when the contract's statistic has no proven
// slack: the verdict is then `unsupported`.
struct StatisticResult {
    StatisticSet set;
    std::string unsupported;  // "" or the field that has no proof, in words
};
StatisticResult statistic_set(const Contract&, std::span<const float> x, double eps);

// A part of that set at a fraction of its cost: every scalar that it allows, statistic_set allows too. A row that one of them
// gives needs no more; nothing follows where none does. spec_limit may be set where statistic_set's is not; r stays 0.
StatisticResult statistic_core(const Contract&, std::span<const float> x, double eps);

}  // namespace ulpgate
