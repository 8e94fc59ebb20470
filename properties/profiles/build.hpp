// What profiles build rows from: integers, exact powers of two, and IEEE operations that round alike
// everywhere.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/base/rng.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::build {

// 2^k, -1022 <= k <= 1023.
constexpr double pow2(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// m 2^k in one rounding to float, |m| < 2^53.
constexpr float scaled(double m, int k) { return static_cast<float>(m * pow2(k)); }

// Near Gaussian, sigma 2^k, at most 6 sigma.
constexpr float gauss(Rng& r, int k) { return scaled(r.gauss(), k - 16); }

// floor(log2 v) of a normal v > 0.
constexpr int exponent(double v) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 2047) - 1023;
}

constexpr int ceil_log2(std::uint64_t n) { return n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

// Where mean squares meet eps: 2^k is the root of it, rounded down, -60 <= k <= 20. Without an eps, that of
// 1e-6.
constexpr int eps_level(double eps) {
    const int e = exponent(eps > 0x1p-1000 ? eps : 1e-6), k = e >= 0 ? e / 2 : -((1 - e) / 2);
    return k < -60 ? -60 : k > 20 ? 20 : k;
}

struct Exponents {
    int lo, hi;
};

// Of row scales sigma: from the type's smallest subnormal (a few of them) to the largest whose d squares sum
// to below 2^127 and whose 6 sigma are finite.
constexpr Exponents scales(Type t, std::size_t d) {
    return with_format(t, [d](auto f) -> Exponents {
        const int sum = (126 - ceil_log2(d)) / 2;
        return {f.emin - f.mantissa_bits + 1, f.emax - 2 < sum ? f.emax - 2 : sum};
    });
}

// The exponent limited to those.
constexpr int clamp(int k, Exponents e) { return k < e.lo ? e.lo : k > e.hi ? e.hi : k; }

// v or -v. An expression draws from one generator once at most: the order of evaluation is the compiler's
// choice.
constexpr float either_sign(Rng& r, float v) { return r.next() >> 63 ? -v : v; }

// A significand of the type: odd or even integer in [2^(p-1), 2^p), at most 24 bits.
constexpr std::uint32_t significand(Rng& r, int p) {
    return (1u << (p - 1)) + static_cast<std::uint32_t>(r.next() >> 32 & ((1u << (p - 1)) - 1));
}

}  // namespace ulpgate::build
