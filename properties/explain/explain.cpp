#include "properties/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "properties/explain/reach.hpp"
#include "properties/judge/rows.hpp"
#include "reference/admissible/row_set.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace naming {
namespace {

using judging::Rows;

// One row, copied: a fault may look at its neighbour.
struct RowData {
    std::int64_t at, row;
    std::vector<float> statistic, partner, x, y;
    double eps;
    Row view() const { return {statistic, partner, eps}; }
};

struct CaseData {
    std::vector<RowData> rows;
    std::vector<float> w;
};

CaseData read(const FailedCase& f, const Contract& c, std::int64_t at, std::int64_t most) {
    CaseData out;
    Rows rows(*f.tensors, *f.outcome);
    if (!rows.error().empty()) return out;
    out.w.assign(rows.w().begin(), rows.w().end());
    for (std::int64_t i = 0; i < std::min(most, rows.rows()); ++i) {
        rows.load(i);
        const auto copy = [](std::span<const float> s) { return std::vector<float>(s.begin(), s.end()); };
        out.rows.push_back({at,
                            i,
                            copy(rows.statistic_input(c.residual)),
                            {},
                            copy(rows.normalised(c.residual)),
                            copy(rows.y()),
                            f.tensors->eps});
    }
    return out;
}

// The interval of the scalar in which the model gives the row's outputs. Columns whose output the fault
// overwrites are held to that and left out of the fit.
RowSet fit(const Model& m, const RowData& r, std::span<const float> w) {
    MapTypes types = map_types(m.contract);
    const auto d = static_cast<std::int64_t>(r.x.size());
    std::vector<float> x = r.x, gains(w.begin(), w.end()), y = r.y;
    if (m.element) m.element(m, x);
    if (m.gain && !gains.empty()) {
        for (float& g : gains) g = m.gain(types, g, m.parameter(r.x.size()));
        types.gain = Gain::given;
    }
    if (m.output) {
        std::size_t kept = 0;
        for (std::int64_t j = 0; j < d; ++j) {
            const auto k = static_cast<std::size_t>(j);
            const float a = m.output(1.0f, j, d, m.parameter(r.x.size())),
                        b = m.output(2.0f, j, d, m.parameter(r.x.size()));
            if (a == 1.0f && b == 2.0f) {
                x[kept] = x[k];
                y[kept] = y[k];
                if (!gains.empty()) gains[kept] = gains[k];
                ++kept;
            } else if (!(std::isnan(a) && std::isnan(b) && std::isnan(y[k]))) {
                return {false, 0, 0, j};
            }
        }
        x.resize(kept);
        y.resize(kept);
        if (!gains.empty()) gains.resize(kept);
    }
    return reproduce(*m.map, types, x, gains, y, m.narrow);
}

// Not finite: the row's only scalar, compared as it is.
bool gives(const Model& m, const RowData& r, std::span<const float> w, double scalar) {
    std::vector<float> y(r.x.size());
    m.elements(r.x, w, static_cast<float>(scalar), y);
    for (std::size_t j = 0; j < y.size(); ++j)
        if (std::isnan(y[j]) ? !std::isnan(r.y[j])
                             : std::bit_cast<std::uint32_t>(y[j]) != std::bit_cast<std::uint32_t>(r.y[j]))
            return false;
    return true;
}

struct Bounds {
    double lo, hi;
};

// The parameters p in [least, most] for which the row's range meets its fit: r moves one way as p grows.
std::optional<Bounds> parameters(Model m, const RowData& r, SumRange s, const RowSet& f, Bounds in) {
    const auto range = [&](double p) {
        m.p = p;
        return scalar_range(m, r.view(), s);
    };
    const auto first =
        [&](auto holds) {  // least p in [in.lo, in.hi], geometrically; holds never turns false again
            double lo = in.lo, hi = in.hi;
            if (holds(lo)) return lo;
            if (!holds(hi)) return std::numeric_limits<double>::infinity();
            for (int k = 0; k < 100 && hi / lo > 1 + 1e-9; ++k) {
                const double mid = std::sqrt(lo * hi);
                (holds(mid) ? hi : lo) = mid;
            }
            return hi;
        };
    const double least = static_cast<double>(f.lo), most = static_cast<double>(f.hi);
    const bool rises = range(in.hi).hi > range(in.lo).hi;
    const double from = first([&](double p) { return rises ? range(p).hi >= least : range(p).lo <= most; });
    const double past = first([&](double p) { return rises ? range(p).lo > most : range(p).hi < least; });
    if (from > in.hi || past <= in.lo) return {};
    return from <= past ? std::optional(Bounds{from, std::min(past, in.hi)}) : std::nullopt;
}

// One fault on one model, held against all rows.
class Hypothesis {
  public:
    Hypothesis(const Fault& fault, const Model& base) : fault_(fault), base_(base), model_(base) {
        apply(fault, model_);
        const bool column = fault.param == "COLUMN";
        real_ = !fault.param.empty() && !column;
        column_ = column;
    }
    std::optional<Excluded> hold(const CaseData&);
    Named named() const;

  private:
    std::optional<Excluded> row(const RowData&, std::span<const float> w);
    bool columns(const RowData&, const RowSet&);
    Excluded excluded(const RowData& r, std::int64_t col, std::string why) const {
        return {std::string(fault_.kind), r.at, r.row, col, std::move(why)};
    }

    const Fault& fault_;
    Model base_, model_;
    bool real_ = false, column_ = false;
    Bounds p_{1e-30, 1e30};
    std::map<std::size_t, std::vector<bool>> left_;  // by d: columns that no row excludes
    std::int64_t rows_ = 0, outputs_ = 0;
};

// Dropping or doubling column j changes the sum by x_j^2; the bound on the sum's roundings only shrinks.
bool Hypothesis::columns(const RowData& r, const RowSet& f) {
    auto& left = left_.try_emplace(r.x.size(), r.x.size(), true).first->second;
    const SumRange all = sum_range(base_, r.view());
    bool some = false;
    for (std::size_t j = 0; j < left.size(); ++j) {
        if (!left[j]) continue;
        const double sq = static_cast<double>(r.statistic[j]) * static_cast<double>(r.statistic[j]);
        const SumRange s{std::max(0.0, all.lo - sq), std::max(0.0, all.hi - sq), false};
        left[j] = meets(base_, scalar_range(base_, r.view(), s), f.lo, f.hi);
        some = some || left[j];
    }
    return some;
}

std::optional<Excluded> Hypothesis::row(const RowData& r, std::span<const float> w) {
    if (column_ && fault_.stage == Stage::output) {  // its own outputs say which
        const auto at = std::find_if(r.y.begin(), r.y.end(), [](float v) { return std::isnan(v); });
        if (at == r.y.end()) return excluded(r, -1, "no output is NaN");
        auto& left = left_.try_emplace(r.x.size(), r.x.size(), true).first->second;
        for (std::size_t j = 0; j < left.size(); ++j)
            left[j] = left[j] && j == static_cast<std::size_t>(at - r.y.begin());
        model_.p = static_cast<double>(at - r.y.begin());
        if (!left[static_cast<std::size_t>(at - r.y.begin())])
            return excluded(r, at - r.y.begin(), "another column than before");
    }
    const bool every_order = !model_.sum;
    const SumRange s = every_order ? sum_range(column_ ? base_ : model_, r.view()) : SumRange{0, 0, true};
    const Range range = real_ && !s.special ? Range{1, 1} : scalar_range(model_, r.view(), s);
    if (!std::isfinite(range.lo) || range.hi == 0) {
        if (!gives(model_, r, w, range.lo)) return excluded(r, -1, "its special values differ");
        return {};
    }
    const RowSet f = fit(model_, r, w);
    if (!f.any) return excluded(r, f.col, "no one r gives this row");
    if (real_ && !s.special) {
        const auto p = parameters(model_, r, s, f, p_);
        if (!p) return excluded(r, -1, fmt::format("no {} fits this row and those before", fault_.param));
        p_ = *p;
    } else if (column_ && fault_.stage == Stage::columns) {
        if (!columns(r, f)) return excluded(r, -1, "no column fits this row and those before");
    } else if (!meets(model_, range, f.lo, f.hi)) {
        return excluded(r, -1,
                        fmt::format("needs r in [{:.9g}, {:.9g}], gives [{:.9g}, {:.9g}]", f.lo, f.hi,
                                    range.lo, range.hi));
    }
    return {};
}

std::optional<Excluded> Hypothesis::hold(const CaseData& c) {
    for (const RowData& r : c.rows) {
        if (column_ && fault_.stage == Stage::columns && sum_range(base_, r.view()).special) continue;
        if (auto e = row(r, c.w)) return e;
        ++rows_;
        outputs_ += static_cast<std::int64_t>(r.x.size());
    }
    return {};
}

Named Hypothesis::named() const {
    Named n{std::string(fault_.kind), "", std::string(fault_.line), std::string(fault_.fix), rows_, outputs_};
    if (real_) n.parameter = fmt::format("{} in [{:.7g}, {:.7g}]", fault_.param, p_.lo, p_.hi);
    if (!column_) return n;
    for (const auto& [d, left] : left_) {
        const auto count = std::count(left.begin(), left.end(), true);
        const auto at = std::find(left.begin(), left.end(), true) - left.begin();
        n.parameter += fmt::format("{}{} {}", n.parameter.empty() ? "" : ", ", fault_.param, at);
        if (count > 1) n.parameter += fmt::format(" or {} more", count - 1);
    }
    return n;
}

// Neighbours for a fault that adds rows.
void pair_up(const Model& m, CaseData& c, std::int64_t rows) {
    for (RowData& r : c.rows) {
        r.partner.clear();
        if (!m.partner) continue;
        const auto p = m.partner(r.row, rows);
        if (p != r.row && p < static_cast<std::int64_t>(c.rows.size()))
            r.partner = c.rows[static_cast<std::size_t>(p)].statistic;
    }
}

// Models of the claim: its associations; where a fault's sum depends on the order, each order of the bank.
std::vector<Model> models(const Contract& c, bool orders) {
    std::vector<Model> out;
    for (const MapPiece* piece : maps_for(c)) {
        Model m;
        m.contract = c;
        m.map = piece;
        for (const Order* o : ulpgate::orders::all())
            for (const bool fma : {false, true}) {
                m.order = *find_order(std::string(o->name));
                m.fma = fma;
                out.push_back(m);
                if (!orders) break;
            }
        if (!orders) out.erase(out.begin() + 1, out.end());
    }
    return out;
}

}  // namespace
}  // namespace naming

std::string Named::text() const {
    return fmt::format("{}: {}{}{}: equal bit for bit in {} of {} rows", kind, line,
                       parameter.empty() ? "" : ", ", parameter, rows, rows);
}

Explanation explain(std::span<const FailedCase> cases, const Claim& claim, std::int64_t rows) {
    using namespace naming;
    Explanation out;
    for (const Fault* fault : faults::all()) {
        std::optional<Excluded> first;
        bool equal = false;
        for (const Contract& c : claim) {
            if (c.map == Map::none || (fault->invisible && !fault->invisible(c).empty())) continue;
            const auto plain = models(c, false);
            if (plain.empty()) continue;
            Model probe = plain.front();
            apply(*fault, probe);
            for (const Model& base : models(c, probe.sum != nullptr)) {
                Hypothesis h(*fault, base);
                std::optional<Excluded> no;
                for (std::size_t i = 0; i < cases.size() && !no; ++i) {
                    CaseData data = read(cases[i], c, static_cast<std::int64_t>(i), rows);
                    pair_up(probe, data, cases[i].tensors->find("x")->rows());
                    no = h.hold(data);
                }
                if (no) {
                    if (!first) first = no;
                    continue;
                }
                if (!equal) out.equal.push_back(h.named());
                equal = true;
                break;
            }
            if (equal) break;
        }
        if (!equal && first) out.excluded.push_back(*first);
    }
    // A formula without a parameter is simpler than one that a parameter makes equal to it.
    std::stable_sort(out.equal.begin(), out.equal.end(), [](const Named& a, const Named& b) {
        return a.parameter.empty() > b.parameter.empty();
    });
    if (out.equal.empty()) out.unknown = "unknown: none of the listed faults gives these rows bit for bit";
    return out;
}

}  // namespace ulpgate
