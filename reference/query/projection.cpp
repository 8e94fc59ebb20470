#include "reference/query/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/admissible/sum_bound.hpp"
#include "reference/orders/order.hpp"
#include "reference/ops/query_tensors.hpp"
#include "reference/tensor_core/sum.hpp"

namespace ulpgate {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

double ufp(double v) { return v > 0 ? std::ldexp(1.0, std::ilogb(v)) : 0; }

struct Wide {  // a column with more than one value
    std::size_t k;
    double radius;
};
struct Spread {  // what wide columns add to a sum, either way
    double by = 0;
    std::int64_t terms = 0;  // whose weight is not 0
};

// u of T, and the largest error of rounding to a subnormal of it.
struct Unit {
    double u, eta;
};
Unit unit_of(Type t) {
    return with_format(t, [](auto f) -> Unit { return {std::ldexp(1.0, -f.precision), std::ldexp(1.0, f.emin - f.precision)}; });
}

double largest_of(Type t) {
    return with_format(t, [](auto f) { return std::min(0x1p127, static_cast<double>(f.decode(f.max_word))); });
}

double weight(const WeightRow& row, std::size_t k) {
    const double s = row.scale.empty() ? 1 : static_cast<double>(row.scale[k / static_cast<std::size_t>(row.block)]);
    return static_cast<double>(row.w[k]) * s;
}

template <bool count, class Weight>
Spread spread_by(const std::vector<Wide>& wide, Weight weight_at) {
    double a = 0, b = 0, c = 0, d = 0;  // four sums: additions wait for one another
    Spread out;
    const auto add = [&](double& sum, const Wide& v) {
        const double w = std::fabs(weight_at(v.k));
        sum += v.radius * w;
        if constexpr (count) out.terms += w != 0;
    };
    std::size_t i = 0;
    for (; i + 4 <= wide.size(); i += 4) add(a, wide[i]), add(b, wide[i + 1]), add(c, wide[i + 2]), add(d, wide[i + 3]);
    for (; i < wide.size(); ++i) add(a, wide[i]);
    if constexpr (!count) out.terms = static_cast<std::int64_t>(wide.size());
    out.by = ((a + b) + (c + d)) * (1 + 0x1p-40);
    return out;
}
Spread spread_of(const std::vector<Wide>& wide, const WeightRow& row) {
    if (row.facts && row.facts->ordinary && row.scale.empty()) return spread_by<false>(wide, [&](std::size_t k) { return static_cast<double>(row.w[k]); });
    return spread_by<true>(wide, [&](std::size_t k) { return weight(row, k); });
}

double largest(std::span<const float> scale) {
    double m = 0;
    for (const float s : scale) m = std::max(m, std::fabs(static_cast<double>(s)));
    return m;
}

int height_of(const std::string& order, std::size_t n) {
    if (order == "any") return -1;
    const auto o = find_order(order);
    return o ? o->order->height(Height{}, n, o->p) : -1;
}

// What narrowing the partial sums to T adds, to an error of e.
double narrowing(const Projection& p, double m, double e, std::int64_t terms, double gamma) {
    if (p.part != Accumulate::t || p.t == Type::f32) return 0;
    const Unit t = unit_of(p.t);
    return (t.u * (m + e) + static_cast<double>(terms) * t.eta) * (1 + gamma);
}

// How far a sum in f32 may be from the exact one. terms: that are not 0; m: sum of their magnitudes.
double sum_error(const Projection& p, int height, bool scaled, double m, std::int64_t terms, int unit) {
    const std::int64_t rounded = (p.rounded_products ? 1 : 0) + (scaled ? 2 : 0);
    std::int64_t additions = std::max<std::int64_t>(terms - 1, 0);
    if (height >= 0) additions = std::min<std::int64_t>(additions, height + (p.bias == Bias::before));
    const double gamma = bound_by_count(unit32, additions + rounded);
    double e = gamma * m;
    if (rounded == 0) e = std::min(e, static_cast<double>(std::max<std::int64_t>(terms - 1, 0)) * unit32 * ufp(m * (1 + gamma)));
    if (unit < -149 || rounded) e += static_cast<double>(terms) * 0x1p-149 * (1 + gamma);
    e += narrowing(p, m, e, terms, gamma);
    return e * (1 + 0x1p-40);
}

// The values of type t (f32: all floats) that an f32 sum in [lo, hi] rounds to.
Range rounded(Type round, double lo, double hi) {
    if (round != Type::f32) return {round_to(round, lo), round_to(round, hi), false};
    float a = static_cast<float>(lo), b = static_cast<float>(hi);
    if (a != b) {
        if (static_cast<double>(a) < lo) a = std::nextafter(a, std::numeric_limits<float>::infinity());
        if (static_cast<double>(b) > hi) b = std::nextafter(b, -std::numeric_limits<float>::infinity());
        if (a > b) a = b = static_cast<float>((lo + hi) / 2);
    }
    return {a, b, false};
}

Range add_after(Type t, Range r, float bias) {
    if (r.free) return r;
    const auto add = [&](float v) { return round_to(t, v + bias); };
    return {add(r.lo), add(r.hi), false};
}

}  // namespace

Ranges exactly(std::span<const float> v) {
    Ranges out(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) out[k] = Range::of(v[k]);
    return out;
}

Matrix::Matrix(const Tensors& t, std::string_view name, const QueryPieces& pieces)
    : w_(*t.find(name)), scale_(t.find(std::string(name) + "_scale")), pieces_(pieces) {
    values_.resize(static_cast<std::size_t>(w_.width()));
    if (scale_) scales_.resize(static_cast<std::size_t>(scale_->width()));
    if (pieces.folded_gain && name == "q_b" && t.sizes[Dim::q_rank]) {
        folded_to_ = w_.type == Type::e4m3 ? t.contract.x : w_.type;
        folded_.resize(values_.size());
        t.find("q_gain")->read_row(0, folded_);
    }
    if (!pieces.transposed) return;
    whole_.resize(static_cast<std::size_t>(w_.count()));
    for (std::int64_t o = 0; o < w_.rows(); ++o) w_.read_row(o, std::span(whole_).subspan(static_cast<std::size_t>(o) * values_.size(), values_.size()));
}

const WeightFacts* Matrix::facts_of(std::int64_t o) {
    const auto k = static_cast<std::size_t>(o);
    if (met_.empty()) met_.resize(static_cast<std::size_t>(rows()));
    if (!met_[k]) {
        met_[k] = true;
        return nullptr;
    }
    if (kept_.empty()) kept_.resize(met_.size());
    if (!kept_[k]) kept_[k].emplace(values_);
    return &*kept_[k];
}

WeightRow Matrix::row(std::int64_t o) {
    if (pieces_.transposed)
        for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = whole_[k * static_cast<std::size_t>(rows()) + static_cast<std::size_t>(o)];
    else
        w_.read_row(o, values_);
    for (std::size_t k = 0; k < folded_.size(); ++k) values_[k] = round_to(folded_to_, values_[k] * folded_[k]);
    for (auto k = std::max<std::int64_t>(columns() - pieces_.dropped, 0); k < columns(); ++k) values_[static_cast<std::size_t>(k)] = 0;
    if (!scale_) return {values_, {}, 1, facts_of(o)};
    for (std::int64_t c = 0; c < scale_->width(); ++c) {
        BlockIndex at{o / ops::scale_block, c};
        if (pieces_.block) at = pieces_.block(scale_->rows(), scale_->width(), at);
        const float s = scale_->value(at.row * scale_->width() + at.column);
        scales_[static_cast<std::size_t>(c)] = pieces_.scale ? pieces_.scale(s) : s;
    }
    return {values_, scales_, ops::scale_block, nullptr};
}

std::string why_no_sum(const Contract& c) {
    for (const std::string& order : {c.a_order, c.b_order}) {
        const auto core = find_tensor_core_sum(order);
        if (!core) continue;
        if (c.x == Type::f32) return "mma: sums have factors of bf16 or fp16: no tensor core multiplies f32 exactly";
        if (c.weights == Type::e4m3 && (core->promoted == 0 || ops::scale_block % core->promoted))
            return "mma: sums of e4m3 weights end within a scale's 128 columns: mma:32x13:128";
        if (c.weights != Type::none && c.weights != c.x && c.weights != Type::e4m3) return "mma: sums have factors of one type: weights of the type of x, or e4m3";
    }
    return "";
}

void project(Matrix& w, const Projection& p, const Ranges& x, std::span<const float> bias, std::vector<Projected>& out, DotCounts* counts,
             std::int64_t first, std::int64_t count) {
    std::vector<float> nominal(x.size());
    std::vector<Wide> wide;
    std::vector<std::size_t> loose;  // columns that may hold anything
    for (std::size_t k = 0; k < x.size(); ++k) {
        nominal[k] = x[k].one() ? x[k].lo : x[k].free ? 0 : static_cast<float>((static_cast<double>(x[k].lo) + static_cast<double>(x[k].hi)) / 2);
        if (x[k].one()) continue;
        const double c = static_cast<double>(nominal[k]);
        if (x[k].free || !std::isfinite(x[k].hi - x[k].lo)) loose.push_back(k);
        else wide.push_back({k, std::max(static_cast<double>(x[k].hi) - c, c - static_cast<double>(x[k].lo)) * (1 + 0x1p-50)});
    }
    const DotVector a(nominal);
    const auto core = find_tensor_core_sum(p.order);
    const int height = core ? -1 : height_of(p.order, x.size());
    const auto error_of = [&](double m, std::int64_t terms, int unit, const WeightRow& row) {
        const double f32 = core && !p.core_or_f32 ? 0 : sum_error(p, height, w.has_scales(), m, terms, unit);
        if (!core) return f32;
        const double e = tensor_core_error(*core, m, terms, static_cast<std::int64_t>(x.size()), p.bias == Bias::before, largest(row.scale));
        const auto chains = static_cast<std::int64_t>(core->promoted ? x.size() / static_cast<std::size_t>(core->promoted) + 1 : static_cast<std::size_t>(core->chains));
        return std::max(f32, e + narrowing(p, m, e, terms, bound_by_count(unit32, chains)));
    };
    // A partial sum that overflows is inf, and inf - inf is NaN: beyond this anything may come out.
    const double overflow = p.part == Accumulate::t ? largest_of(p.t) : 0x1p127;
    out.resize(static_cast<std::size_t>(count < 0 ? w.rows() - first : count));
    for (std::size_t o = 0; o < out.size(); ++o) {
        const WeightRow row = w.row(first + static_cast<std::int64_t>(o));
        const float b = bias.empty() ? 0.0f : bias[o];
        DotSum d;
        Projected& y = out[o];
        y = {};
        y.nearest = round_dot(p.round, a, row, p.bias == Bias::before ? static_cast<double>(b) : 0, d, counts);
        y.exact = d.value;
        y.error = d.error;
        y.magnitude = d.magnitude;
        y.before = d.value;
        y.terms = d.terms;
        Spread more = spread_of(wide, row);
        bool free = false;
        for (const std::size_t k : loose)
            if (weight(row, k) != 0) free = true, ++more.terms;
        const double spread = more.by;
        if (d.level == 0) {
            y.allowed = Range::of(static_cast<float>(d.value));
            y.allowed.free = free;
        } else {
            const bool exact = spread == 0 && d.exact_in_f32() && p.part == Accumulate::f32 && (!core || exact_where_f32_is(*core));
            const double m = d.magnitude + spread, e = exact ? 0 : error_of(m, d.terms + more.terms, d.unit, row);
            y.width = spread + e + d.error;
            if (free || !(m + e < overflow)) y.allowed = {nan32, nan32, true};
            else if (y.width == 0) y.allowed = Range::of(decode(p.round, y.nearest));
            else {
                const double r = (y.width + std::fabs(d.low)) * (1 + 0x1p-50);
                y.allowed = rounded(p.round, std::nextafter(d.value - r, -inf), std::nextafter(d.value + r, inf));
            }
        }
        if (p.bias == Bias::after) {
            y.allowed = add_after(p.round, y.allowed, b);
            y.exact += static_cast<double>(b);
            y.nearest = encode(p.round, round_to(p.round, decode(p.round, y.nearest) + b));
        }
    }
}

void restate(Matrix& w, const Projection& p, const QueryPieces& pieces, std::span<const float> x, std::span<const float> bias, std::span<float> out, std::int64_t first) {
    const auto core = find_tensor_core_sum(p.order);
    const auto order = *find_order(p.order == "any" || core ? "sequential" : p.order);
    std::vector<float> dequantised(x.size());
    for (std::size_t o = 0; o < out.size(); ++o) {
        const WeightRow row = w.row(first + static_cast<std::int64_t>(o));
        std::span<const float> v = row.w;
        const bool scaled = !row.scale.empty();
        const auto block = static_cast<std::size_t>(row.block);
        const auto sum = [&](std::size_t from, std::size_t n) {
            const auto a = x.subspan(from, n), b = v.subspan(from, n);
            if (!core) return order.order->dot({a.data(), b.data()}, n, order.p);
            const auto scale = scaled ? row.scale.subspan(from / block) : row.scale;
            return p.t == Type::fp16 ? tensor_core_sum<Fp16>(*core, a, b, scale, block) : tensor_core_sum<Bf16>(*core, a, b, scale, block);
        };
        if (scaled && (!core || pieces.low_sum)) {
            for (std::size_t k = 0; k < x.size(); ++k) dequantised[k] = row.w[k] * row.scale[k / static_cast<std::size_t>(row.block)];
            v = dequantised;
        }
        float s = 0;
        if (pieces.low_sum) {
            for (std::size_t k = 0; k < x.size(); ++k) s = round_to(p.t, s + round_to(p.t, x[k] * v[k]));
        } else if (pieces.splits > 1 || p.part == Accumulate::t) {
            const std::size_t parts = pieces.splits > 1 ? static_cast<std::size_t>(pieces.splits) : 2, n = x.size();
            for (std::size_t q = 0; q < parts; ++q) {
                const auto at = [&](std::size_t part) { return part == parts ? n : core && scaled ? n * part / parts / block * block : n * part / parts; };
                s += round_to(p.t, sum(at(q), at(q + 1) - at(q)));
            }
        } else {
            s = sum(0, x.size());
        }
        if (p.bias == Bias::before) s += bias[o];
        out[o] = p.round == Type::f32 ? s : round_to(p.round, s);
        if (p.bias == Bias::after) out[o] = round_to(p.round, out[o] + bias[o]);
    }
}

}  // namespace ulpgate
