#include "properties/judge/allowed.hpp"

#include <algorithm>
#include <cstdlib>

#include "properties/judge/hypothesis.hpp"
#include "properties/judge/rows.hpp"
#include "properties/judge/view.hpp"
#include "reference/formats/ulp.hpp"

namespace ulpgate {
namespace {

using namespace judging;

class Allowing {
  public:
    Allowing(const Tensors& t, const Outcome& o, const Claim& claim) : eps_(t.eps), rows_(t, o) {
        if (!rows_.error().empty()) return;
        for (Contract c : claim) {
            c.x = t.contract.x, c.w = t.contract.w, c.y = t.contract.y, c.res = t.contract.res;
            if (!not_judged(c, rows_.has_residual()).empty()) return;
            if (c.map == Map::none)
                for (const Contract& k : candidates(c)) hypotheses_.add(k);
            else hypotheses_.add(c);
        }
        usable_ = !hypotheses_.all.empty();
    }
    bool usable() const { return usable_; }
    Rows& rows() { return rows_; }

    std::vector<ElementSet> row(std::int64_t k) {
        rows_.load(k);
        std::vector<StatisticSet> sets;
        for (const Contract& c : hypotheses_.statistics) {
            const auto s = statistic_set(c, rows_.statistic_input(c.residual), eps_);
            if (!s.unsupported.empty()) return {};
            sets.push_back(s.set);
        }
        std::vector<ElementSet> all;
        for (const Hypothesis& h : hypotheses_.all) {
            const auto one = RowView{&h, &sets[h.statistic], rows_.normalised(h.contract.residual), rows_.w()}.elements();
            if (all.empty()) all = one;
            else
                for (std::size_t j = 0; j < all.size(); ++j) all[j] = join(rows_.y_type(), all[j], one[j]);
        }
        return all;
    }

  private:
    double eps_;
    Rows rows_;
    Hypotheses hypotheses_;
    bool usable_ = false;
};

std::int64_t outside_by(Type y, const ElementSet& e, std::uint32_t got) {
    const auto away = [&](std::uint32_t to) {
        const auto s = ulp_steps(y, got, to);
        return s == INT64_MAX || s == INT64_MIN ? INT64_MAX : std::abs(s);
    };
    return std::min(away(e.lo), away(e.hi));
}

}  // namespace

std::vector<ElementSet> allowed_row(const Tensors& t, const Outcome& o, const Claim& claim, std::int64_t row) {
    Allowing a(t, o, claim);
    return a.usable() ? a.row(row) : std::vector<ElementSet>{};
}

Mismatches mismatches(const Tensors& t, const Outcome& o, const Claim& claim) {
    Mismatches m;
    Allowing a(t, o, claim);
    if (!a.usable()) return m;
    const Type y = a.rows().y_type();
    for (std::int64_t r = 0; r < a.rows().rows(); ++r) {
        const auto sets = a.row(r);
        m.elements += static_cast<std::int64_t>(sets.size());
        for (std::size_t j = 0; j < sets.size(); ++j) {
            const auto col = static_cast<std::int64_t>(j);
            const std::uint32_t got = a.rows().y_word(col);
            if (allows(y, sets[j], got)) continue;
            const Mismatches::At at{r, col, got, sets[j], outside_by(y, sets[j], got)};
            if (!m.outside++) m.first = m.worst = at;
            else if (at.steps > m.worst.steps) m.worst = at;
        }
    }
    return m;
}

}  // namespace ulpgate
