#include "properties/relations/change.hpp"

#include <cmath>

namespace ulpgate::relations {

PIECE(Relation, m1) = {
    "M1", "x and residual times 2^k, eps times 4^k: the same bits", "", mean_square,
    [](Rng& r, Tensors& t, Link& link) {
        const int reach = t.contract.x == Type::fp16 ? 6 : 24;
        link.k = r.between(1, reach);
        if (r.below(2)) link.k = -link.k;
        scale(t.find("x"), link.k);
        scale(t.find("residual"), link.k);
        t.eps = std::ldexp(t.eps, 2 * link.k);
        return true;
    },
    // Scaled without a rounding: where one happened, the numbers are others.
    [](const RowPair& p) {
        return scaled_exactly(p.x, p.link.k, p.changed_x) && statistic_is_normal(p) && products_are_normal(p);
    }};

}  // namespace ulpgate::relations
