#include "properties/explain/separate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/explain/called.hpp"
#include "properties/judge/rows.hpp"
#include "properties/order/forms.hpp"
#include "properties/relations/relation.hpp"

namespace ulpgate {
namespace naming {
namespace {

// Its sum is one number on rows of integers, whatever the order, and its lines after the sum are exact.
bool predictable(const Model& m) {
    return !m.partner && !m.spill && !m.for_rows && !m.address && !m.gains && m.contract.residual == Residual::none;
}

std::vector<Form> forms_for(const Model& m) {
    std::vector<Form> out;
    for (const Mean mean : {Mean::div, Mean::recip})
        for (const bool two : {false, true}) {
            if (two && (m.map->by == By::div || m.rsqrt || m.root)) continue;
            if (mean == Mean::recip && m.mean) continue;
            Form f;
            f.model = m;
            f.model.contract.mean = mean;
            if (two) f.model.rsqrt = [](float v, const Moments&, double) { return 1.0f / std::sqrt(v); };
            f.text = fmt::format("{}{}", print(f.model.contract), two ? ",rsqrt_form=recip_sqrt" : "");
            out.push_back(std::move(f));
        }
    return out;
}

}  // namespace

std::int64_t separate(const KernelCall& call, const Op& op, std::int64_t d, std::vector<Hypothesis>& left, std::int64_t& rows) {
    if (left.size() < 2) return 0;
    std::vector<Form> forms;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < left.size(); ++k) {
        const Model m = left[k].model();
        if (!predictable(m)) continue;
        for (Form& f : forms_for(m)) {
            f.text += fmt::format(" {}", k);
            forms.push_back(std::move(f)), of.push_back(k);
        }
    }
    if (forms.size() < 2) return 0;
    const Contract c = left[0].model().contract;
    Called subject(call, c);
    Prober p(subject, 0, op, c, d, 64);
    const auto found = find_forms(p, forms);
    rows += p.rows;
    if (found.equal.empty() || !p.error.empty()) return p.calls;
    std::vector<bool> keep(left.size(), true);
    for (const std::size_t k : of) keep[k] = false;
    for (const Form& f : found.equal) keep[static_cast<std::size_t>(std::stoul(f.text.substr(f.text.rfind(' ') + 1)))] = true;
    std::vector<Hypothesis> kept;
    for (std::size_t k = 0; k < left.size(); ++k)
        if (keep[k]) kept.push_back(std::move(left[k]));
    left = std::move(kept);
    return p.calls;
}

std::optional<SparseRow> smallest_failing(std::span<const FailedCase> cases, const Claim& claim) {
    std::optional<SparseRow> out;
    for (const FailedCase& f : cases) {
        judging::Rows rows(*f.tensors, *f.outcome);
        if (!rows.error().empty()) continue;
        for (std::int64_t i = 0; i < rows.rows(); ++i) {
            rows.load(i);
            const auto x = rows.normalised(claim[0].residual);
            const auto nonzero = static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](float v) { return v != 0; }));
            if (out && out->x.size() <= nonzero) continue;
            std::int64_t col = -1;
            bool allowed = false;
            for (const Contract& c : claim) {
                const auto set = statistic_set(c, rows.statistic_input(c.residual), f.tensors->eps);
                for (const MapPiece* piece : maps_for(c)) {
                    const RowSet s = reproduce_within(*piece, map_types(c), x, rows.w(), rows.y(), set.set);
                    allowed = allowed || s.any;
                    if (!s.any) col = s.col;
                }
            }
            if (allowed || claim[0].map == Map::none) continue;
            SparseRow r;
            r.d = rows.width(), r.eps = f.tensors->eps, r.col = std::max<std::int64_t>(col, 0);
            for (std::size_t j = 0; j < x.size(); ++j)
                if (x[j] != 0) r.x.emplace_back(static_cast<std::int64_t>(j), x[j]);
            r.got = rows.y_word(r.col);
            if (!rows.w().empty()) r.w = encode(claim[0].w, rows.w()[static_cast<std::size_t>(r.col)]);
            out = std::move(r);
        }
    }
    return out;
}

std::vector<std::string> broken_relations(const KernelCall& call, std::span<const Tensors> cases, const Claim& claim) {
    std::vector<std::string> out;
    for (const Relation* r : relations::all()) {
        if (!std::all_of(claim.begin(), claim.end(), [&](const Contract& c) { return c.map != Map::none && (!r->applies || r->applies(c)); })) continue;
        for (std::size_t k = 0; k < std::min<std::size_t>(cases.size(), 2); ++k) {
            const auto c = check_own_bits(*r, cases[k], claim, call, 7);
            if (c.held != Held::broken) continue;
            out.push_back(fmt::format("{} ({}): {}", r->name, r->law, c.what));
            break;
        }
    }
    return out;
}

}  // namespace naming

std::string SparseRow::text(const Contract& c) const {
    std::string s = fmt::format("d {}, eps {:g}: x =", d, eps);
    for (std::size_t k = 0; k < x.size() && k < 4; ++k) s += fmt::format("{} {:a} at {}", k ? "," : "", x[k].second, x[k].first);
    if (x.size() > 4) s += fmt::format(" and {} more", x.size() - 4);
    return s + fmt::format("; 0 elsewhere; column {}: w {:x}, got {:0{}x}", col, w, got, 2 * bytes(c.y));
}

}  // namespace ulpgate
