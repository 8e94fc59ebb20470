#include "reference/query/shares.hpp"

#include <algorithm>
#include <cmath>

#include "reference/formats/ulp.hpp"

namespace ulpgate {
namespace {

bool finite(std::span<const float> v) {
    return std::all_of(v.begin(), v.end(), [](float f) { return std::isfinite(f); });
}

// Both sums of a row with two vectors.
std::array<double, 2> dots(const WeightRow& w, std::span<const double> x, std::span<const double> y) {
    std::array<double, 2> s{};
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double v = w.scale.empty() ? static_cast<double>(w.w[k]) : static_cast<double>(w.w[k]) * static_cast<double>(w.scale[k / static_cast<std::size_t>(w.block)]);
        s[0] += v * x[k];
        s[1] += v * y[k];
    }
    return s;
}

}  // namespace

void QueryShares::merge(const QueryShares& o) {
    for (std::size_t k = 0; k < square.size(); ++k) {
        square[k] += o.square[k];
        cross[k] += o.cross[k];
        largest[k] = std::max(largest[k], o.largest[k]);
    }
    whole += o.whole;
    outputs += o.outputs;
}

double QueryShares::rms(std::size_t stage) const {
    return outputs ? std::sqrt((stage < square.size() ? square[stage] : whole) / static_cast<double>(outputs)) : 0;
}

ShareCounter::ShareCounter(const Tensors& t, Type type, double eps) : t_(t), type_(type), eps_(eps) {
    if (const Tensor* g = t.find("q_gain"); g && g->count()) {
        gain_.resize(static_cast<std::size_t>(g->width()));
        g->read_row(0, gain_);
    }
}

std::vector<double> ShareCounter::normalised(std::span<const double> a) const {
    double s = 0;
    for (const double v : a) s += v * v;
    const double r = 1 / std::sqrt(s / static_cast<double>(a.size()) + eps_);
    std::vector<double> n(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) n[k] = a[k] * r * static_cast<double>(gain_[k]);
    return n;
}

void ShareCounter::token(const QueryToken& v, QueryShares& into) {
    if (!finite(v.tap_a) || !finite(v.tap_norm) || !finite(v.q) || v.q.empty()) return;
    double sizes = 0, values = 0;
    for (const Projected& y : v.b) {
        if (!std::isfinite(y.exact) || y.allowed.free) return;
        values += y.exact * y.exact;
        sizes += y.magnitude * y.magnitude / static_cast<double>(std::max<std::int64_t>(y.terms, 1));
    }
    for (const Projected& y : v.a)
        if (!std::isfinite(y.exact) || y.allowed.free) return;
    const double unit = ulp_at(type_, std::sqrt(std::max(values, sizes) / static_cast<double>(v.b.size())));
    // The differences of what enters q_b: their sums are small where the vectors are close, and so are the rounding errors of f64.
    std::vector<double> by_cast, by_sum, by_norm;
    if (!v.a.empty()) {
        std::vector<double> exact, once, own;
        for (std::size_t k = 0; k < v.a.size(); ++k) {
            exact.push_back(v.a[k].exact);
            once.push_back(static_cast<double>(decode(type_, v.a[k].nearest)));
            own.push_back(static_cast<double>(v.tap_a[k]));
        }
        const auto n0 = normalised(exact), n1 = normalised(once), n2 = normalised(own);
        for (std::size_t k = 0; k < n0.size(); ++k) {
            by_cast.push_back(n1[k] - n0[k]);
            by_sum.push_back(n2[k] - n1[k]);
            by_norm.push_back(static_cast<double>(v.tap_norm[k]) - n2[k]);
        }
    }
    Matrix b(t_, "q_b", none_);
    const std::vector<double> zeros(by_norm.size());
    const bool sums_differ = by_sum != zeros;
    for (std::size_t o = 0; o < v.b.size(); ++o) {
        std::array<double, 5> e{};
        if (!v.a.empty()) {
            const WeightRow row = b.row(static_cast<std::int64_t>(o));
            const auto [cast, norm] = dots(row, by_cast, by_norm);
            e = {cast, sums_differ ? dots(row, by_sum, zeros)[0] : 0, norm, 0, 0};
        }
        const double once = static_cast<double>(decode(type_, v.b[o].nearest));
        e[3] = once - v.b[o].exact;
        e[4] = static_cast<double>(v.q[o]) - once;
        double whole = 0;
        for (double& d : e) whole += d /= unit;
        for (std::size_t k = 0; k < e.size(); ++k) {
            into.square[k] += e[k] * e[k];
            into.cross[k] += e[k] * whole;
            into.largest[k] = std::max(into.largest[k], std::fabs(e[k]));
        }
        into.whole += whole * whole;
        ++into.outputs;
    }
}

}  // namespace ulpgate
