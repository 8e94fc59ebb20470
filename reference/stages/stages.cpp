#include "reference/stages/stages.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "reference/exact/sum.hpp"
#include "reference/formats/convert.hpp"
#include "reference/formats/ulp.hpp"

namespace ulpgate {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

double log_ratio(const Big& over_minus_under, const Big& under) { return std::log1p(static_cast<double>(Big(over_minus_under / under))); }

// ln(to / from) of two numbers whose difference is exact in double.
double log_step(double to, double from) { return std::log1p((to - from) / from); }
// ln(to / (a b)), the product of two floats exact in double.
double log_product(float to, float a, float b) {
    const double product = static_cast<double>(a) * static_cast<double>(b);
    return log_step(to, product);
}
// ln(to b / a), to = fl(a / b): to b is exact in double.
double log_quotient(float to, float a, float b) { return log_step(static_cast<double>(to) * static_cast<double>(b), a); }

struct RowLogs {
    std::array<double, row_stages> c;
    double r;  // 1/sqrt(S/d + eps)
};

// S/d + eps, to the 2^-86 of the sum.
Big exact_statistic(std::span<const float> seen, double eps) {
    const auto sum = sum_of_squares(seen);
    return (Big(sum.hi) + Big(sum.lo)) / static_cast<double>(seen.size()) + eps;
}

RowLogs row_logs(const Model& m, const Scalars& k, std::span<const float> seen, double eps) {
    const Big d = static_cast<double>(seen.size()), e = eps, exact = exact_statistic(seen, eps);
    const Big s = Big(k.s) / d, ms = k.ms, v = k.v, scalar = k.scalar;
    RowLogs out{};
    out.c[0] = -0.5 * log_ratio(s + e - exact, exact);
    out.c[1] = -0.5 * log_ratio(ms - s, s + e);
    out.c[2] = -0.5 * log_ratio(v - ms - e, ms + e);
    const Big squared = scalar * scalar;
    out.c[3] = m.map->by == By::div ? -0.5 * log_ratio(squared - v, v) : 0.5 * log_ratio(squared * v - 1, Big(1));
    out.r = static_cast<double>(Big(1 / sqrt(exact)));
    return out;
}

struct Element {
    float y;
    double multiply, cast, gain;
    bool ok;
};

bool usable(float v) { return std::isfinite(v) && v != 0; }
// A normal number of its type: what is below has fewer bits, and no relative bound.
bool normal(Type t, float v) {
    return usable(v) && with_format(t, [&](auto f) { return std::fabs(v) >= decltype(f)::decode(decltype(f)::min_normal_word); });
}

Element element(const MapPiece& map, Type t, Type y_type, float x, float w, bool has_gain, float r) {
    const bool div = map.by == By::div;
    const auto scaled = [&](float a) { return div ? a / r : a * r; };
    const auto scaled_log = [&](float to, float a) { return div ? log_quotient(to, a, r) : log_product(to, a, r); };
    Element e{};
    if (map.map == Map::cast_first) {
        const float n = scaled(x), narrow = round_to(t, n);
        e.y = round_to(y_type, has_gain ? narrow * w : narrow);
        e.ok = normal(Type::f32, n) && normal(t, narrow) && normal(y_type, e.y);
        if (!e.ok) return e;
        e.multiply = scaled_log(n, x);
        e.cast = log_step(narrow, n);
        e.gain = has_gain ? log_product(e.y, narrow, w) : log_step(e.y, narrow);
        return e;
    }
    float n = 0, g = 0;  // after the first f32 rounding, after the second
    switch (has_gain ? map.assoc : Assoc::any) {
    case Assoc::any: n = g = scaled(x); break;
    case Assoc::xr_w: n = scaled(x), g = n * w; break;
    case Assoc::x_rw: n = div ? w / r : r * w, g = x * n; break;
    case Assoc::xw_r: n = x * w, g = scaled(n); break;
    }
    e.y = round_to(y_type, g);
    e.ok = normal(Type::f32, n) && normal(Type::f32, g) && normal(y_type, e.y);
    if (!e.ok) return e;
    e.cast = log_step(e.y, g);
    switch (has_gain ? map.assoc : Assoc::any) {
    case Assoc::any: e.multiply = scaled_log(n, x); break;
    case Assoc::xr_w: e.multiply = scaled_log(n, x), e.gain = log_product(g, n, w); break;
    case Assoc::x_rw: e.gain = div ? log_quotient(n, w, r) : log_product(n, r, w), e.multiply = log_product(g, x, n); break;
    case Assoc::xw_r: e.gain = log_product(n, x, w), e.multiply = scaled_log(g, n); break;
    }
    return e;
}

// The factor W as the contract makes it of the stored gain.
float factor(const Contract& c, float w) {
    if (c.gain == Gain::one_plus) return 1.0f + w;
    if (c.gain == Gain::one_plus_t) return round_to(c.x, 1.0f + w);
    return w;
}

}  // namespace

std::string_view name(ErrorStage s) {
    constexpr std::string_view names[] = {"sum", "mean", "eps", "rsqrt", "multiply", "cast", "gain"};
    return names[static_cast<int>(s)];
}

std::string why_no_stages(const Model& m) {
    if (!m.fault.empty()) return "it has a fault (" + m.fault + "): its lines are not the contract's";
    if (m.narrow != narrow_nearest || m.gain || m.gains || m.weight || m.partner || m.spill || m.for_rows || m.mix || m.epsilon || m.element || m.address || m.output || m.scale)
        return "one of its lines is not the contract's";
    return "";
}

namespace {

RowStages elements_of(const Model& m, const RowLogs& row, float scalar, std::span<const float> x, std::span<const float> w) {
    RowStages out;
    out.r = row.r;
    const bool has_gain = !w.empty();
    for (std::size_t j = 0; j < x.size(); ++j) {
        const float W = has_gain ? factor(m.contract, w[j]) : 1.0f;
        const bool ok = usable(x[j]) && usable(W);
        const auto e = ok ? element(*m.map, m.contract.x, m.contract.y, x[j], W, has_gain, scalar) : Element{};
        if (!ok || !e.ok) {
            ++out.skipped;
            continue;
        }
        out.terms.push_back({row.c[0], row.c[1], row.c[2], row.c[3], e.multiply, e.cast, e.gain});
        out.column.push_back(static_cast<std::int64_t>(j));
        out.ideal.push_back(static_cast<double>(x[j]) * static_cast<double>(W) * row.r);
        out.output.push_back(e.y);
    }
    return out;
}

RowStages none(std::span<const float> x) {
    RowStages out;
    out.skipped = static_cast<std::int64_t>(x.size());
    return out;
}

}  // namespace

RowStages row_stages_of(const Model& m, std::span<const float> x, std::span<const float> w, double eps) {
    const auto seen = x.first(m.statistic_width(x.size()));
    const auto k = m.scalars(m.sum_of(x), x, eps);
    if (!usable(static_cast<float>(k.s)) || !usable(k.v) || !usable(k.scalar)) return none(x);
    return elements_of(m, row_logs(m, k, seen, eps), k.scalar, x, w);
}

RowStages row_stages_given(const Model& m, float scalar, std::span<const float> x, std::span<const float> w, double eps) {
    const auto seen = x.first(m.statistic_width(x.size()));
    const bool finite = std::all_of(seen.begin(), seen.end(), [](float v) { return std::isfinite(v); });
    const Big exact = finite ? exact_statistic(seen, eps) : Big(0);
    if (!usable(scalar) || exact <= 0) return none(x);
    const Big squared = Big(scalar) * Big(scalar);
    RowLogs row{};
    row.c[3] = m.map->by == By::div ? -0.5 * log_ratio(squared - exact, exact) : 0.5 * log_ratio(squared * exact - 1, Big(1));
    row.r = static_cast<double>(Big(1 / sqrt(exact)));
    return elements_of(m, row, scalar, x, w);
}

std::array<double, error_stages> stage_bounds(const Contract& c, double rho, std::int64_t d) {
    constexpr double u = 0x1p-24;
    const bool power_of_two = (d & (d - 1)) == 0;
    const double roundings = power_of_two ? 0 : c.mean == Mean::div ? 1 : 2, t = std::ldexp(1.0, -precision(c.x)), y = std::ldexp(1.0, -precision(c.y));
    const double kappa = std::max(static_cast<double>(c.rsqrt), 0.5);
    const bool first = c.map == Map::cast_first;
    return {rho / 2, roundings * u / 2, u, 2 * kappa * u, u, first ? (c.x == Type::f32 ? 0 : t) : y, first ? y : u};
}

void StageBudget::add(const RowStages& r, std::int64_t row) {
    ++rows_;
    skipped_ += r.skipped;
    const double r_ulps = r.r > 0 ? r.r / ulp_at(Type::f32, r.r) : 0;
    std::array<double, error_stages> ulps{};
    for (std::size_t k = 0; k < r.terms.size(); ++k) {
        const auto& c = r.terms[k];
        double total = 0;
        for (const double v : c) total += v;
        // (y^ - y) / ln(y^ / y) in ulps of y: what a log is worth here.
        const double y = std::fabs(r.ideal[k]), worth = (total == 0 ? 1 : std::expm1(total) / total) * y / ulp_at(type_, y);
        for (std::size_t s = 0; s < error_stages; ++s) ulps[s] = c[s] * worth;
        all_.add(ulps, row, r.column[k]);
    }
    if (r.terms.empty()) return all_.add_row({});
    for (std::size_t s = 0; s < row_stages; ++s) ulps[s] = r.terms[0][s] * r_ulps;
    all_.add_row(std::span(ulps).first(row_stages));
}

}  // namespace ulpgate
