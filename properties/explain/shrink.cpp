#include <algorithm>

#include "properties/explain/separate.hpp"
#include "properties/reduce/outside.hpp"

namespace ulpgate::naming {
namespace {

constexpr std::int64_t most_calls = 60;

}  // namespace

SparseRow shrink(const KernelCall& call, const Op& op, const Claim& claim, SparseRow row, std::int64_t& calls) {
    if (claim[0].residual != Residual::none || claim[0].beta != Given::none) return row;
    const auto d = static_cast<std::size_t>(row.d);
    std::vector<float> x(d), w(d, claim[0].gain == Gain::one_plus || claim[0].gain == Gain::one_plus_t ? 0.0f : 1.0f);
    for (const auto& [j, v] : row.x) x[static_cast<std::size_t>(j)] = v;
    Case like;
    like.op = op.name;
    like.claim = claim;
    like.d = row.d, like.eps = row.eps;
    OutsideClaim fails{call, op, claim, row.d, row.eps};
    const Reduced least = reduce(like, std::move(x), std::move(w), std::ref(fails), {most_calls});
    const bool again = least.failed && fails(least.x, least.w).at(0);  // whose judgement is the one to show
    calls += fails.calls;
    if (!again) return row;
    SparseRow out;
    out.d = row.d, out.eps = row.eps, out.line = least.line;
    for (std::size_t j = 0; j < d; ++j)
        if (least.x[j] != 0) out.x.emplace_back(static_cast<std::int64_t>(j), least.x[j]);
    const Witness at = fails.last().witness;
    out.col = std::max<std::int64_t>(at.col, 0);
    out.got = at.got, out.lo = at.allowed_lo, out.hi = at.allowed_hi;
    if (claim[0].gain != Gain::none) out.w = encode(claim[0].w, least.w[static_cast<std::size_t>(out.col)]);
    return out;
}

}  // namespace ulpgate::naming
