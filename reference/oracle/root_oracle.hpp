// For tests: the reference written a second time, in integers from the first bit to the last. Values are taken apart by
// their bit fields, y = sqrt(d q^2 / (S + d eps)) is floor(sqrt(floor(. * 4^s))) with a sticky bit, and rounding compares
// integers. It shares nothing with the oracle but the formats' constants. Int: cpp_int, or GMP's integers, which are not those
// that the ladder decides with.
#pragma once
#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {

template <class Int>
class RootOracleIn {
  public:
    // Finite x, S + eps > 0.
    RootOracleIn(std::span<const float> x, double eps) : d_(x.size()) {
        Int s = 0;  // in units of 2^-298
        for (const float v : x) {
            const Value f = take_apart(v);
            s += (f.m * f.m) << (2 * f.e + 298);
        }
        const Value e = take_apart(eps);  // in units of 2^-1074
        radicand_ = (s << 776) + ((e.m * d_) << (e.e + 1074));
    }

    // RN_y(w x_j / rms), or RN_y(w RN_T(x_j / rms)).
    std::uint32_t element(Oracle oracle, const OracleTypes& types, float x, float w) const {
        const Value vx = take_apart(x), vw = take_apart(w);
        const bool sign = vx.sign != vw.sign;
        if (oracle == Oracle::ideal) return divided_by_rms(types.y, vx.m * vw.m, vx.e + vw.e, sign);
        const Value t = take_apart(decode(types.x, divided_by_rms(types.x, vx.m, vx.e, vx.sign)));
        return with_format(types.y, [&](auto f) { return round<decltype(f)>(t.m * vw.m, t.e + vw.e, false, sign); });
    }

  private:
    struct Value {
        Int m;
        int e;
        bool sign;
    };
    static Value take_apart(float v) {
        const auto b = std::bit_cast<std::uint32_t>(v);
        const int field = static_cast<int>(b >> 23 & 255);
        return {(b & 0x7fffffu) | (field ? 0x800000u : 0u), std::max(field, 1) - 150, b >> 31 != 0};
    }
    static Value take_apart(double v) {
        const auto b = std::bit_cast<std::uint64_t>(v);
        const int field = static_cast<int>(b >> 52 & 2047);
        return {(b & 0xfffffffffffffu) | (field ? std::uint64_t{1} << 52 : 0), std::max(field, 1) - 1075, b >> 63 != 0};
    }

    std::uint32_t divided_by_rms(Type t, const Int& m, int e, bool sign) const {
        constexpr int s = 260;  // f32's smallest subnormal is 2^-149: every result keeps 100 bits below its last
        // d (m 2^e)^2 / (radicand 2^-1074) * 4^s, e >= -298
        const Int n = (m * m * d_) << (2 * (e + 298));
        Int quotient, rest, root_rest;
        divide_qr(Int(n << (2 * s + 1074 - 596)), radicand_, quotient, rest);
        const Int root = sqrt(quotient, root_rest);
        return with_format(t, [&](auto f) { return round<decltype(f)>(root, -s, rest != 0 || root_rest != 0, sign); });
    }

    // Nearest word to (m + something in (0, 1) if sticky) * 2^e.
    template <class F>
    static std::uint32_t round(Int m, int e, bool sticky, bool sign) {
        m <<= 400;
        e -= 400;
        std::uint64_t code = 0;
        if (m != 0) {
            const int top = std::max(static_cast<int>(msb(m)) + e, F::emin), drop = top - F::mantissa_bits - e;
            Int kept = m >> drop;
            const Int rest = m - (kept << drop), half = Int(1) << (drop - 1);
            if (rest > half || (rest == half && (sticky || bit_test(kept, 0)))) ++kept;
            code = (static_cast<std::uint64_t>(top - F::emin) << F::mantissa_bits) + static_cast<std::uint64_t>(kept);
            if (code > F::max_word) code = F::inf_word;
        }
        return static_cast<std::uint32_t>(code | (sign ? F::sign_bit : 0));
    }

    Int d_, radicand_;
};
using RootOracle = RootOracleIn<boost::multiprecision::cpp_int>;

}  // namespace ulpgate
