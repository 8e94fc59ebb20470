#include "reference/model/model.hpp"

#include <cmath>

namespace ulpgate {
float (*narrow_to(Type t))(float) {
    return with_format(
        t, [](auto f) -> float (*)(float) { return [](float v) { return decltype(f)::round(v); }; });
}

float rsqrt_nearest(float v) { return static_cast<float>(1 / std::sqrt(static_cast<double>(v))); }

double Model::parameter(Stage stage, std::size_t d) const {
    const Parameter& q = parameters[static_cast<std::size_t>(stage)];
    return std::isnan(q.p) && q.by_default ? q.by_default(static_cast<std::int64_t>(d)) : q.p;
}

std::size_t Model::statistic_width(std::size_t d) const {
    const auto k = static_cast<std::size_t>(contract.stat_width);
    return k && k < d ? k : d;
}

namespace {

std::vector<float> squares_of(std::span<const float> x, Accumulate sq, Type t) {
    std::vector<float> squares(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) squares[j] = x[j] * x[j];
    if (sq == Accumulate::t) narrow_nearest(t, squares);
    return squares;
}

double f64_sum(const Model& m, std::span<const float> x, Accumulate sq) {
    const Order& o = *m.order.order;
    if (sq == Accumulate::f64) return o.f64({x.data()}, x.size(), m.order.p);
    return o.terms_f64({squares_of(x, sq, m.contract.x).data()}, x.size(), m.order.p);
}

float moved(float r, int steps) {
    if (!std::isfinite(r) || r == 0) return r;
    for (; steps > 0; --steps) r = std::nextafter(r, INFINITY);
    for (; steps < 0; ++steps) r = std::nextafter(r, 0.0f);
    return r;
}

}  // namespace

float Model::squares_sum(std::span<const float> x, Accumulate sq, Accumulate acc) const {
    const Order& o = *order.order;
    const auto n = x.size();
    if (acc == Accumulate::t)
        return o.low({x.data(), narrow_to(contract.x), sq == Accumulate::t}, n, order.p);
    if (acc == Accumulate::f64 || sq == Accumulate::f64) return static_cast<float>(f64_sum(*this, x, sq));
    if (sq == Accumulate::f32)
        return fma ? o.fma({x.data()}, n, order.p) : o.f32({x.data()}, n, order.p);
    return o.terms({squares_of(x, sq, contract.x).data()}, n, order.p);
}

double Model::sum_of(std::span<const float> x) const {
    const auto d = static_cast<std::int64_t>(x.size());
    x = x.first(statistic_width(x.size()));
    std::vector<float> counted;
    if (weight) {
        const double q = parameter(Stage::columns, static_cast<std::size_t>(d));
        counted.assign(x.begin(), x.end());
        const auto all = static_cast<std::int64_t>(x.size());
        for (std::int64_t j = 0; j < all;
             ++j) {  // a column that is counted twice is met again at the row's end
            const int k = weight(j, d, q);
            if (k == 0) counted[static_cast<std::size_t>(j)] = 0;
            for (int more = 1; more < k; ++more) counted.push_back(x[static_cast<std::size_t>(j)]);
        }
        x = counted;
    }
    if (sum) return sum(*this, x);
    return f64_mean ? f64_sum(*this, x, contract.sq) : squares_sum(x, contract.sq, contract.acc);
}

Scalars Model::scalars(double sum64, std::span<const float> x, double eps) const {
    const double of_eps = parameter(Stage::eps, x.size());
    const auto s = static_cast<float>(sum64);
    Moments m{s, static_cast<float>(statistic_width(x.size())), 0, 0, contract.x};
    m.eps = epsilon ? epsilon(*this, eps, parameter(Stage::epsilon, x.size())) : static_cast<float>(eps);
    if (mean)
        m.ms = mean(m, parameter(Stage::mean, x.size()));
    else if (f64_mean)
        m.ms = static_cast<float>(sum64 / static_cast<double>(m.n));
    else
        m.ms = contract.mean == Mean::recip ? s * (1.0f / m.n) : s / m.n;
    const float v = with_eps ? with_eps(m, of_eps) : m.ms + m.eps;
    float r = 0;
    if (map->by == By::div)
        r = root ? root(v, m, of_eps) : std::sqrt(v);
    else if (rsqrt)
        r = rsqrt(v, m, parameter(Stage::rsqrt, x.size()));
    else
        r = root ? 1.0f / root(v, m, of_eps) : rsqrt_nearest(v);
    r = moved(r, r_steps);
    return {sum64, m.ms, v, scale ? scale(*this, r) : r};
}

float Model::statistic(std::span<const float> x, double eps) const { return from_sum(sum_of(x), x, eps); }

void Model::elements(std::span<const float> x, std::span<const float> w, float r, std::span<float> y) const {
    MapTypes types = map_types(contract);
    const double of_gain = parameter(Stage::gain, x.size()), of_output = parameter(Stage::output, x.size());
    std::vector<float> changed, factors;
    if (element) {
        changed.assign(x.begin(), x.end());
        element(*this, changed);
        x = changed;
    }
    if (gains && !w.empty()) {
        factors.assign(w.begin(), w.end());
        gains(types, factors, of_gain);
        w = factors;
    }
    if (gain && !w.empty()) {
        factors.resize(w.size());
        for (std::size_t j = 0; j < w.size(); ++j) factors[j] = gain(types, w[j], of_gain);
        w = factors;
        types.gain = Gain::given;
    }
    map->apply(types, narrow, x, w, r, y);
    const auto d = static_cast<std::int64_t>(y.size());
    if (output)
        for (std::int64_t j = 0; j < d; ++j) {
            auto& out = y[static_cast<std::size_t>(j)];
            out = output(out, j, d, of_output);
        }
}

void Model::row(std::span<const float> x, std::span<const float> w, double eps, std::span<float> y) const {
    elements(x, w, statistic(x, eps), y);
}

}  // namespace ulpgate
