#include "reference/query/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/admissible/sum_bound.hpp"
#include "reference/maps/map.hpp"
#include "reference/model/model.hpp"
#include "reference/tensor_core/sum.hpp"

namespace ulpgate {
namespace {

std::vector<float> vector_of(const Tensors& t, std::string_view name) {
    const Tensor* v = t.find(name);
    std::vector<float> out(v ? static_cast<std::size_t>(v->width()) : 0);
    if (v && v->count()) v->read_row(0, out);
    return out;
}

void join(Range& r, float v, bool& begun) {
    if (v != v) return void(r.free = true);
    r.lo = begun ? std::min(r.lo, v) : v;
    r.hi = begun ? std::max(r.hi, v) : v;
    begun = true;
}

// What y can be over both ends of x and of the row's scalar: f is monotone in each.
Ranges corners(const Contract& c, const std::vector<float>& lo, const std::vector<float>& hi, std::span<const float> w, const std::vector<float>& scalars) {
    Ranges out(lo.size());
    std::vector<char> begun(lo.size(), 0);
    std::vector<float> y(lo.size());
    for (const MapPiece* p : maps_for(c))
        for (const auto* x : {&lo, &hi})
            for (const float s : scalars) {
                p->apply(map_types(c), narrow_nearest, *x, w, s, y);
                for (std::size_t k = 0; k < y.size(); ++k) {
                    bool b = begun[k];
                    join(out[k], y[k], b);
                    begun[k] = b;
                }
            }
    return out;
}

}  // namespace

QueryPath::QueryPath(const Tensors& t, const QueryModel& m) : t_(t), model_(m) {
    const Contract& c = model_.contract;
    const bool head = t.op->abi == Abi::linear;
    tokens_ = t.sizes[Dim::rows];
    rank_ = head ? 0 : t.sizes[Dim::q_rank];
    hidden_ = t.sizes[Dim::hidden];
    if (rank_) a_.emplace(t, "a", model_.pieces);
    b_.emplace(t, head ? "w" : "q_b", model_.pieces);
    gain_ = vector_of(t, "q_gain");
    kv_gain_ = vector_of(t, "kv_gain");
    if (t.find("k_c")) k_c_.emplace(t, "k_c", model_.pieces);
    if (const Tensor* p = t.find("positions"); p && p->count()) {
        positions_.resize(static_cast<std::size_t>(p->count()));
        std::memcpy(positions_.data(), p->storage.data(), p->storage.size());
        if (model_.pieces.position) {
            const auto given = positions_;
            for (std::size_t k = 0; k < given.size(); ++k) positions_[k] = model_.pieces.position(t.sizes, given, static_cast<std::int64_t>(k));
        }
    }
    bias_ = vector_of(t, "a_bias");
    const bool f32 = c.x == Type::f32 || c.weights == Type::f32;
    first_ = {c.x, c.latent == Latent::f32 ? Type::f32 : c.x, c.a_order, c.a_part, bias_.empty() ? Bias::none : c.bias, f32};
    second_ = {c.x, head && c.logits == Logits::f32 ? Type::f32 : c.x, c.b_order, c.b_part, Bias::none, f32};
    // What multiplies q_nope by k_c is not said by b.order: where that is a tensor core's, either may be.
    const bool core = c.weights != Type::e4m3 && find_tensor_core_sum(c.b_order);
    absorb_ = {c.x, c.x, core ? c.b_order : "any", c.b_part, Bias::none, c.x == Type::f32, core};
}

double QueryPath::eps() const { return model_.pieces.config_eps ? t_.config_eps : t_.eps; }

std::vector<float> QueryPath::input(std::int64_t token) const {
    std::vector<float> h(static_cast<std::size_t>(hidden_));
    (t_.op->abi == Abi::linear ? t_.find("x") : t_.find("h"))->read_row(token, h);
    if (model_.pieces.cast != Type::none)
        for (float& v : h) v = round_to(model_.pieces.cast, v);
    return h;
}

const std::vector<Projected>& QueryPath::first(const Ranges& h) {
    project(*a_, first_, h, bias_, projected_, &counts);
    return projected_;
}

const std::vector<Projected>& QueryPath::second(const Ranges& z) {
    project(*b_, second_, z, {}, projected_, &counts);
    return projected_;
}

// r of a row that is only known to lie between two: monotone in each |x|. Where the row is not one, the bound on its own sum is
// not that of either end: (1 + u)^n, the widest there is, is given away once more.
Ranges QueryPath::norm(const Ranges& a) const {
    return norm_of(Ranges(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(rank_)), model_.pieces.folded_gain ? std::vector<float>(gain_.size(), 1.0f) : gain_, a);
}

// row: what the mean square is taken over, where a fault takes it over more than a.
Ranges QueryPath::norm_of(const Ranges& a, const std::vector<float>& gain, const Ranges& row) const {
    const Contract& c = model_.contract;
    const Ranges& over = model_.pieces.wide_norm ? row : a;
    std::vector<float> lo(a.size()), hi(a.size()), least(over.size()), most(over.size());
    bool one = true, free = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        lo[k] = a[k].lo;
        hi[k] = a[k].hi;
    }
    for (std::size_t k = 0; k < over.size(); ++k) {
        one &= over[k].one();
        free |= over[k].free;
        const float p = std::fabs(over[k].lo), q = std::fabs(over[k].hi);
        most[k] = std::max(p, q);
        least[k] = (over[k].lo < 0) != (over[k].hi < 0) ? 0 : std::min(p, q);
    }
    if (free) return Ranges(a.size(), {0, 0, true});
    const StatisticSet up = statistic_set(c, least, eps()).set, down = one ? up : statistic_set(c, most, eps()).set;
    std::vector<float> scalars;
    const bool divides = c.by == By::div;
    const StatisticSet &low = divides ? up : down, &high = divides ? down : up;
    const float give = one ? 0.0f : static_cast<float>(2 * unit32 * static_cast<double>(over.size() + 4));
    if (low.interval) scalars.push_back(low.lo * (1 - give));
    if (high.interval) scalars.push_back(high.hi * (1 + give));
    constexpr float inf = std::numeric_limits<float>::infinity();
    for (const auto& [allowed, s] : {std::pair{up.zero || down.zero, 0.0f}, {up.inf || down.inf, inf}, {up.nan || down.nan, std::numeric_limits<float>::quiet_NaN()}})
        if (allowed) scalars.push_back(s);
    if (up.nan && down.nan) return Ranges(a.size(), Range::of(std::numeric_limits<float>::quiet_NaN()));
    return corners(c, lo, hi, gain, scalars);
}

Ranges QueryPath::each_head(const Ranges& q) const {
    const auto n = static_cast<std::size_t>(t_.sizes[Dim::nope] + t_.sizes[Dim::rope]);
    Ranges out;
    for (std::size_t at = 0; at < q.size(); at += n) {
        const Ranges one(q.begin() + static_cast<std::ptrdiff_t>(at), q.begin() + static_cast<std::ptrdiff_t>(at + n));
        const Ranges head = norm_of(one, std::vector<float>(n, 1.0f), one);
        out.insert(out.end(), head.begin(), head.end());
    }
    return out;
}

QueryPath::Ends QueryPath::through(std::int64_t token) {
    const QueryPieces& p = model_.pieces;
    Ranges z = exactly(input(token)), k;
    if (rank_) {
        Ranges a;
        for (const Projected& y : first(z)) a.push_back(y.allowed);
        k = k_input(token, a);
        z = p.norm ? norm(a) : Ranges(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(rank_));
    } else if (p.norm_always) {
        z = norm_of(z, std::vector<float>(z.size(), 1.0f), z);
    }
    Ranges q;
    for (const Projected& y : second(z)) q.push_back(y.allowed);
    return {p.norm_each_head ? each_head(q) : q, k};
}

Source QueryPath::source(std::int64_t token, std::int64_t head, std::int64_t j) const {
    const std::int64_t n = t_.sizes[Dim::nope] + t_.sizes[Dim::rope];
    return model_.pieces.source ? model_.pieces.source(t_.sizes, token, head, j) : Source{token, head * n + j};
}

std::vector<float> QueryPath::normalised(std::span<const float> a, const std::vector<float>& gain, std::span<const float> row) const {
    const Contract& c = model_.contract;
    Model m;
    m.contract = c;
    m.map = maps_for(c).front();
    m.order = *find_order(c.order == "any" ? "sequential" : c.order);
    const auto over = model_.pieces.wide_norm ? row : a;
    std::vector<float> y(over.size()), w(over.size(), 1.0f);
    std::copy(gain.begin(), gain.end(), w.begin() + (over.size() == a.size() ? 0 : a.data() - row.data()));
    m.row(over, w, eps(), y);
    if (over.size() == a.size()) return y;
    const auto from = a.data() - row.data();
    return {y.begin() + from, y.begin() + from + static_cast<std::ptrdiff_t>(a.size())};
}

}  // namespace ulpgate
