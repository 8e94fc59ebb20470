// For tests: rows whose sum of squares is a prescribed number, by greedy decomposition into squares of the format, so that
// one element lands on a midpoint, or beside it by a chosen distance.
#pragma once
#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/exact/dyadic.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate {

// Appends values of F to x, up to d in all, whose squares add up to target * 2^(-2 unit) or as near below it as squares of
// multiples of 2^-unit come; returns what is left. The last `closing` values are filled greedily, those before at random.
template <class F>
boost::multiprecision::cpp_int fill_squares(std::vector<float>& x, std::size_t d, boost::multiprecision::cpp_int target,
                                            int unit, Rng& rng, std::size_t closing = 45) {
    using boost::multiprecision::cpp_int;
    while (x.size() < d) {
        const std::size_t left = d - x.size();
        cpp_int share = target;
        if (left > closing) share = target * rng.between(20, 219) / (static_cast<int>(left) * 128);
        cpp_int root = sqrt(share);
        if (root == 0) {
            x.push_back(0);
            continue;
        }
        const int excess = std::max(0, static_cast<int>(msb(root)) + 1 - F::precision);
        root >>= excess;
        target -= (root * root) << (2 * excess);
        const auto v = static_cast<float>(std::ldexp(root.convert_to<double>(), excess - unit));
        x.push_back(rng.below(2) ? v : -v);
    }
    return target;
}

// The integer of v * 2^shift; `whole` becomes false when it has a fraction, which is dropped.
inline boost::multiprecision::cpp_int scaled(const Dyadic& v, int shift, bool& whole) {
    const int s = v.e + shift;
    if (s >= 0) return v.m << s;
    const boost::multiprecision::cpp_int floor = v.m >> -s;
    whole = whole && (floor << -s) == v.m;
    return floor;
}

// A row of d values of F with S = d (4^log2_rms - eps) - short_by 2^(-2 unit) exactly, and x[0] = x0. False where no such
// row exists in units of 2^-unit (eps or x0 finer than the unit), or where `closing` squares do not reach the sum.
template <class F>
bool dyadic_rms_row(std::vector<float>& x, std::size_t d, double eps, float x0, int log2_rms, int unit, Rng& rng,
                    std::size_t closing = 45, int short_by = 0) {
    bool whole = true;
    const auto n = static_cast<double>(d);
    boost::multiprecision::cpp_int rest = scaled(dyadic(n) * dyadic(std::ldexp(1.0, 2 * log2_rms)), 2 * unit, whole) -
                                          scaled(dyadic(n) * dyadic(eps), 2 * unit, whole) -
                                          scaled(dyadic(x0) * dyadic(x0), 2 * unit, whole) - short_by;
    x.assign(1, x0);
    return whole && rest >= 0 && fill_squares<F>(x, d, rest, unit, rng, closing) == 0;
}

// A gain W of F for which x W has one bit more than F holds: a midpoint wherever 1/rms is a power of two and the result is
// normal. 0 where x has no such W. The exponent is drawn from [lo, hi].
template <class F>
float tying_gain(float x, int lo, int hi, Rng& rng) {
    if (x == 0) return 0;
    int e = 0;
    auto m = static_cast<std::uint32_t>(std::ldexp(std::frexp(std::fabs(x), &e), 24));
    m >>= std::countr_zero(m);
    const std::uint32_t from = ((1u << F::precision) + m - 1) / m, to = ((1u << (F::precision + 1)) - 1) / m;
    const std::uint32_t most = std::min(to, (1u << F::precision) - 1);
    if (most < from) return 0;
    const std::uint32_t w = (from + rng.below(most - from + 1)) | 1;  // odd
    return w > most ? 0 : std::ldexp(static_cast<float>(w), rng.between(lo, hi) - F::mantissa_bits);
}

}  // namespace ulpgate
