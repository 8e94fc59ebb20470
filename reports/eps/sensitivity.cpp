#include "reports/eps/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/admissible/statistic.hpp"
#include "reference/exact/sum.hpp"

namespace ulpgate {
namespace {

constexpr double u = 0x1p-24, slack = 0x1p-48;  // of the double arithmetic below

double rms_below(double lo, double hi, double k) {
    const double v = (hi - k * lo) / (k - 1);
    return v > 0 ? std::sqrt(v) : 0;
}

}  // namespace

EpsMove eps_thresholds(Type t, double eps, double other, std::int64_t d) {
    const double lo = std::min(eps, other), hi = std::max(eps, other);
    const int p = precision(t);
    EpsMove m;
    m.eps = other;
    if (lo == hi) return m;
    m.all_below = rms_below(lo, hi, std::exp(std::ldexp(1.0, 2 - p)));
    m.some_below = rms_below(lo, hi, std::exp(std::ldexp(1.0, 1 - p)));
    m.one_below = std::sqrt(0.5 * (hi - lo) * std::numbers::log2e * std::ldexp(1.0, p - 1) * static_cast<double>(d));
    return m;
}

EpsInterval eps_of_row(const Contract& c, float lo, float hi, std::span<const float> x) {
    const auto seen = x.first(c.stat_width > 0 && static_cast<std::size_t>(c.stat_width) < x.size() ? static_cast<std::size_t>(c.stat_width) : x.size());
    const auto sum = sum_of_squares(seen);
    const double ms = (sum.hi + sum.lo) / static_cast<double>(seen.size());
    const double rho = statistic_set(c, x, 1.0).set.rho;  // of the sum alone: eps plays no part in it
    const double kappa = std::max(static_cast<double>(c.rsqrt), 0.5);
    // v from the scalar: r = v^-1/2 (1 +- 2 kappa u), or rms = v^1/2 (1 +- 2 kappa u).
    const double wide = 2 * kappa * u + slack;
    const bool div = c.by == By::div;
    const double a = static_cast<double>(lo), b = static_cast<double>(hi);
    const double v_lo = div ? a * a * (1 - wide) * (1 - wide) : (1 - wide) * (1 - wide) / (b * b);
    const double v_hi = div ? b * b * (1 + wide) * (1 + wide) : (1 + wide) * (1 + wide) / (a * a);
    // v = (m + eps')(1 +- u), eps' = eps(1 +- u), m = ms (1 +- rho)(1 +- u)^2.
    const double m_lo = ms * (1 - rho) * (1 - 2 * u - slack), m_hi = ms * (1 + rho) * (1 + 2 * u + 2 * u * u + slack);
    return {(v_lo * (1 - u - slack) - m_hi) * (1 - 2 * u), (v_hi * (1 + 2 * u) - m_lo) * (1 + 2 * u)};
}

}  // namespace ulpgate
