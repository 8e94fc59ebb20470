// What may stand at each column, over every scalar of the contract's set: for a witness ("allowed 3fd5 got 3fd4") and to
// count outputs outside. f is monotone in the scalar, so its values at both ends bound all others. This judges columns one by
// one; that one scalar explains them together is the row set's question.
#pragma once
#include <cstdint>
#include <span>

#include "reference/admissible/statistic.hpp"
#include "reference/maps/map.hpp"

namespace ulpgate {

struct ElementSet {
    std::uint32_t lo = 0, hi = 0;  // words of the output type, lo <= hi on the line of values with -0 before +0
    bool nan = false;              // NaN is allowed; alone where lo is a NaN
};
bool allows(Type y, const ElementSet&, std::uint32_t word);

// sets.size() == x.size(). The set of an association left open is the union over its pieces: join.
void element_sets(const MapPiece&, const MapTypes&, std::span<const float> x, std::span<const float> w,
                  const StatisticSet&, std::span<ElementSet> sets);
ElementSet join(Type y, const ElementSet&, const ElementSet&);

}  // namespace ulpgate
