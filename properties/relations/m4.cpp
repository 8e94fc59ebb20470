#include "properties/relations/change.hpp"

namespace ulpgate::relations {

PIECE(Relation, m4) = {
    "M4", "other row strides and other addresses: the same bits", "align.stride", any_formula,
    [](Rng& r, Tensors& t, Link&) {
        const auto d = t.find("x")->width();
        Tensors out = laid_out(t, t.sizes[Dim::batch], t.sizes[Dim::tokens], d, d + r.between(0, 17), d + r.between(0, 9));
        out.offset = r.between(0, 15);
        for (Tensor& n : out.all)
            for (std::int64_t i = 0; n.spec->input() && i < n.rows(); ++i) copy_row(*t.find(n.spec->name), i, n, i);
        t = std::move(out);
        return true;
    },
    nullptr};

}  // namespace ulpgate::relations
