#include "properties/explain/hold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/judge/rows.hpp"

namespace ulpgate::naming {
namespace {

using judging::Rows;

CaseData read_case(const FailedCase& f, Residual mix, std::int64_t at, std::int64_t most, std::size_t& index) {
    CaseData out;
    Rows rows(*f.tensors, *f.outcome);
    if (!rows.error().empty()) return out;
    out.w.assign(rows.w().begin(), rows.w().end());
    const auto copy = [](std::span<const float> s) { return std::vector<float>(s.begin(), s.end()); };
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
        if (i >= most && (f.row < 0 || i / 2 != f.row / 2)) continue;  // with its neighbour
        rows.load(i);
        out.rows.push_back({at, i, index++, copy(rows.statistic_input(mix)), {}, {}, copy(rows.normalised(mix)), copy(rows.y()), f.tensors->eps});
    }
    return out;
}

// Rows of x where a fault that errs in the address finds them.
void readdress(const Model& m, CaseData& c, const Tensors& t) {
    const Tensor& x = *t.find("x");
    for (RowData& r : c.rows) {
        unpack(x.type, x.storage.data() + m.address(r.row, x.stride[0], x.width()) * bytes(x.type), r.x);
        r.statistic = r.x;
    }
}

// Neighbours for a fault that adds rows.
void pair_up(const Model& m, CaseData& c, std::int64_t rows) {
    for (RowData& r : c.rows) {
        const auto p = m.partner(r.row, rows);
        const auto it = std::find_if(c.rows.begin(), c.rows.end(), [p](const RowData& o) { return o.row == p; });
        if (p != r.row && it != c.rows.end()) r.partner = it->statistic;
    }
}

// What stands after the row's end, where it belongs to the tensor.
void spill_over(const Model& m, CaseData& c, const Tensors& t) {
    const Tensor& x = *t.find("x");
    if (t.find("residual")) return;
    for (RowData& r : c.rows)
        for (std::int64_t k = 0, at = x.row_at(r.row) + x.width(); k < m.spill(x.width()) && at < x.extent(); ++k, ++at)
            r.spilled.push_back(decode(x.type, x.word(at)));
}

// The interval of the scalar in which the model gives the row's outputs. Columns whose output the fault
// overwrites are held to that and left out of the fit.
RowSet fit(const Model& m, const RowData& r, std::span<const float> w) {
    MapTypes types = map_types(m.contract);
    const auto d = static_cast<std::int64_t>(r.x.size());
    std::vector<float> x = r.x, gains(w.begin(), w.end()), y = r.y;
    if (m.element) m.element(m, x);
    if (m.gains && !gains.empty()) m.gains(types, gains, m.parameter(Stage::gain, r.x.size()));
    if (m.gain && !gains.empty()) {
        for (float& g : gains) g = m.gain(types, g, m.parameter(Stage::gain, r.x.size()));
        types.gain = Gain::given;
    }
    if (m.output) {
        std::size_t kept = 0;
        for (std::int64_t j = 0; j < d; ++j) {
            const auto k = static_cast<std::size_t>(j);
            const float a = m.output(1.0f, j, d, m.parameter(Stage::output, r.x.size())),
                        b = m.output(2.0f, j, d, m.parameter(Stage::output, r.x.size()));
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

// The parameters p in [least, most] for which the row's range meets its fit: r moves one way as p grows.
std::optional<Bounds> parameters(const Fault& fault, Model m, const RowData& r, SumRange s, const RowSet& f, Bounds in) {
    const auto range = [&](double p) {
        set_parameter(fault, m, p);
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

std::string read_key(const Model& m) {
    return fmt::format("{} {} {} {}", m.mix ? static_cast<int>(*m.mix) : -1, static_cast<int>(m.contract.residual), m.address != nullptr,
                       (m.partner ? 1 : 0) + (m.spill ? 2 : 0));
}

constexpr Stage element_stages[] = {Stage::map, Stage::round, Stage::gain, Stage::element, Stage::output};

bool in(const Fault& f, std::initializer_list<Stage> stages) {
    const auto has = [&](Stage s) { return f.stage == s || std::find(f.also.begin(), f.also.end(), s) != f.also.end(); };
    return std::any_of(stages.begin(), stages.end(), has);
}

}  // namespace

const std::vector<CaseData>& Evidence::read(const Model& m) {
    auto [at, fresh] = data_.try_emplace(read_key(m));
    if (!fresh) return at->second;
    std::size_t index = 0;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        at->second.push_back(read_case(cases_[i], m.mix.value_or(m.contract.residual), static_cast<std::int64_t>(i), most_, index));
        CaseData& c = at->second.back();
        const Tensors& t = *cases_[i].tensors;
        if (m.address) readdress(m, c, t);
        if (m.partner) pair_up(m, c, t.find("x")->rows());
        if (m.spill) spill_over(m, c, t);
    }
    rows_ = index;
    return at->second;
}

namespace {

template <class T, class Make>
const T& remembered(std::map<std::string, std::vector<std::optional<T>>>& known, const std::string& key, std::size_t index, Make make) {
    auto& all = known[key];
    if (all.size() <= index) all.resize(index + 1);
    if (!all[index]) all[index] = make();
    return *all[index];
}

}  // namespace

const RowSet& Evidence::fit(const Model& m, const std::string& key, const RowData& r, std::span<const float> w) {
    return remembered(fits_, key, r.index, [&] { return naming::fit(m, r, w); });
}
const SumRange& Evidence::sum(const Model& m, const std::string& key, const RowData& r) {
    return remembered(ranges_, key, r.index, [&] { return sum_range(m, r.view()); });
}
const Sums& Evidence::sums(const Model& m, const std::string& key, const RowData& r) {
    return remembered(sums_, key, r.index, [&] { return ordered_sums(m, r.view()); });
}

Hypothesis::Hypothesis(std::vector<const Fault*> faults, const Model& base, const std::vector<double>& given)
    : faults_(std::move(faults)), given_(given), model_(base) {
    given_.resize(faults_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < faults_.size(); ++k) apply(*faults_[k], model_, given_[k]);
    element_key_ = fmt::format("{} {} {}", model_.map->name, static_cast<int>(model_.contract.gain), read_key(model_));
    if (model_.element && model_.sum) element_key_ += model_.order.text();  // a mean that is taken off has an order too
    sum_key_ = read_key(model_);
    if (model_.sum) sum_key_ += fmt::format(" {} {}", model_.order.text(), model_.fma);
    for (std::size_t k = 0; k < faults_.size(); ++k) {
        const Fault& f = *faults_[k];
        if (std::any_of(std::begin(element_stages), std::end(element_stages), [&](Stage s) { return in(f, {s}); }))
            element_key_ += fmt::format(" {}:{}", f.kind, given_[k]);
        if (in(f, {Stage::sum, Stage::columns})) sum_key_ += fmt::format(" {}:{}", f.kind, given_[k]);
        if (f.param.empty() || !std::isnan(given_[k])) continue;
        searched_ = &f;
        if (in(f, {Stage::output}))
            search_ = Search::nan_column;
        else
            search_ = in(f, {Stage::columns}) ? Search::integer : Search::real;
    }
}

Excluded Hypothesis::excluded(const RowData& r, std::int64_t col, std::string why) const {
    std::string kinds;
    for (const Fault* f : faults_) kinds += (kinds.empty() ? "" : "+") + std::string(f->kind);
    return {kinds, r.at, r.row, col, std::move(why)};
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
        set_parameter(*searched_, model_, static_cast<double>(p));
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
        set_parameter(*searched_, model_, static_cast<double>(p));
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
    set_parameter(*searched_, model_, static_cast<double>(at - open.begin()));
    return {};
}

std::optional<Excluded> Hypothesis::row(Evidence& e, const RowData& r, std::span<const float> w) {
    if (search_ == Search::nan_column)
        if (auto no = nan_column(r)) return no;
    const bool by_column = search_ == Search::integer;
    SumRange s{0, 0, true};
    if (!model_.sum && !by_column) s = e.sum(model_, sum_key_, r);
    const bool free = (search_ == Search::real && !s.special) || by_column;
    const auto range_of = [&] {
        if (free) return Range{1, 1};
        return model_.sum ? ordered_range(model_, r.view(), e.sums(model_, sum_key_, r)) : scalar_range(model_, r.view(), s);
    };
    const Range range = range_of();
    if (!std::isfinite(range.lo) || range.hi == 0) {
        if (gives(model_, r, w, range.lo)) return {};
        return excluded(r, -1, "its special values differ");
    }
    const RowSet f = search_ == Search::nan_column ? naming::fit(model_, r, w) : e.fit(model_, element_key_, r, w);
    if (!f.any) return excluded(r, f.col, "no one r gives this row");
    const auto no_parameter = [&] { return excluded(r, -1, fmt::format("no {} fits this row and those before", searched_->param)); };
    if (by_column) {
        if (integers(r, f)) return {};
        return no_parameter();
    }
    if (free) {
        const auto p = parameters(*searched_, model_, r, s, f, p_);
        if (!p) return no_parameter();
        p_ = *p;
        return {};
    }
    if (meets(model_, range, f.lo, f.hi)) return {};
    return excluded(r, -1, fmt::format("needs r in [{:.9g}, {:.9g}], gives [{:.9g}, {:.9g}]", f.lo, f.hi, range.lo, range.hi));
}

std::optional<Excluded> Hypothesis::hold(Evidence& e) {
    for (const CaseData& c : e.read(model_))
        for (const RowData& r : c.rows) {
            const bool special = !std::all_of(r.statistic.begin(), r.statistic.end(), [](float v) { return std::isfinite(v); });
            if (search_ == Search::integer && special) continue;  // says nothing about which columns are counted
            if (auto no = row(e, r, c.w)) return no;
            ++rows_;
            outputs_ += static_cast<std::int64_t>(r.x.size());
        }
    return {};
}

std::vector<Named> Hypothesis::named() const {
    std::vector<Named> out;
    for (std::size_t k = 0; k < faults_.size(); ++k) {
        const Fault& f = *faults_[k];
        const By by = model_.contract.by;
        Named n{std::string(f.kind), "", std::string(f.line_under(by)), std::string(f.fix_under(by)), rows_, outputs_};
        if (!f.param.empty() && &f != searched_) n.parameter = fmt::format("{} {:.7g}", f.param, given_[k]);
        if (&f == searched_ && search_ == Search::real) n.parameter = fmt::format("{} in [{:.7g}, {:.7g}]", f.param, p_.lo, p_.hi);
        if (&f == searched_)
            for (const auto& [d, open] : left_) {
                const auto count = std::count(open.begin(), open.end(), true);
                const auto at = std::find(open.begin(), open.end(), true) - open.begin();
                n.parameter += fmt::format("{}{} {}", n.parameter.empty() ? "" : ", ", f.param, at);
                if (count > 1) n.parameter += fmt::format(" or {} more", count - 1);
            }
        out.push_back(std::move(n));
    }
    return out;
}

Model Hypothesis::model() const {
    Model m = model_;
    if (search_ == Search::real) set_parameter(*searched_, m, std::sqrt(p_.lo * p_.hi));
    for (const auto& [d, open] : left_)
        set_parameter(*searched_, m, static_cast<double>(std::find(open.begin(), open.end(), true) - open.begin()));
    return m;
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
                if (!orders && out.size() && out.back().map == piece) continue;
                m.order = *find_order(std::string(o->name));
                m.fma = fma;
                out.push_back(m);
            }
    }
    return out;
}

std::vector<double> tried(const Fault& f, const Model& with, std::size_t d) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (f.param.empty()) return {none};
    if (with.gain) return {1, 2, -1, -2};
    if (with.gains) {
        std::vector<double> out;
        for (std::size_t by = 1; by < d && by <= 64; by *= 2) out.push_back(static_cast<double>(by)), out.push_back(static_cast<double>(d - by));
        return out;
    }
    return {none};
}

}  // namespace ulpgate::naming
