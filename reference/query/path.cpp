#include "reference/query/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/admissible/sum_bound.hpp"
#include "reference/maps/map.hpp"
#include "reference/model/model.hpp"

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
    bias_ = vector_of(t, "a_bias");
    const bool f32 = c.x == Type::f32 || c.weights == Type::f32;
    first_ = {c.x, c.latent == Latent::f32 ? Type::f32 : c.x, c.a_order, c.a_part, bias_.empty() ? Bias::none : c.bias, f32};
    second_ = {c.x, head && c.logits == Logits::f32 ? Type::f32 : c.x, c.b_order, c.b_part, Bias::none, f32};
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
    const Contract& c = model_.contract;
    std::vector<float> lo(a.size()), hi(a.size()), least(a.size()), most(a.size());
    bool one = true, free = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        lo[k] = a[k].lo;
        hi[k] = a[k].hi;
        one &= a[k].one();
        free |= a[k].free;
        const float p = std::fabs(lo[k]), q = std::fabs(hi[k]);
        most[k] = std::max(p, q);
        least[k] = (lo[k] < 0) != (hi[k] < 0) ? 0 : std::min(p, q);
    }
    if (free) return Ranges(a.size(), {0, 0, true});
    const StatisticSet up = statistic_set(c, least, eps()).set, down = one ? up : statistic_set(c, most, eps()).set;
    std::vector<float> scalars;
    const bool divides = c.by == By::div;
    const StatisticSet &low = divides ? up : down, &high = divides ? down : up;
    const float give = one ? 0.0f : static_cast<float>(2 * unit32 * static_cast<double>(a.size() + 4));
    if (low.interval) scalars.push_back(low.lo * (1 - give));
    if (high.interval) scalars.push_back(high.hi * (1 + give));
    constexpr float inf = std::numeric_limits<float>::infinity();
    for (const auto& [allowed, s] : {std::pair{up.zero || down.zero, 0.0f}, {up.inf || down.inf, inf}, {up.nan || down.nan, std::numeric_limits<float>::quiet_NaN()}})
        if (allowed) scalars.push_back(s);
    if (up.nan && down.nan) return Ranges(a.size(), Range::of(std::numeric_limits<float>::quiet_NaN()));
    return corners(c, lo, hi, model_.pieces.folded_gain ? std::vector<float>(gain_.size(), 1.0f) : gain_, scalars);
}

Ranges QueryPath::each_head(const Ranges& q) const {
    const auto n = static_cast<std::size_t>(t_.sizes[Dim::nope] + t_.sizes[Dim::rope]);
    Ranges out;
    for (std::size_t at = 0; at < q.size(); at += n) {
        QueryPath part(*this);
        part.gain_.assign(n, 1.0f);
        const Ranges head = part.norm(Ranges(q.begin() + static_cast<std::ptrdiff_t>(at), q.begin() + static_cast<std::ptrdiff_t>(at + n)));
        out.insert(out.end(), head.begin(), head.end());
    }
    return out;
}

Ranges QueryPath::through(std::int64_t token) {
    const QueryPieces& p = model_.pieces;
    Ranges z = exactly(input(token));
    if (rank_) {
        Ranges a;
        for (const Projected& y : first(z)) a.push_back(y.allowed);
        z = p.norm ? norm(a) : a;
    } else if (p.norm_always) {
        QueryPath part(*this);
        part.gain_.assign(z.size(), 1.0f);
        z = part.norm(z);
    }
    Ranges q;
    for (const Projected& y : second(z)) q.push_back(y.allowed);
    return p.norm_each_head ? each_head(q) : q;
}

Source QueryPath::source(std::int64_t token, std::int64_t head, std::int64_t j) const {
    const std::int64_t n = t_.sizes[Dim::nope] + t_.sizes[Dim::rope];
    return model_.pieces.source ? model_.pieces.source(t_.sizes, token, head, j) : Source{token, head * n + j};
}

std::vector<float> QueryPath::normalised(std::span<const float> a) const {
    const Contract& c = model_.contract;
    Model m;
    m.contract = c;
    m.map = maps_for(c).front();
    m.order = *find_order(c.order == "any" ? "sequential" : c.order);
    std::vector<float> y(a.size()), w(a.size(), 1.0f);
    if (gain_.size() == a.size() && !model_.pieces.folded_gain) w = gain_;
    m.row(a, w, eps(), y);
    return y;
}

std::vector<std::vector<std::byte>> QueryPath::run() {
    const QueryPieces& p = model_.pieces;
    const bool head = t_.op->abi == Abi::linear;
    std::vector<std::vector<std::byte>> out(t_.all.size());
    const auto place = [&](std::string_view name) -> std::size_t {
        for (std::size_t k = 0; k < t_.all.size(); ++k)
            if (t_.all[k].spec->name == name) return k;
        return t_.all.size();
    };
    for (std::size_t k = 0; k < t_.all.size(); ++k)
        if (!t_.all[k].spec->input()) out[k].resize(static_cast<std::size_t>(t_.all[k].count() * bytes(t_.all[k].type)));
    const auto put = [&](std::string_view name, std::int64_t at, std::span<const float> v) {
        const std::size_t k = place(name);
        if (k < out.size() && !v.empty()) pack(t_.all[k].type, v, out[k].data() + at * bytes(t_.all[k].type));
    };
    std::vector<std::vector<float>> q;
    for (std::int64_t token = 0; token < tokens_; ++token) {
        std::vector<float> z = input(token);
        if (rank_) {
            std::vector<float> a(static_cast<std::size_t>(rank_));
            restate(*a_, first_, p, z, bias_, a);
            put("tap_a", token * rank_, a);
            z = p.norm ? normalised(a) : a;
            put("tap_norm", token * rank_, z);
        } else if (p.norm_always) {
            z = normalised(z);
        }
        std::vector<float> y(static_cast<std::size_t>(b_->rows()));
        restate(*b_, second_, p, z, {}, y);
        if (p.norm_each_head) {
            const auto n = static_cast<std::size_t>(t_.sizes[Dim::nope] + t_.sizes[Dim::rope]);
            for (std::size_t at = 0; at < y.size(); at += n) {
                const auto part = normalised(std::span(y).subspan(at, n));
                std::copy(part.begin(), part.end(), y.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        put("tap_q_b", token * static_cast<std::int64_t>(y.size()), y);
        if (head) put("y", token * static_cast<std::int64_t>(y.size()), y);
        q.push_back(std::move(y));
    }
    if (head) return out;
    const std::int64_t B = t_.sizes[Dim::batch], T = t_.sizes[Dim::tokens], H = t_.sizes[Dim::heads], N = t_.sizes[Dim::nope], R = t_.sizes[Dim::rope];
    for (std::int64_t b = 0; b < B; ++b)
        for (std::int64_t h = 0; h < H; ++h)
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t j = 0; j < N + R; ++j) {
                    const Source s = source(b * T + t, h, j);
                    const float v = q[static_cast<std::size_t>(s.token)][static_cast<std::size_t>(s.row)];
                    const std::int64_t at = (b * H + h) * T + t;
                    put(j < N ? "q_nope" : "q_pe", j < N ? at * N + j : at * R + (j - N), {&v, 1});
                }
    return out;
}

}  // namespace ulpgate
