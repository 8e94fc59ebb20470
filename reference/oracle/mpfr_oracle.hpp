// For tests: the reference written a third time, in MPFR. S + d eps is exact; y = sqrt(d q^2 / (S + d eps)) is rounded down
// and up at a precision that doubles until both ends round alike. On a midpoint h the quotient h^2 has few bits, so that both
// ends are exact. MPFR itself rounds to the format: its precision, its exponent range, mpfr_subnormalize.
#pragma once
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {

class MpfrOracle {
  public:
    // Finite x, S + eps > 0.
    MpfrOracle(std::span<const float> x, double eps) : d_(static_cast<double>(x.size())), radicand_(exact_bits) {
        Number term(exact_bits);
        for (const float v : x) {
            mpfr_set_flt(term.v, v, MPFR_RNDN);
            inexact_ |= mpfr_sqr(term.v, term.v, MPFR_RNDN);
            inexact_ |= mpfr_add(radicand_.v, radicand_.v, term.v, MPFR_RNDN);
        }
        mpfr_set_d(term.v, eps, MPFR_RNDN);
        inexact_ |= mpfr_mul_d(term.v, term.v, d_, MPFR_RNDN);
        inexact_ |= mpfr_add(radicand_.v, radicand_.v, term.v, MPFR_RNDN);
    }

    // False if S + d eps did not fit: nothing below holds then.
    bool exact() const { return !inexact_; }

    // The value of RN_y(w x_j / rms), or of RN_y(w RN_T(x_j / rms)); the sign of a zero counts.
    double element(Oracle oracle, const OracleTypes& types, float x, float w) const {
        const double sign = std::signbit(x) != std::signbit(w) ? -1 : 1, q = std::fabs(static_cast<double>(x));
        const double gain = std::fabs(static_cast<double>(w));
        if (oracle == Oracle::ideal) return sign * divided_by_rms(types.y, q * gain);  // 48 bits: exact
        Number product(exact_bits);
        mpfr_set_d(product.v, divided_by_rms(types.x, q), MPFR_RNDN);
        mpfr_mul_d(product.v, product.v, gain, MPFR_RNDN);
        return sign * rounded(types.y, product.v);
    }

  private:
    static constexpr mpfr_prec_t exact_bits = 1500;  // squares and d eps lie in 2^-1074 .. 2^285

    struct Number {
        mpfr_t v;
        explicit Number(mpfr_prec_t bits) {
            mpfr_init2(v, bits);
            mpfr_set_zero(v, 1);
        }
        ~Number() { mpfr_clear(v); }
        Number(const Number&) = delete;
        Number& operator=(const Number&) = delete;
    };

    double divided_by_rms(Type t, double q) const {
        if (q == 0) return 0;
        for (mpfr_prec_t bits = 160;; bits *= 2) {
            Number square(160), low(bits), high(bits);
            mpfr_set_d(square.v, q, MPFR_RNDN);
            mpfr_sqr(square.v, square.v, MPFR_RNDN);  // 96 bits
            mpfr_mul_d(square.v, square.v, d_, MPFR_RNDN);
            mpfr_div(low.v, square.v, radicand_.v, MPFR_RNDD);
            mpfr_div(high.v, square.v, radicand_.v, MPFR_RNDU);
            mpfr_sqrt(low.v, low.v, MPFR_RNDD);
            mpfr_sqrt(high.v, high.v, MPFR_RNDU);
            const double a = rounded(t, low.v), b = rounded(t, high.v);
            if (a == b) return a;
        }
    }

    static double rounded(Type t, const mpfr_t v) {
        return with_format(t, [&](auto f) {
            using F = decltype(f);
            const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
            Number word(F::precision);
            int direction = mpfr_set(word.v, v, MPFR_RNDN);
            mpfr_set_emin(F::emin - F::mantissa_bits + 1);  // MPFR's significand is in [1/2, 1)
            mpfr_set_emax(F::emax + 1);
            direction = mpfr_check_range(word.v, direction, MPFR_RNDN);
            mpfr_subnormalize(word.v, direction, MPFR_RNDN);
            const double value = mpfr_get_d(word.v, MPFR_RNDN);
            mpfr_set_emin(low);
            mpfr_set_emax(high);
            return value;
        });
    }

    double d_;
    Number radicand_;
    int inexact_ = 0;
};

}  // namespace ulpgate
