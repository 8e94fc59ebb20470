// The values that a faulty model's row scalar can take, over every order of summation and every allowed form of the root.
//
// The sum is bounded as in reference/admissible: s in [S(1 - rho) - n eta, S(1 + rho) + n eta]. The lines after it are monotone in s;
// they are run at both ends and moved outward by (8 + 4 kappa) u for the roundings of other forms: each line has condition
// number at most 1 (a product, a root, a sum of non-negative terms), so at most eight of them move r by 8u. A fault in the sum
// itself has no such bound: it is run in each order of the bank instead.
#pragma once
#include <span>

#include "reference/admissible/statistic.hpp"
#include "reference/model/model.hpp"

namespace ulpgate::naming {

struct Row {
    std::span<const float> statistic;  // what the statistic sees
    std::span<const float> partner;    // the same of the row that a fault adds; empty: none
    std::span<const float> spilled;    // values after the row's end that a fault adds
    double eps;
};

struct Range {
    double lo = 0, hi = 0;  // of the scalar; a point where lo == hi, NaN where it is NaN
};

struct SumRange {
    double lo = 0, hi = 0;
    bool special = false;  // NaN, Inf or nothing to sum: the model itself is run
};

// The sum of squares of what the model counts.
SumRange sum_range(const Model&, const Row&);
// From the sum on. m.scale, where there is one, is applied last: its values alone are possible.
Range scalar_range(const Model&, const Row&, SumRange);
// A fault that changes the sum: in the model's own order. Where the orders of the bank give nearly the same sum, all of them.
Range ordered_range(const Model&, const Row&);
// The same given the sums: in the model's order, and in two others.
struct Sums {
    double own, sequential, pairwise;
};
Sums ordered_sums(const Model&, const Row&);
Range ordered_range(const Model&, const Row&, Sums);

// Whether some scalar of the range that the model can give lies in [lo, hi].
bool meets(const Model&, Range, float lo, float hi);

}  // namespace ulpgate::naming
