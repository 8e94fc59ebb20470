#include "properties/relations/change.hpp"

namespace ulpgate::relations {

PIECE(Relation, m3) = {
    "M3", "rows permuted, doubled, left out, regrouped into batches: each row's bits stay", "batch", any_formula,
    [](Rng& r, Tensors& t, Link& link) {
        const auto rows = t.find("x")->rows();
        if (rows == 0) return false;
        const auto batch = r.between(1, 4), tokens = r.between(1, 9);
        Tensors out = laid_out(t, batch, tokens, t.find("x")->width(), 0, 0);
        for (std::int64_t i = 0; i < batch * tokens; ++i) link.row.push_back(r.below(static_cast<std::uint32_t>(rows)));
        for (Tensor& n : out.all) {
            if (!n.spec->input()) continue;
            const Tensor& from = *t.find(n.spec->name);
            for (std::int64_t i = 0; i < n.rows(); ++i)
                copy_row(from, n.rank == 1 ? 0 : link.row[static_cast<std::size_t>(i)], n, i);
        }
        t = std::move(out);
        return true;
    },
    nullptr};

}  // namespace ulpgate::relations
