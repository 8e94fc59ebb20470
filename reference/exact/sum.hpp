// S = sum of x^2, exact where it fits two doubles, else with a proven bound.
//
// Squares of floats are exact in double (48 bits, 2^-298..2^256). 16 lanes (and 16 for the last d mod 16 values) add
// them with Knuth's TwoSum, whose error terms are exact; a second accumulator adds those. With u = 2^-53 and
// n = floor(d / 16) + 1, every partial sum of error terms is below (n + 32) u S and a multiple of 2^L, the square of the
// largest power of two that divides every x. So (n + 32) u S <= 2^(L + 53) proves that nothing was rounded:
// relative_bound = 0, as for nearly every real row. Otherwise one rounding of each partial sum of error terms gives
// relative_bound = (n (n + 1) / 2 + 64 (n + 33)) u^2 (1 + 2^-9).
#pragma once
#include <span>

namespace ulpgate {

struct SumOfSquares {
    double hi, lo;          // |hi + lo - S| <= relative_bound * S, hi = RN(hi + lo)
    double relative_bound;  // 0: exact
};

// x finite; x.size() <= 2^24. Empty: 0, exact.
SumOfSquares sum_of_squares(std::span<const float> x);

// In 32 lanes of doubles, a third of the time: within (floor(d/32) + 6 + d mod 32) 2^-53 (1 + 2^-30) of S, relative, for
// d < 2^19. x finite; d < 2^19.
double quick_sum_of_squares(std::span<const float> x);

namespace portable {  // the same bits without AVX2
SumOfSquares sum_of_squares(std::span<const float> x);
double quick_sum_of_squares(std::span<const float> x);
}

}  // namespace ulpgate
