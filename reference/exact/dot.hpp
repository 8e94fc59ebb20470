// s = sum of a_k w_k + extra, exact or with a proven bound, in up to three steps.
//
// Products are exact in double: 24 significant bits of a, 24 of w (or 4 of an e4m3 code times 24 of its scale). All terms
// are multiples of 2^L, L the sum of the factors' lowest bits; M = sum of |terms|; u = 2^-53; n = ceil(count / 8) + 8.
//   1  f64 in 8 lanes          exact if M < 2^(L+53): then no partial sum rounds, in any order; else error <= n u M
//   2  TwoSum (sum.hpp)        exact if (n + 16) u M <= 2^(L+53): no sum of error terms rounds; else
//                              error <= (n (n + 1) / 2 + 64 (n + 17)) u^2 M (1 + 2^-9)
//   3  integers                exact
// A step is taken only where the one before does not decide how the sum rounds.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reference/formats/format.hpp"

namespace ulpgate {

class DotVector {  // one vector that meets many rows of a matrix; keeps a view of it
  public:
    explicit DotVector(std::span<const float> a);
    std::span<const float> a;
    int unit = 0;               // every finite a is a multiple of 2^unit
    std::int64_t nonzero = 0;
    bool finite = true;
};

// What every value of a row is a multiple of, and whether one is 0 or not finite: kept by who meets the row again.
struct WeightFacts {
    explicit WeightFacts(std::span<const float> w);
    int unit = 0;  // every finite one is a multiple of 2^unit
    bool ordinary = false;  // all finite, none 0
};

struct WeightRow {
    std::span<const float> w;      // as many as a; an e4m3 weight's codes
    std::span<const float> scale;  // of each `block` columns; empty: 1
    std::int64_t block = 1;
    const WeightFacts* facts = nullptr;  // of w; null: collected by each sum
};

struct DotSum {
    double value = 0, low = 0;  // value = RN(value + low), |value + low - s| <= error
    double error = 0;           // 0: exact
    double magnitude = 0;       // M, rounded up
    int unit = 0;               // L
    std::int64_t terms = 0;     // that are not 0, extra included
    int level = 0;              // 1, 2, 3; 0: not finite, value holds IEEE's answer in any order
    // Every partial sum of every order is an f32: magnitude < 2^(L+24), within the range.
    bool exact_in_f32() const;
};

struct DotCounts {  // how many sums each step was the last one for
    std::uint64_t level[4] = {};
};

DotSum dot(const DotVector&, const WeightRow&, double extra = 0);
DotSum dot_twosum(const DotVector&, const WeightRow&, double extra = 0);
// value: the sum rounded to odd at 53 bits: rounds to every format as the sum itself does. error: 0.
DotSum dot_integers(const DotVector&, const WeightRow&, double extra = 0);

// RN_t(s): takes further steps as needed, and leaves the last one in d.
std::uint32_t round_dot(Type t, const DotVector&, const WeightRow&, double extra, DotSum& d, DotCounts* = nullptr);

namespace portable {  // the same bits without AVX2
DotSum dot(const DotVector&, const WeightRow&, double extra = 0);
DotSum dot_twosum(const DotVector&, const WeightRow&, double extra = 0);
}

}  // namespace ulpgate
