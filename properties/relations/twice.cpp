#include "properties/relations/change.hpp"

namespace ulpgate::relations {

PIECE(Relation, twice) = {
    "twice", "[x, x] with [w, w]: the same mean square up to the order of its sum, so the outputs twice", "",
    [](const Contract& c) { return mean_square(c) && c.stat_width == 0; },
    [](Rng&, Tensors& t, Link& link) {
        const auto d = t.find("x")->width();
        if (2 * d > 65536) return false;
        for (std::int64_t j = 0; j < 2 * d; ++j) link.column.push_back(j % d);
        Tensors out = laid_out(t, t.sizes[Dim::batch], t.sizes[Dim::tokens], 2 * d, 0, 0);
        for (Tensor& n : out.all)
            for (std::int64_t i = 0; n.spec->input() && i < n.rows(); ++i)
                copy_row(*t.find(n.spec->name), i, n, i, link.column);
        t = std::move(out);
        return true;
    },
    [](const RowPair& p) { return sums_exactly(p.x); }};

}  // namespace ulpgate::relations
