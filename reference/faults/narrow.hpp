// Roundings that kernels use by mistake, as functions of f32.
#pragma once
#include <cmath>

#include "reference/formats/format.hpp"

namespace ulpgate::faults {

// The value of F next to v on the side of zero; v itself where F holds it. A NaN stays; finite v stays
// finite.
template <class F>
float toward_zero(float v) {
    using Word = typename F::Word;
    const Word nearest = F::encode(v);
    if (std::isnan(v)) return v;
    if (std::isfinite(v) && !F::is_finite(nearest)) return std::copysign(F::decode(F::max_word), v);
    const float n = F::decode(nearest);
    return std::abs(n) > std::abs(v) ? F::decode(static_cast<Word>(nearest - 1)) : n;
}

// The nearest value of F, ties away from zero. F has at most 16 bits, so twice v and the sum of its
// neighbours are exact in f64.
template <class F>
float ties_away(float v) {
    using Word = typename F::Word;
    const float low = toward_zero<F>(v);
    if (low == v || !std::isfinite(v)) return F::round(v);
    const Word next = static_cast<Word>(F::encode(low) + 1);
    const double up =
        F::is_finite(next) ? std::abs(static_cast<double>(F::decode(next))) : std::ldexp(1.0, F::emax + 1);
    const bool away = 2 * std::abs(static_cast<double>(v)) >= std::abs(static_cast<double>(low)) + up;
    return away ? F::decode(next) : low;
}

}  // namespace ulpgate::faults
