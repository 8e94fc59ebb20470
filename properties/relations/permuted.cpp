#include "properties/relations/change.hpp"

#include <numeric>

namespace ulpgate::relations {

PIECE(Relation, permuted) = {
    "permuted", "columns of x, residual and w permuted alike: the outputs permuted, up to the order of the sum", "",
    [](const Contract& c) { return mean_square(c) && c.stat_width == 0; },
    [](Rng& r, Tensors& t, Link& link) {
        const auto d = t.find("x")->width();
        link.column.resize(static_cast<std::size_t>(d));
        std::iota(link.column.begin(), link.column.end(), std::int64_t{0});
        for (std::size_t j = link.column.size(); j > 1; --j)
            std::swap(link.column[j - 1], link.column[r.below(static_cast<std::uint32_t>(j))]);
        const Tensors from = t;
        for (Tensor& n : t.all)
            for (std::int64_t i = 0; n.spec->input() && i < n.rows(); ++i)
                copy_row(*from.find(n.spec->name), i, n, i, link.column);
        return true;
    },
    [](const RowPair& p) { return sums_exactly(p.x); }};

}  // namespace ulpgate::relations
