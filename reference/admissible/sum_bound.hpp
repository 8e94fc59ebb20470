// How far an f32 sum of squares can be from the exact one when nothing is known about its order: from the row alone.
#pragma once
#include <cstdint>
#include <span>

namespace ulpgate {

inline constexpr double unit32 = 0x1p-24;  // unit roundoff of f32
inline constexpr double tiny32 = 0x1p-150; // largest error of rounding to an f32 subnormal

struct RowFacts {
    std::int64_t nonzero = 0;
    bool nan = false, inf = false;
    bool short_values = false;  // at most 12 significant bits: x^2 is an f32 unless it falls below 2^-126
};
RowFacts row_facts(std::span<const float> x);
// In the same pass the sum of squares, as quick_sum_of_squares has it (of no use where there is a NaN or an Inf).
RowFacts row_facts(std::span<const float> x, double& sum);

// x = m 2^k with sum of m^2 < 2^24: every square and every partial sum is exact in f32, in every order. x finite; sum: of
// its squares, to 2^-50.
bool integer_row(std::span<const float> x, double sum);

// Bounds on |computed - exact| / exact for a sum of non-negative terms by n - 1 binary additions in any order, each to
// nearest with unit roundoff u.
double bound_by_count(double u, std::int64_t additions);  // (1 + u)^additions - 1
// sum over m = 2..n of u ufp(C_m (1 + 2 n u)), C_m the sum of the m largest squares: a tree has at most n - m + 1 nodes
// with m or more nonzero leaves. Attained, and far below the count where few terms carry the sum. sum > 0.
double bound_by_data(std::span<const float> x, std::int64_t nonzero, double sum);
// At most bound_by_data, whatever the row: C_m is at least m/n of the sum, ufp(C) at least C/2. A third of it on Gaussian rows.
double least_bound_by_data(std::int64_t nonzero);

}  // namespace ulpgate
