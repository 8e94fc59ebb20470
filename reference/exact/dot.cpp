#include "reference/exact/dot.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "reference/exact/dyadic.hpp"
#include "reference/exact/pair.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t lanes = 8;
constexpr double u = 0x1p-53;
using F4 = float __attribute__((vector_size(16)));
using D4 = double __attribute__((vector_size(32)));
using U4 = std::uint32_t __attribute__((vector_size(16)));
using L4 = std::int64_t __attribute__((vector_size(32)));

struct Units {  // of many floats: what every one of them is a multiple of
    std::uint32_t bits = 0;       // OR of all mantissas
    std::uint32_t smallest = ~0u;  // min over nonzero of |word| - 1
    std::uint32_t largest = 0;    // max |word|
    int exponent() const {
        const int field = std::max(static_cast<int>((smallest + 1) >> 23), 1);
        return field - 150 + std::min(std::countr_zero(bits | 0x800000u), 23);
    }
    bool all_zero() const { return smallest == ~0u; }
    bool finite() const { return largest < 0x7f800000u; }
    void add(float v) {
        const auto w = std::bit_cast<std::uint32_t>(v), a = w & 0x7fffffffu;
        bits |= w & 0x7fffffu;
        smallest = std::min(smallest, a - 1);
        largest = std::max(largest, a);
    }
};

struct Sums {
    double h[lanes] = {}, l[lanes] = {}, m[lanes] = {};
    std::int64_t zeros = 0;
    Units w;
};

// n is a multiple of 8; the scale is one for all of them.
template <bool two_sum>
ULPGATE_INLINE void add_terms(const float* a, const float* w, std::size_t n, double scale, Sums& out) {
    D4 h[2], l[2], m[2];
    std::memcpy(h, out.h, sizeof h);
    std::memcpy(l, out.l, sizeof l);
    std::memcpy(m, out.m, sizeof m);
    U4 bits = {}, smallest = ~U4{}, largest = {};
    L4 zeros = {};
    const D4 s4 = {scale, scale, scale, scale};
    for (std::size_t i = 0; i < n; i += lanes)
        for (std::size_t k = 0; k < 2; ++k) {
            F4 va, vw;
            U4 word;
            std::memcpy(&va, a + i + 4 * k, sizeof va);
            std::memcpy(&vw, w + i + 4 * k, sizeof vw);
            std::memcpy(&word, w + i + 4 * k, sizeof word);
            const U4 magnitude = word & 0x7fffffffu, less = magnitude - 1;
            bits |= word;
            smallest = less < smallest ? less : smallest;
            largest = magnitude > largest ? magnitude : largest;
            const D4 p = __builtin_convertvector(va, D4) * (__builtin_convertvector(vw, D4) * s4);
            zeros -= p == 0.0;
            m[k] += (D4)((L4)p & std::numeric_limits<std::int64_t>::max());
            const D4 s = h[k] + p;
            if constexpr (two_sum) {
                const D4 t = s - h[k];
                l[k] += (h[k] - (s - t)) + (p - t);
            }
            h[k] = s;
        }
    std::memcpy(out.h, h, sizeof h);
    std::memcpy(out.l, l, sizeof l);
    std::memcpy(out.m, m, sizeof m);
    out.zeros += zeros[0] + zeros[1] + zeros[2] + zeros[3];
    out.w.bits |= (bits[0] | bits[1] | bits[2] | bits[3]) & 0x7fffffu;
    out.w.smallest = std::min({out.w.smallest, smallest[0], smallest[1], smallest[2], smallest[3]});
    out.w.largest = std::max({out.w.largest, largest[0], largest[1], largest[2], largest[3]});
}

using Add = void (*)(const float*, const float*, std::size_t, double, Sums&);

// The first step where the row's facts are known and its scale is 1: the same sums, nothing collected.
ULPGATE_INLINE void add_known(const float* a, const float* w, std::size_t n, Sums& out) {
    D4 h[2], m[2];
    std::memcpy(h, out.h, sizeof h);
    std::memcpy(m, out.m, sizeof m);
    for (std::size_t i = 0; i < n; i += lanes)
        for (std::size_t k = 0; k < 2; ++k) {
            F4 va, vw;
            std::memcpy(&va, a + i + 4 * k, sizeof va);
            std::memcpy(&vw, w + i + 4 * k, sizeof vw);
            const D4 p = __builtin_convertvector(va, D4) * __builtin_convertvector(vw, D4);
            m[k] += (D4)((L4)p & std::numeric_limits<std::int64_t>::max());
            h[k] += p;
        }
    std::memcpy(out.h, h, sizeof h);
    std::memcpy(out.m, m, sizeof m);
}
ULPGATE_AVX2 void add_known_avx2(const float* a, const float* w, std::size_t n, double, Sums& out) { add_known(a, w, n, out); }
void add_known_portable(const float* a, const float* w, std::size_t n, double, Sums& out) { add_known(a, w, n, out); }

template <bool two_sum>
ULPGATE_AVX2 void add_avx2(const float* a, const float* w, std::size_t n, double s, Sums& out) {
    add_terms<two_sum>(a, w, n, s, out);
}
template <bool two_sum>
void add_portable(const float* a, const float* w, std::size_t n, double s, Sums& out) {
    add_terms<two_sum>(a, w, n, s, out);
}

void add_stretch(Add add, std::span<const float> a, std::span<const float> w, double scale, Sums& sums) {
    const std::size_t whole = a.size() / lanes * lanes;
    add(a.data(), w.data(), whole, scale, sums);
    if (whole == a.size()) return;
    float ra[lanes] = {}, rw[lanes] = {};
    std::copy(a.begin() + static_cast<std::ptrdiff_t>(whole), a.end(), ra);
    std::copy(w.begin() + static_cast<std::ptrdiff_t>(whole), w.end(), rw);
    add(ra, rw, lanes, scale, sums);
}

// Calls f(part of a, part of w, scale) for each stretch of one scale.
template <class F>
void stretches(std::span<const float> a, const WeightRow& row, F f) {
    if (row.scale.empty()) return f(a, row.w, 1.0f);
    const auto block = static_cast<std::size_t>(row.block);
    for (std::size_t at = 0, k = 0; at < a.size(); at += block, ++k) {
        const std::size_t n = std::min(block, a.size() - at);
        f(a.subspan(at, n), row.w.subspan(at, n), row.scale[k]);
    }
}

// Lowest bit of a finite double other than 0.
int lowest_bit(double v) {
    int e = 0;
    const auto m = static_cast<std::int64_t>(std::ldexp(std::frexp(v, &e), 53));
    return e - 53 + std::countr_zero(static_cast<std::uint64_t>(m));
}

// Some factor is infinite or NaN: what IEEE gives in every order whose finite partial sums stay finite.
DotSum not_finite(const DotVector& x, const WeightRow& row, double extra) {
    bool plus = false, minus = false, nan = std::isnan(extra);
    const auto take = [&](double p) {
        nan |= std::isnan(p);
        if (std::isinf(p)) (p > 0 ? plus : minus) = true;
    };
    take(extra);
    stretches(x.a, row, [&](auto a, auto w, float scale) {
        for (std::size_t k = 0; k < a.size(); ++k)
            take(static_cast<double>(a[k]) * (static_cast<double>(w[k]) * static_cast<double>(scale)));
    });
    constexpr double inf = std::numeric_limits<double>::infinity();
    DotSum d;
    d.value = nan || (plus && minus) ? std::numeric_limits<double>::quiet_NaN() : plus ? inf : -inf;
    d.magnitude = inf;
    return d;
}

// known: add collects nothing, and the row's facts stand for it.
DotSum dot_with(Add add, bool two_sum, bool known, const DotVector& x, const WeightRow& row, double extra) {
    Sums sums;
    Units scale;
    std::size_t steps = 8;
    stretches(x.a, row, [&](auto a, auto w, float s) {
        add_stretch(add, a, w, static_cast<double>(s), sums);
        steps += (a.size() + lanes - 1) / lanes;
        scale.add(s);
    });
    if (!x.finite || !sums.w.finite() || !scale.finite() || !std::isfinite(extra)) return not_finite(x, row, extra);
    Pair sum{extra, 0};
    double low = 0, m = std::fabs(extra);
    for (std::size_t k = 0; k < lanes; ++k) {
        m += sums.m[k];
        if (!two_sum) {
            sum.hi += sums.h[k];
            continue;
        }
        sum = ulpgate::two_sum(sum.hi, sums.h[k]);
        low += sum.lo;
        low += sums.l[k];
    }
    DotSum d;
    d.level = two_sum ? 2 : 1;
    d.terms = (known ? x.nonzero : static_cast<std::int64_t>((steps - 8) * lanes) - sums.zeros) + (extra != 0);
    const double n = static_cast<double>(steps);
    d.magnitude = m * (1 + n * u) * (1 + 0x1p-40);
    const bool none = !x.nonzero || (!known && sums.w.all_zero());
    d.unit = none ? 0 : x.unit + (known ? row.facts->unit : sums.w.exponent()) + (row.scale.empty() ? 0 : scale.exponent());
    if (extra != 0) d.unit = std::min(m == std::fabs(extra) ? 1023 : d.unit, lowest_bit(extra));
    const double fits = std::ldexp(1.0, d.unit + 53);
    const Pair total = two_sum ? ulpgate::two_sum(sum.hi, low) : Pair{sum.hi, 0};
    d.value = total.hi;
    d.low = total.lo;
    if (two_sum)
        d.error = (n + 16) * u * d.magnitude <= fits ? 0 : (n * (n + 1) / 2 + 64 * (n + 17)) * (u * u) * (1 + 0x1p-9) * d.magnitude;
    else
        d.error = d.magnitude < fits ? 0 : n * u * d.magnitude;
    return d;
}

// How [v - e, v + e] rounds, when all of it rounds alike.
bool rounds_alike(Type t, const DotSum& d, std::uint32_t& word) {
    if (d.error == 0) {
        double v = d.value;  // rounded to odd: what is below the last bit decides no tie
        if (d.low != 0 && !(std::bit_cast<std::uint64_t>(v) & 1))
            v = std::nextafter(v, d.low > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
        word = encode(t, v);
        return true;
    }
    const double e = (d.error + std::fabs(d.low)) * (1 + 0x1p-50);
    const double lo = std::nextafter(d.value - e, -std::numeric_limits<double>::infinity()),
                 hi = std::nextafter(d.value + e, std::numeric_limits<double>::infinity());
    word = encode(t, lo);
    return word == encode(t, hi);
}

}  // namespace

DotVector::DotVector(std::span<const float> v) : a(v) {
    Units units;
    for (const float f : v) {
        units.add(f);
        nonzero += f != 0;
    }
    finite = units.finite();
    unit = units.all_zero() ? 0 : units.exponent();
}

bool DotSum::exact_in_f32() const {
    return level > 0 && unit >= -149 && magnitude < 0x1p127 && (magnitude == 0 || magnitude < std::ldexp(1.0, unit + 24));
}

WeightFacts::WeightFacts(std::span<const float> w) {
    Units units;
    bool zero = false;
    for (const float v : w) {
        units.add(v);
        zero |= v == 0;
    }
    ordinary = !w.empty() && !zero && units.finite();
    unit = ordinary ? units.exponent() : 0;
}

namespace {
bool known(const WeightRow& w) { return w.facts && w.facts->ordinary && w.scale.empty(); }
}  // namespace

DotSum dot(const DotVector& a, const WeightRow& w, double extra) {
    if (known(w)) return dot_with(has_avx2() ? add_known_avx2 : add_known_portable, false, true, a, w, extra);
    return dot_with(has_avx2() ? add_avx2<false> : add_portable<false>, false, false, a, w, extra);
}
DotSum dot_twosum(const DotVector& a, const WeightRow& w, double extra) {
    return dot_with(has_avx2() ? add_avx2<true> : add_portable<true>, true, false, a, w, extra);
}
DotSum portable::dot(const DotVector& a, const WeightRow& w, double extra) {
    if (known(w)) return dot_with(add_known_portable, false, true, a, w, extra);
    return dot_with(add_portable<false>, false, false, a, w, extra);
}
DotSum portable::dot_twosum(const DotVector& a, const WeightRow& w, double extra) {
    return dot_with(add_portable<true>, true, false, a, w, extra);
}

DotSum dot_integers(const DotVector& x, const WeightRow& row, double extra) {
    DotSum d = dot(x, row, extra);
    if (d.level == 0) return d;
    Dyadic s = dyadic(extra);
    stretches(x.a, row, [&](auto a, auto w, float scale) {
        Dyadic part;
        for (std::size_t k = 0; k < a.size(); ++k)
            if (a[k] != 0 && w[k] != 0) part = part + dyadic(static_cast<double>(a[k])) * dyadic(static_cast<double>(w[k]));
        s = s + part * dyadic(static_cast<double>(scale));
    });
    d.level = 3;
    d.low = d.error = 0;
    auto m = s.m < 0 ? boost::multiprecision::cpp_int(-s.m) : s.m;
    int e = s.e;
    if (m != 0)
        if (const int drop = static_cast<int>(msb(m)) - 52; drop > 0) {
            const bool sticky = lsb(m) < static_cast<unsigned>(drop);
            m >>= drop;
            e += drop;
            if (sticky) bit_set(m, 0);
        }
    d.value = std::ldexp(m.convert_to<double>(), e) * (s.m < 0 ? -1 : 1);
    return d;
}

std::uint32_t round_dot(Type t, const DotVector& a, const WeightRow& w, double extra, DotSum& d, DotCounts* counts) {
    std::uint32_t word = 0;
    d = dot(a, w, extra);
    if (d.level == 0)
        word = encode(t, d.value);
    else if (!rounds_alike(t, d, word)) {
        d = dot_twosum(a, w, extra);
        if (!rounds_alike(t, d, word)) {
            d = dot_integers(a, w, extra);
            rounds_alike(t, d, word);
        }
    }
    if (counts) ++counts->level[d.level];
    return word;
}

}  // namespace ulpgate
