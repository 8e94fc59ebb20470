#include "reference/tensor_core/step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ulpgate {
namespace {

struct Term {
    std::int64_t significand = 0;  // signed, in units of 2^-fraction bits
    int exponent = 0;
};

template <class F>
Term split(typename F::Word word) {
    const auto field = static_cast<int>((word & F::exponent_mask) >> F::mantissa_bits);
    const auto fraction = static_cast<std::int64_t>(word & (F::min_normal_word - 1u));
    const auto m = field ? fraction | F::min_normal_word : fraction;
    return {word & F::sign_bit ? -m : m, std::max(field, 1) - F::bias};
}

// sum * 2^exponent cut to `kept` fraction bits, or to f32's subnormal grid where that is coarser.
float cut(std::int64_t sum, int exponent, int kept) {
    const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
    const int top = exponent + 63 - std::countl_zero(magnitude);
    if (top > F32::emax) return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(sum));
    const int last = std::max(top, F32::emin) - kept, below = last - exponent;
    const auto whole = below >= 64 ? 0 : below > 0 ? magnitude >> below << below : magnitude;
    const auto v = static_cast<float>(std::ldexp(static_cast<double>(whole), exponent));
    return sum < 0 ? -v : v;
}

float not_finite(double ieee) {
    return ieee == ieee ? static_cast<float>(ieee) : std::bit_cast<float>(0x7fffffffu);
}

}  // namespace

template <class F>
float tensor_core_step(const TensorCore& core, std::span<const typename F::Word> a, std::span<const typename F::Word> b, float c) {
    double ieee = c;  // finite products of two such words are finite doubles
    bool finite = std::isfinite(c);
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double p = double{F::decode(a[k])} * F::decode(b[k]);
        finite &= std::isfinite(p);
        ieee += p;
    }
    if (!finite) return not_finite(ieee);

    int largest = core.least_exponent;
    const auto product = [&](std::size_t k) {
        const Term x = split<F>(a[k]), y = split<F>(b[k]);
        return Term{x.significand * y.significand, x.exponent + y.exponent};
    };
    for (std::size_t k = 0; k < a.size(); ++k)
        if (const Term p = product(k); p.significand) largest = std::max(largest, p.exponent);
    const Term addend = split<F32>(F32::encode(c));
    if (addend.significand) largest = std::max(largest, addend.exponent);

    const auto aligned = [&](Term t, int fraction) {
        const auto m = static_cast<std::uint64_t>(std::abs(t.significand));
        const int right = largest - t.exponent + fraction - core.fraction_bits;
        const auto v = static_cast<std::int64_t>(right >= 64 ? 0 : right >= 0 ? m >> right : m << -right);
        return t.significand < 0 ? -v : v;
    };
    std::int64_t sum = addend.significand ? aligned(addend, F32::mantissa_bits) : 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (const Term p = product(k); p.significand) sum += aligned(p, 2 * F::mantissa_bits);
    return sum ? cut(sum, largest - core.fraction_bits, core.kept_bits) : 0;
}

template <class F>
float tensor_core_dot(const TensorCore& core, std::span<const typename F::Word> a, std::span<const typename F::Word> b, float c) {
    const auto step = static_cast<std::size_t>(core.group);
    for (std::size_t k = 0; k < a.size(); k += step)
        c = tensor_core_step<F>(core, a.subspan(k, std::min(step, a.size() - k)), b.subspan(k, std::min(step, a.size() - k)), c);
    return c;
}

#define TENSOR_CORE(F)                                                                                                        \
    template float tensor_core_step<F>(const TensorCore&, std::span<const F::Word>, std::span<const F::Word>, float);         \
    template float tensor_core_dot<F>(const TensorCore&, std::span<const F::Word>, std::span<const F::Word>, float);
TENSOR_CORE(Bf16)
TENSOR_CORE(Fp16)
TENSOR_CORE(E4m3)
#undef TENSOR_CORE

}  // namespace ulpgate
