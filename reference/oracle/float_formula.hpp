// The formula written down in a big float of fixed precision, rounded straight to the format. No oracle: an element closer
// to a midpoint than the float resolves is rounded wrongly. Heavy: include it beside the one Boost float that is wanted.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {

// Nearest word of F, ties to even; `sign` decides for a zero.
template <class F, class Big>
std::uint32_t nearest_word(const Big& v, bool sign) {
    const Big a = abs(v);
    std::uint64_t code = 0;
    if (a != 0) {
        int e = 0;
        frexp(a, &e);
        const int top = std::max(e - 1, F::emin);
        const Big steps = ldexp(a, F::mantissa_bits - top), whole = floor(steps);
        code = whole.template convert_to<std::uint64_t>();
        const Big rest = steps - whole;
        if (rest > 0.5 || (rest == 0.5 && code % 2 == 1)) ++code;
        code += static_cast<std::uint64_t>(top - F::emin) << F::mantissa_bits;
        if (code > F::max_word) code = F::has_inf ? F::inf_word : F::nan_word;
    }
    return static_cast<std::uint32_t>(code | (sign ? F::sign_bit : 0));
}

template <class Big>
std::uint32_t nearest_word(Type t, const Big& v, bool sign) {
    return with_format(t, [&](auto f) { return nearest_word<decltype(f), Big>(v, sign); });
}

// As oracle_row, for finite x and w with S/d + eps > 0.
template <class Big>
void formula_row(Oracle oracle, const OracleTypes& types, std::span<const float> x, std::span<const float> w, double eps,
                 std::span<std::uint32_t> y) {
    Big s = 0;
    for (const float v : x) s += Big(v) * v;
    const Big rms = sqrt(Big(s / x.size() + eps));
    for (std::size_t j = 0; j < x.size(); ++j) {
        const float gain = w.empty() ? 1.0f : w[j];
        const bool sign = std::signbit(x[j]) != std::signbit(gain);
        Big n = Big(x[j]) / rms;
        if (oracle == Oracle::cast_first) n = decode(types.x, nearest_word<Big>(types.x, n, std::signbit(x[j])));
        y[j] = nearest_word<Big>(types.y, Big(n * gain), sign);
    }
}

}  // namespace ulpgate
