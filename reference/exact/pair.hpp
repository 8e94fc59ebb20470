// Double-double arithmetic: an unevaluated sum hi + lo with hi = RN(hi + lo). u = 2^-53; the relative error of each
// operation stands beside it. No result may leave the normal range of double.
// Source: M. Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word
// arithmetic, ACM TOMS 44(2), 2017.
#pragma once
#include <cmath>

namespace ulpgate {

struct Pair {
    double hi = 0, lo = 0;
};

inline Pair two_sum(double a, double b) {  // exact
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

inline Pair fast_two_sum(double a, double b) {  // exact for |a| >= |b|
    const double s = a + b;
    return {s, b - (s - a)};
}

inline Pair add(Pair a, double b) {  // both of one sign: 2 u^2
    const Pair s = two_sum(a.hi, b);
    return fast_two_sum(s.hi, s.lo + a.lo);
}

inline Pair times(Pair a, double b) {  // 2 u^2
    const double h = a.hi * b;
    return fast_two_sum(h, std::fma(a.lo, b, std::fma(a.hi, b, -h)));
}

inline Pair over(Pair a, double b) {  // 4 u^2: the second quotient is below 2u of the first and rounded twice
    const double q = a.hi / b;
    return fast_two_sum(q, (std::fma(-q, b, a.hi) + a.lo) / b);
}

// 1/sqrt(a), 12 u^2: with r0 within 2u, the residual e = 1 - a r0^2 is known to 8 u^2 (two products, one difference) and
// |e| < 4u; r0 (1 + e/2 + 3 e^2/8) leaves e^3 and rounds the correction, itself below 2u, three times.
inline Pair reciprocal_root(Pair a) {
    const double r0 = 1 / std::sqrt(a.hi);
    const Pair t = times(times(a, r0), r0);
    const double e = (1 - t.hi) - t.lo;
    return fast_two_sum(r0, r0 * (0.5 * e + 0.375 * e * e));
}

}  // namespace ulpgate
