// Upper bounds on the two errors that a budget may limit, over every output that the contract allows. u = 2^-24.
//
// r: the statistic's set (reference/admissible/statistic.hpp) lies within 1/2 (rho + (c + 2) u) + 2 kappa u of the real r, to
// first order, plus eps in f32 instead of real (u/2). rho for any order of n terms: (1+u)^(n-1) - 1; a named order of
// height h: (1+u)^h - 1; f32 squares that are not exact: one u more. r < 2 * 2^e and ulp32(r) = 2^(e-23), so a relative error
// of u is at most 1 ulp32.
//
// y: cast_first rounds twice. n = x r carries r's error and one u; T(n) adds half an ulp, which the gain carries over into y's
// binade at most doubled; y adds half an ulp: 1.5 + 2 (r + 1) 2^(p - 24) ulp. f32_gain rounds to T once: 0.5 + the same with
// one more u. Where T is f32, cast_first's casts are identities and only the f32 roundings of x r and w n are left. All this
// for normal x r: below, T(n) is off by half a fixed step, which a large gain multiplies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/orders/order.hpp"
#include "reports/budget/budget.hpp"

namespace ulpgate {
namespace {

constexpr double u = 0x1p-24;

double height(const Contract& c, std::int64_t d) {
    if (c.acc != Accumulate::f32) return 1;  // f64 is rounded to f32 once
    if (const auto o = find_order(c.order)) return o->order->height({}, static_cast<std::size_t>(d), o->p);
    return static_cast<double>(d - 1);
}

bool proven(const Contract& c) { return c.stat == Stat::ms && c.sq != Accumulate::t && c.acc != Accumulate::t && c.ftz == "none"; }

}  // namespace

double r_ulp32_bound(const Contract& c, std::int64_t d) {
    if (!proven(c)) return std::numeric_limits<double>::infinity();
    const double n = height(c, d) + (c.x == Type::f32 || c.residual != Residual::none ? 1 : 0);
    const double rho = std::expm1(n * std::log1p(u));
    const double mean = 2, kappa = std::max(static_cast<double>(c.rsqrt), 0.5);
    const double slope = 1 / std::sqrt(std::max(1 - rho, 0x1p-40));
    return (0.5 * (rho / u + mean + 3) + 2 * kappa) * slope * slope * slope + 1;
}

double ulp_bound(const Contract& c, std::int64_t d) {
    if (!proven(c) || c.quant != Quant::none || c.beta != Given::none || c.y == Type::none) return std::numeric_limits<double>::infinity();
    const double scale = std::ldexp(1.0, precision(c.y) - 24);
    const double carried = 2 * (r_ulp32_bound(c, d) + 3) * scale;
    const double casts = c.map == Map::cast_first && c.x != Type::f32 ? std::ldexp(1.0, std::max(precision(c.y) - precision(c.x), 0)) : 0;
    return 0.5 + casts + carried;
}

}  // namespace ulpgate
