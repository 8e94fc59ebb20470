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
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
        if (i >= most && (f.row < 0 || i / 2 != f.row / 2)) continue;  // with its neighbour
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
    Hypothesis(const Fault& fault, const Model& base) : fault_(fault), model_(base) {
        apply(fault, model_);
        if (fault.param.empty()) return;
        if (model_.output)
            search_ = Search::nan_column;
        else if (model_.weight)
            search_ = Search::integer;
        else if (!model_.gain && !model_.sum && !model_.element)
            search_ = Search::real;
        else
            search_ = Search::as_given;
    }
    std::optional<Excluded> hold(const CaseData&);
    Named named() const;

  private:
    std::optional<Excluded> row(const RowData&, std::span<const float> w);
    std::optional<Excluded> nan_column(const RowData&);
    bool integers(const RowData&, const RowSet&);
    std::vector<bool>& left(std::size_t d) { return left_.try_emplace(d, d, true).first->second; }
    Excluded excluded(const RowData& r, std::int64_t col, std::string why) const {
        return {std::string(fault_.kind), r.at, r.row, col, std::move(why)};
    }

    // How the parameter is found: not at all, an interval of reals after the sum, every integer below d, from
    // the NaN.
    enum class Search { none, as_given, real, integer, nan_column };

    const Fault& fault_;
    Model model_;
    Search search_ = Search::none;
    Bounds p_{1e-30, 1e30};
    std::map<std::size_t, std::vector<bool>> left_;  // by d: parameters that no row excludes
    std::int64_t rows_ = 0, outputs_ = 0;
};

// Columns from `from` on are counted `times` times, up to the next run.
struct Run {
    std::size_t from;
    int times;
};
using Runs = std::vector<std::vector<Run>>;  // by parameter

const Runs& runs_of(int (*weight)(std::int64_t, std::int64_t, double), std::size_t d) {
    static thread_local std::map<std::pair<decltype(weight), std::size_t>, Runs> known;
    auto& all = known[{weight, d}];
    if (!all.empty()) return all;
    all.resize(d);
    for (std::size_t p = 0; p < d; ++p)
        for (std::size_t j = 0; j < d; ++j) {
            const int k =
                weight(static_cast<std::int64_t>(j), static_cast<std::int64_t>(d), static_cast<double>(p));
            if (all[p].empty() || all[p].back().times != k) all[p].push_back({j, k});
        }
    return all;
}

// Which columns are counted: first with twice the bound of the whole row, then each that is left with its
// own.
bool Hypothesis::integers(const RowData& r, const RowSet& f) {
    auto& open = left(r.x.size());
    const Runs& runs = runs_of(model_.weight, r.x.size());
    const double rho = statistic_set(model_.contract, r.statistic, r.eps).set.rho;
    std::vector<double> before(r.statistic.size() + 1,
                               0.0);  // sums of the first squares, to 2^-40 of the last
    for (std::size_t j = 0; j < r.statistic.size(); ++j)
        before[j + 1] = before[j] + static_cast<double>(r.statistic[j]) * static_cast<double>(r.statistic[j]);
    std::int64_t count = 0;
    for (std::size_t p = 0; p < open.size(); ++p) {
        if (!open[p]) continue;
        model_.p = static_cast<double>(p);
        double s = 0;
        for (std::size_t k = 0; k < runs[p].size(); ++k) {
            const std::size_t end = k + 1 < runs[p].size() ? runs[p][k + 1].from : r.statistic.size();
            s += runs[p][k].times * (before[end] - before[runs[p][k].from]);
        }
        const double error = 2 * (rho + 0x1p-23) * s + 0x1p-38 * before.back();
        open[p] = meets(model_, scalar_range(model_, r.view(), {std::max(0.0, s - error), s + error, false}),
                        f.lo, f.hi);
        count += open[p];
    }
    for (std::size_t p = 0; p < open.size() && count <= 64; ++p) {
        if (!open[p]) continue;
        model_.p = static_cast<double>(p);
        open[p] = meets(model_, scalar_range(model_, r.view(), sum_range(model_, r.view())), f.lo, f.hi);
    }
    return std::find(open.begin(), open.end(), true) != open.end();
}

// Its own outputs say which column is overwritten.
std::optional<Excluded> Hypothesis::nan_column(const RowData& r) {
    auto& open = left(r.x.size());
    for (std::size_t j = 0; j < open.size(); ++j) open[j] = open[j] && std::isnan(r.y[j]);
    const auto at = std::find(open.begin(), open.end(), true);
    if (at == open.end()) return excluded(r, -1, "no column is NaN here and in the rows before");
    model_.p = static_cast<double>(at - open.begin());
    return {};
}

std::optional<Excluded> Hypothesis::row(const RowData& r, std::span<const float> w) {
    if (search_ == Search::nan_column)
        if (auto no = nan_column(r)) return no;
    const SumRange s = model_.sum ? SumRange{0, 0, true} : sum_range(model_, r.view());
    const bool free = (search_ == Search::real && !s.special) || search_ == Search::integer;
    const Range range = free ? Range{1, 1} : scalar_range(model_, r.view(), s);
    if (!std::isfinite(range.lo) || range.hi == 0) {
        if (gives(model_, r, w, range.lo)) return {};
        return excluded(r, -1, "its special values differ");
    }
    const RowSet f = fit(model_, r, w);
    if (!f.any) return excluded(r, f.col, "no one r gives this row");
    if (search_ == Search::integer) {
        if (integers(r, f)) return {};
        return excluded(r, -1, fmt::format("no {} fits this row and those before", fault_.param));
    }
    if (free) {
        const auto p = parameters(model_, r, s, f, p_);
        if (!p) return excluded(r, -1, fmt::format("no {} fits this row and those before", fault_.param));
        p_ = *p;
        return {};
    }
    if (meets(model_, range, f.lo, f.hi)) return {};
    return excluded(
        r, -1,
        fmt::format("needs r in [{:.9g}, {:.9g}], gives [{:.9g}, {:.9g}]", f.lo, f.hi, range.lo, range.hi));
}

std::optional<Excluded> Hypothesis::hold(const CaseData& c) {
    for (const RowData& r : c.rows) {
        const bool special =
            !std::all_of(r.statistic.begin(), r.statistic.end(), [](float v) { return std::isfinite(v); });
        if (search_ == Search::integer && special) continue;  // says nothing about which columns are counted
        if (auto e = row(r, c.w)) return e;
        ++rows_;
        outputs_ += static_cast<std::int64_t>(r.x.size());
    }
    return {};
}

Named Hypothesis::named() const {
    Named n{std::string(fault_.kind), "", std::string(fault_.line), std::string(fault_.fix), rows_, outputs_};
    if (search_ == Search::real)
        n.parameter = fmt::format("{} in [{:.7g}, {:.7g}]", fault_.param, p_.lo, p_.hi);
    if (search_ == Search::as_given)
        n.parameter = fmt::format("{} {:.7g}", fault_.param, model_.parameter(1));
    for (const auto& [d, open] : left_) {
        const auto count = std::count(open.begin(), open.end(), true);
        const auto at = std::find(open.begin(), open.end(), true) - open.begin();
        n.parameter += fmt::format("{}{} {}", n.parameter.empty() ? "" : ", ", fault_.param, at);
        if (count > 1) n.parameter += fmt::format(" or {} more", count - 1);
    }
    return n;
}

// Rows of x where a fault that errs in the address finds them.
void readdress(const Model& m, CaseData& c, const Tensors& t) {
    if (!m.address) return;
    const Tensor& x = *t.find("x");
    for (RowData& r : c.rows) {
        unpack(x.type, x.storage.data() + m.address(r.row, x.stride[0], x.width()) * bytes(x.type), r.x);
        r.statistic = r.x;
    }
}

// Neighbours for a fault that adds rows.
void pair_up(const Model& m, CaseData& c, std::int64_t rows) {
    for (RowData& r : c.rows) {
        r.partner.clear();
        if (!m.partner) continue;
        const auto p = m.partner(r.row, rows);
        const auto it = std::find_if(c.rows.begin(), c.rows.end(), [p](const RowData& o) { return o.row == p; });
        if (p != r.row && it != c.rows.end()) r.partner = it->statistic;
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

// Whether the model without a fault gives all rows.
bool gives_the_claim(std::span<const FailedCase> cases, const Claim& claim, std::int64_t rows) {
    static const Fault none{.kind = "none", .change = [](Model&) {}};
    for (const Contract& c : claim) {
        if (c.map == Map::none) continue;
        for (const Model& base : models(c, false)) {
            Hypothesis h(none, base);
            std::size_t given = 0;
            while (given < cases.size() && !h.hold(read(cases[given], c, static_cast<std::int64_t>(given), rows))) ++given;
            if (given == cases.size()) return true;
        }
    }
    return false;
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
    // The ranges of names are wider than the contract's set: what the formula itself gives inside them shows no fault of it.
    if (gives_the_claim(cases, claim, rows)) {
        out.unknown = "unknown: these rows show no other formula than the claim's, only an r beyond its set";
        return out;
    }
    for (const Fault* fault : faults::all()) {
        std::optional<Excluded> first;
        bool equal = false;
        for (const Contract& c : claim) {
            if (c.map == Map::none || (fault->invisible && !fault->invisible(c).empty())) continue;
            const auto plain = models(c, false);
            if (plain.empty()) continue;
            Model probe = plain.front();
            apply(*fault, probe);
            if (probe.address && c.residual != Residual::none) continue;
            for (const Model& base : models(c, probe.sum != nullptr)) {
                Hypothesis h(*fault, base);
                std::optional<Excluded> no;
                for (std::size_t i = 0; i < cases.size() && !no; ++i) {
                    CaseData data = read(cases[i], c, static_cast<std::int64_t>(i), rows);
                    readdress(probe, data, *cases[i].tensors);
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
    std::sort(out.equal.begin(), out.equal.end(), [](const Named& a, const Named& b) {
        return a.parameter.empty() != b.parameter.empty() ? a.parameter.empty() : a.kind < b.kind;
    });
    if (out.equal.empty()) out.unknown = "unknown: none of the listed faults gives these rows bit for bit";
    return out;
}

}  // namespace ulpgate
