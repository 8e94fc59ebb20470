#include "properties/relations/change.hpp"

namespace ulpgate::relations {

PIECE(Relation, m5) = {
    "M5", "w times 2^k: outputs times 2^k", "",
    [](const Contract& c) { return mean_square(c) && c.gain == Gain::given; },
    [](Rng& r, Tensors& t, Link& link) {
        const int reach = t.contract.w == Type::fp16 ? 4 : 24;
        link.k = r.between(1, reach);
        if (r.below(2)) link.k = -link.k;
        scale(t.find("w"), link.k);
        link.scale = link.k;
        return true;
    },
    [](const RowPair& p) { return scaled_exactly(p.w, p.link.k, p.changed_w) && products_are_normal(p); }};

}  // namespace ulpgate::relations
