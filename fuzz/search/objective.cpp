#include "fuzz/search/objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/admissible/statistic.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate::fuzzing {
namespace {

ULPGATE_INLINE double sum_body(const float* x, std::size_t n) {
    std::array<double, 16> s{};
    std::size_t j = 0;
    for (; j + 16 <= n; j += 16)
        for (std::size_t k = 0; k < 16; ++k) s[k] += static_cast<double>(x[j + k]) * static_cast<double>(x[j + k]);
    for (; j < n; ++j) s[0] += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    double sum = 0;
    for (const double v : s) sum += v;
    return sum;
}
double sum_portable(const float* x, std::size_t n) { return sum_body(x, n); }
#if defined(__x86_64__)
ULPGATE_AVX2 double sum_avx2(const float* x, std::size_t n) { return sum_body(x, n); }
#endif

double ulp32(double r) { return std::ldexp(1.0, std::max(std::ilogb(r), -126) - 23); }

// The interval of r that outputs rounded once (f32_gain) or by the cast allow.
struct Interval {
    double lo = 0, hi = std::numeric_limits<double>::infinity();
};

// Below, T(x r) is off by half of a fixed step, which a gain multiplies by any factor.
double smallest_normal(Type t) {
    return with_format(t, [](auto f) { return std::ldexp(1.0, f.emin); });
}

// y = RN(x r w): |y - x r w| <= the roundings of the way there, each half an ulp of the type it rounds to.
void narrow(Interval& i, const Contract& c, float x, float w, float y) {
    const double q = static_cast<double>(x) * static_cast<double>(w);
    constexpr float normal = 0x1p-110f;  // below, products and their steps may be subnormal
    if (std::fabs(y) < normal || std::fabs(x) < normal || !std::isfinite(q) || q == 0) return;
    const bool power = std::fabs(w) == 1.0f && [&] {
        int e = 0;
        return std::fabs(std::frexp(x, &e)) == 0.5f;
    }();
    const double v = static_cast<double>(y) / q;
    const bool casts = c.map == Map::cast_first && c.x != Type::f32;
    if (casts && std::fabs(static_cast<double>(x) * v) < 4 * smallest_normal(c.x)) return;
    // Exact where x is a power of two, w is 1 and y keeps f32.
    const bool f32_out = c.y == Type::f32 && (c.map == Map::f32_gain || c.x == Type::f32);
    double half = 0;
    if (!(f32_out && power)) {
        half = ulp_at(c.y, static_cast<double>(y)) / 2 / std::fabs(q);
        if (casts) half += std::ldexp(v, -precision(c.x));
        else if (std::fabs(w) != 1.0f) half += std::ldexp(v, -24);
    }
    half *= 1 + 0x1p-40;
    i.lo = std::max(i.lo, v - half);
    i.hi = std::min(i.hi, v + half);
}

// NaN and inf in inputs or outputs: x is finite where S is; y is looked at in the columns that are used.
std::optional<Interval> interval_of_r(const RowOutputs& o) {
    Interval i;
    const std::size_t n = o.x.size();
    std::array<float, 32> used{};
    std::size_t count = 0;
    const auto use = [&](std::size_t j) {
        if (count == used.size() || std::find(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(count), o.x[j]) != used.begin() + static_cast<std::ptrdiff_t>(count))
            return true;
        used[count++] = o.x[j];
        if (!std::isfinite(o.y[j])) return false;
        narrow(i, *o.contract, o.x[j], o.w.empty() ? 1.0f : o.w[j], o.y[j]);
        return true;
    };
    for (const std::int64_t j : o.columns)
        if (!use(static_cast<std::size_t>(j))) return std::nullopt;
    for (std::size_t j = 0; o.columns.empty() && j < n; ++j)
        if (j == 0 || o.x[j] != o.x[j - 1])
            if (!use(j)) return std::nullopt;
    if (!(i.hi > 0) || !std::isfinite(i.hi)) return std::nullopt;
    return i;
}

// The errors of r that are sure: 0 where the interval holds r0.
double distance(const Interval& i, double r0) { return std::max({0.0, i.lo - r0, r0 - i.hi}); }

double worst_ulp(const RowOutputs& o, double r0) {
    double worst = 0;
    const double least = 2 * smallest_normal(o.contract->x) / r0;
    for (std::size_t j = 0; j < o.x.size(); ++j) {
        if (!std::isfinite(o.y[j])) return nothing;
        if (std::fabs(static_cast<double>(o.x[j])) < least) continue;
        const double ideal = static_cast<double>(o.x[j]) * (o.w.empty() ? 1.0 : static_cast<double>(o.w[j])) * r0;
        if (ideal == 0) continue;
        worst = std::max(worst, std::fabs(static_cast<double>(o.y[j]) - ideal) / ulp_at(o.contract->y, ideal));
    }
    return worst;
}

}  // namespace

std::optional<Objective> objective_of(std::string_view name) {
    const auto at = std::find(std::begin(objective_names), std::end(objective_names), name);
    if (at == std::end(objective_names)) return std::nullopt;
    return static_cast<Objective>(at - std::begin(objective_names));
}

std::string_view unit_of(Objective o) { return o == Objective::ulp ? "ulp" : o == Objective::eps ? "of eps" : "ulp32"; }

bool shows_r(const Contract& c) {
    return c.y == Type::f32 && (c.map == Map::f32_gain || c.x == Type::f32) && c.residual == Residual::none && c.by == By::mul &&
           (c.gain == Gain::given || c.gain == Gain::none);
}

double sum_of_squares(std::span<const float> x) {
#if defined(__x86_64__)
    if (has_avx2()) return sum_avx2(x.data(), x.size());
#endif
    return sum_portable(x.data(), x.size());
}

double value_of(Objective what, const RowOutputs& o) {
    const double sum = sum_of_squares(o.x), mean = sum / static_cast<double>(o.x.size()), r0 = 1 / std::sqrt(mean + o.eps);
    if (!(sum < 0x1p126) || !std::isfinite(r0)) return nothing;  // where f32 overflows the specification itself leaves real arithmetic
    if (what == Objective::ulp) return worst_ulp(o, r0);
    const auto i = interval_of_r(o);
    if (!i) return nothing;
    if (what == Objective::r) return distance(*i, r0) / ulp32(r0);
    if (what == Objective::outside) {
        const auto s = statistic_set(*o.contract, o.x, o.eps);
        if (!s.unsupported.empty() || !s.set.interval) return nothing;
        return std::max(i->lo - static_cast<double>(s.set.hi), static_cast<double>(s.set.lo) - i->hi) / ulp32(r0);
    }
    if (mean > o.eps) return nothing;
    const double lo = 1 / (i->hi * i->hi) - mean, hi = 1 / (i->lo * i->lo) - mean;
    return std::max({0.0, lo - o.eps, o.eps - hi}) / o.eps;
}

double allowed_on(Objective what, const RowOutputs& o) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    const auto s = statistic_set(*o.contract, o.x, o.eps);
    if (!s.unsupported.empty() || !s.set.interval || s.set.zero || s.set.inf) return unbounded;
    const double r0 = s.set.r, lo = static_cast<double>(s.set.lo), hi = static_cast<double>(s.set.hi);
    if (what == Objective::outside) return 0;
    if (what == Objective::r) return std::max(hi - r0, r0 - lo) / ulp32(r0);
    const double mean = sum_of_squares(o.x) / static_cast<double>(o.x.size());
    if (what == Objective::eps) return std::max(std::fabs(1 / (lo * lo) - mean - o.eps), std::fabs(1 / (hi * hi) - mean - o.eps)) / o.eps;
    // An output's error: that of r, carried into its binade, and each rounding on the way.
    const double scale = std::ldexp(1.0, precision(o.contract->y) - 1);
    double roundings = 0.5;
    if (o.contract->map == Map::cast_first && o.contract->x != Type::f32) roundings += std::ldexp(1.0, precision(o.contract->y) - precision(o.contract->x));
    else if (!o.w.empty()) roundings += std::ldexp(1.0, precision(o.contract->y) - 24);
    return roundings + 2 * std::max(hi / r0 - 1, 1 - lo / r0) * scale;
}

}  // namespace ulpgate::fuzzing
