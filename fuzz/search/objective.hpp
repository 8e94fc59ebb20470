// What a search makes large, and how it is read from one row of inputs and outputs.
//
//   r        |r - r0| in ulp32 of r0 = 1/sqrt(S/d + eps), S exact: the smallest that the outputs allow
//   outside  how far r lies outside the contract's interval, in ulp32; negative inside: its distance from the nearer end
//   ulp      the largest error of an output in its ulps, against real arithmetic, where x r is normal in the type of x: below it
//            has no bound, for T(x r) is off by half of a fixed step, which a gain multiplies
//   eps      |e / eps - 1| where e = 1/r^2 - S/d is the eps that the outputs show; rows with S/d <= eps only
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/contract/contract.hpp"

namespace ulpgate::fuzzing {

enum class Objective { r, outside, ulp, eps };
inline constexpr std::string_view objective_names[] = {"r", "outside", "ulp", "eps"};
std::optional<Objective> objective_of(std::string_view);
std::string_view unit_of(Objective);  // "ulp32", "ulp", "of eps"

struct RowOutputs {
    const Contract* contract;
    std::span<const float> x, w, y;  // values, d each; w empty: no gain
    double eps;
    // Where to read r, distinct inputs first; empty: wherever x changes. Any column tells the truth.
    std::span<const std::int64_t> columns;
};

inline constexpr double nothing = -std::numeric_limits<double>::infinity();

// `nothing` where the row shows nothing: an input or output that is not finite, no finite r.
double value_of(Objective, const RowOutputs&);
// The largest value that the contract allows on this row; inf where it has no bound.
double allowed_on(Objective, const RowOutputs&);

// Whether f32 outputs show r to about an ulp: else the outputs' own rounding hides it.
bool shows_r(const Contract&);

// S of the row in f64: relative error below d 2^-53.
double sum_of_squares(std::span<const float> x);

}  // namespace ulpgate::fuzzing
