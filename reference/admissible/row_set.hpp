// Is there one r with which the element map gives this whole row, bit for bit? f is monotone in r, so each output gives an
// interval of floats and bisection gives the exact interval that reproduces all of them. No order and no bound enters.
#pragma once
#include <cstdint>
#include <span>

#include "reference/admissible/statistic.hpp"
#include "reference/maps/map.hpp"

namespace ulpgate {

struct RowSet {
    bool any = false;       // some r in [lo, hi] reproduces every output
    float lo = 0, hi = 0;   // the exact interval of positive floats; 0 and inf included where they reproduce it
    std::int64_t col = -1;  // when empty: the column that cannot be joined with those before it
};

// All r, from 0 to inf. y: the outputs' values, NaN matched by any NaN.
RowSet reproduce(const MapPiece&, const MapTypes&, std::span<const float> x, std::span<const float> w,
                 std::span<const float> y, Narrow = narrow_nearest);

// The same within the contract's set only: the fast path of a gate. any: the row is allowed, and each scalar in [lo, hi] is
// one that shows it (often the middle of the set alone: reproduce says how far it goes).
RowSet reproduce_within(const MapPiece&, const MapTypes&, std::span<const float> x, std::span<const float> w,
                        std::span<const float> y, const StatisticSet&,
                        Narrow = narrow_nearest);

}  // namespace ulpgate
