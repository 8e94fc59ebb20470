#include "properties/relations/change.hpp"

#include <algorithm>

namespace ulpgate::relations {
namespace {

void flip(Tensor& t, std::int64_t at) { t.set_word(at, t.word(at) ^ 1u << (bytes(t.type) * 8 - 1)); }

}  // namespace

PIECE(Relation, m2) = {
    "M2", "a sign flipped in x or in w flips the sign of that output and nothing else", "", mean_square,
    [](Rng& r, Tensors& t, Link& link) {
        Tensor &x = *t.find("x"), *w = t.find("w"), *residual = t.find("residual");
        const auto d = x.width();
        link.flipped.assign(static_cast<std::size_t>(x.count()), false);
        for (std::int64_t at = 0; at < x.count(); ++at) {
            if (r.below(2)) continue;
            flip(x, x.at(at));
            if (residual) flip(*residual, residual->at(at));
            link.flipped[static_cast<std::size_t>(at)] = true;
        }
        if (t.contract.gain != Gain::given) return true;
        for (std::int64_t j = 0; j < d; ++j) {
            if (r.below(2)) continue;
            flip(*w, j);
            for (std::int64_t i = 0; i < x.rows(); ++i) link.flipped[static_cast<std::size_t>(i * d + j)].flip();
        }
        return true;
    },
    // x + residual that cancels is +0 either way.
    [](const RowPair& p) {
        const bool cancels = p.claim[0].residual != Residual::none && std::find(p.x.begin(), p.x.end(), 0.0f) != p.x.end();
        return !cancels;
    }};

}  // namespace ulpgate::relations
