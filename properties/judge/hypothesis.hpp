// What outputs are compared with: a contract with one association, its element map, and which statistic set
// it needs.
#pragma once
#include <string>
#include <vector>

#include "reference/admissible/statistic.hpp"
#include "reference/maps/map.hpp"

namespace ulpgate::judging {

struct Hypothesis {
    Contract contract;  // assoc resolved
    const MapPiece* piece = nullptr;
    MapTypes types{};
    std::size_t statistic = 0;  // index into Hypotheses::statistics
};

struct Hypotheses {
    std::vector<Hypothesis> all;
    std::vector<Contract> statistics;  // one of each kind of set that is needed
    bool add(
        const Contract&);  // every association that the contract allows; false: already there, or no such map
};

// Why outputs of this contract cannot be judged here, or "".
std::string not_judged(const Contract&, bool has_residual);

// What inference tries: both gain orders by multiplying and dividing, each association, the gain as given,
// 1+w in f32 and in T, and with a residual its four mixes; all else as in base.
std::vector<Contract> candidates(const Contract& base);

// base with the widest statistic of its kind: any order, any mean, rsqrt=2 at least.
Contract widened(Contract base);

}  // namespace ulpgate::judging
