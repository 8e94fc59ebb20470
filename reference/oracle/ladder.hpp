// One row's certified roundings RN_F(q r), r = 1/sqrt(S/d + eps), q exact in double. Each level decides or hands down.
//
//   level         computes                                         decides unless a midpoint of F lies within
//   L0 (lanes),   y = fl(q fl(r)): 2^-53 y + half an ulp64         1 ulp64 of y (the error is below 1.51 ulp64, midpoints
//   L1 (scalar)     < 1.51 ulp64                                   lie whole ulp64 away, and at 2 the side is certain)
//   L2            S, r and q r as pairs of doubles: 24 u^2 + rho/2  2^-99 + 0.51 rho, relative (rho: bound on S)
//   L3            sign of d q^2 - h^2 (S + d eps), integers         never; 0 is a tie: to even
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "reference/exact/pair.hpp"
#include "reference/formats/format.hpp"
#include "reference/oracle/oracle.hpp"

namespace ulpgate {

inline constexpr std::uint64_t hand_down = 1;  // ulp64

// RN_F of every real number less than radius + 1 ulp64 from y (1: the 1.51 ulp64 above); false when they do not all round
// alike.
template <class F>
bool round_certain(double y, typename F::Word& out, std::uint64_t radius = hand_down) {
    const std::uint64_t b = std::bit_cast<std::uint64_t>(y), a = b & ~(std::uint64_t{1} << 63);
    out = b >> 63 ? F::sign_bit : typename F::Word{0};
    if (a == 0) return true;
    const int e = static_cast<int>(a >> 52) - 1023, top = std::max(e, F::emin);
    const int k = 53 - F::precision + (top - e);  // bits to round away
    if (k > 54) return true;                      // below a quarter of the smallest subnormal
    const std::uint64_t m = (a & 0xfffffffffffffu) | std::uint64_t{1} << 52, half = std::uint64_t{1} << (k - 1);
    if (((m + half + radius) & (2 * half - 1)) <= 2 * radius) return false;
    const std::uint64_t code = (static_cast<std::uint64_t>(top - F::emin) << F::mantissa_bits) + ((m + half) >> k);
    const auto over = static_cast<typename F::Word>(F::has_inf ? F::inf_word : F::nan_word);
    out |= code > F::max_word ? over : static_cast<typename F::Word>(code);
    return true;
}

class Ladder {
  public:
    // x finite, eps >= 0, S + eps > 0.
    Ladder(std::span<const float> x, double eps, OracleStats& stats);
    ~Ladder();

    double r() const { return r_.hi; }  // fl(r)

    template <class F>
    typename F::Word round(double q) {
        typename F::Word word;
        stats_.l1++;
        return round_certain<F>(q * r_.hi, word) ? word : round_nearly_tied<F>(q);
    }

  private:
    template <class F>
    typename F::Word round_nearly_tied(double q) {
        const double a = std::fabs(q), h = a * r_.hi, l = std::fma(a, r_.hi, -h) + a * r_.lo;
        const Pair y = fast_two_sum(h, l);
        const int top = std::max(std::ilogb(y.hi), F::emin);
        const double quantum = std::ldexp(1.0, top - F::mantissa_bits);
        const double below = std::floor(y.hi / quantum), midpoint = (below + 0.5) * quantum;
        const int side = side_of(a, y, midpoint);
        auto code = static_cast<std::uint64_t>(below);
        code += side > 0 || (side == 0 && (code & 1));
        code += static_cast<std::uint64_t>(top - F::emin) << F::mantissa_bits;
        const auto over = static_cast<typename F::Word>(F::has_inf ? F::inf_word : F::nan_word);
        return static_cast<typename F::Word>((code > F::max_word ? over : code) | (std::signbit(q) ? F::sign_bit : 0));
    }

    // Sign of q r - midpoint, y an approximation of q r; q, midpoint > 0.
    int side_of(double q, Pair y, double midpoint);
    int exact_side_of(double q, double midpoint);

    struct Exact;
    std::span<const float> x_;
    double eps_, relative_error_;
    Pair r_;
    OracleStats& stats_;
    std::unique_ptr<Exact> exact_;
};

}  // namespace ulpgate
