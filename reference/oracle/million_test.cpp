// The certified reference against two independent ones, on more than a million elements: integer roots in GMP's integers, and
// MPFR with its own rounding to the format. Every type, both oracles, the whole exponent range, subnormal and overflowing
// results, exact ties and both neighbours of a tie at the distance of one smallest square.
#include <boost/multiprecision/gmp.hpp>
#include <boost/multiprecision/mpfr.hpp>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/oracle/designed_rows.hpp"
#include "reference/oracle/float_formula.hpp"
#include "reference/oracle/mpfr_oracle.hpp"
#include "reference/oracle/naive.hpp"
#include "reference/oracle/oracle.hpp"
#include "reference/oracle/root_oracle.hpp"

namespace ulpgate {
namespace {

using Row = std::vector<float>;
constexpr std::array types{Type::bf16, Type::fp16, Type::f32};
constexpr std::array oracles{Oracle::ideal, Oracle::cast_first};

class Comparison {
  public:
    std::vector<std::uint32_t> row(Oracle oracle, const OracleTypes& t, const Row& x, const Row& w, double eps) {
        std::vector<std::uint32_t> y(x.size(), 0xdeadbeef);
        oracle_row(oracle, t, x, w, eps, y, &reach);
        const RootOracleIn<boost::multiprecision::mpz_int> root(x, eps);
        const MpfrOracle mpfr(x, eps);
        EXPECT_TRUE(mpfr.exact());
        for (std::size_t j = 0; j < x.size(); ++j) {
            const float gain = w.empty() ? 1.0f : w[j];
            const double got = decode(t.y, y[j]), third = mpfr.element(oracle, t, x[j], gain);
            const std::uint32_t second = root.element(oracle, t, x[j], gain);
            ++compared;
            count(t.y, y[j]);
            if (y[j] == second && got == third && std::signbit(got) == std::signbit(third)) continue;
            if (++mismatches > 5) continue;
            ADD_FAILURE() << (oracle == Oracle::ideal ? "ideal " : "cast_first ") << name(t.x) << ' ' << name(t.w) << ' '
                          << name(t.y) << " d " << x.size() << " col " << j << std::hexfloat << " eps " << eps << " x "
                          << x[j] << " w " << gain << ": oracle " << got << ", integer root " << decode(t.y, second)
                          << ", MPFR " << third;
        }
        return y;
    }

    std::int64_t compared = 0, mismatches = 0, subnormal = 0, zero = 0, infinite = 0;
    OracleStats reach;

  private:
    void count(Type t, std::uint32_t word) {
        with_format(t, [&](auto f) {
            const auto w = static_cast<typename decltype(f)::Word>(word);
            subnormal += f.is_subnormal(w);
            zero += f.is_zero(w);
            infinite += f.is_inf(w);
        });
    }
};

struct Range {
    int lo, hi;
};
Range range_of(Type t) { return t == Type::fp16 ? Range{-24, 15} : Range{t == Type::bf16 ? -133 : -149, 127}; }

// Any finite value with its exponent in [lo, hi].
float value(Rng& r, Type t, int lo, int hi) {
    const double m = 1 + static_cast<double>(r.below(1u << 24)) * 0x1p-24;
    float v = round_to(t, std::ldexp(m, r.between(lo, hi)));
    if (std::isinf(v)) v = round_to(t, std::ldexp(1.5, hi));
    return r.below(2) ? v : -v;
}

// Every triple of types; rows over the whole range of exponents, and rows within a few.
void whole_range(Comparison& c) {
    constexpr std::array<std::size_t, 9> lengths{1, 2, 3, 9, 31, 33, 100, 135, 576};
    constexpr std::array epsilons{1e-6, static_cast<double>(1e-6f), 1e-5, 0.0, 0x1p-149, 0x1p-1074, 1e-20};
    Rng r(21, 0, 0);
    for (const Oracle oracle : oracles)
        for (const Type tx : types)
            for (const Type tw : types)
                for (const Type ty : types)
                    for (int rep = 0; rep < 80; ++rep) {
                        const Range full = range_of(tx), wide = range_of(tw);
                        int lo = full.lo, hi = full.hi;
                        if (rep % 3) lo = r.between(full.lo, full.hi), hi = std::min(full.hi, lo + r.between(0, 8));
                        Row x(lengths[r.below(lengths.size())]), w(rep % 5 ? x.size() : 0);
                        for (float& v : x) v = r.below(20) ? value(r, tx, lo, hi) : (r.below(2) ? 0.0f : -0.0f);
                        for (float& v : w) v = rep % 4 ? value(r, tw, -2, 2) : value(r, tw, wide.lo, wide.hi);
                        if (x[0] == 0) x[0] = 1.5f;
                        c.row(oracle, {tx, tw, ty}, x, w, epsilons[r.below(epsilons.size())]);
                    }
}

// Gaussian rows of the model's widths, gains about 1.
void model_shapes(Comparison& c) {
    Rng r(22, 0, 0);
    for (const Type t : types)
        for (const std::size_t d : {512u, 1536u, 7168u, 7169u})
            for (int rep = 0; rep < 6; ++rep) {
                Row x(d), w(d);
                const int scale = r.between(-14, 4);
                for (float& v : x) v = round_to(t, std::ldexp(static_cast<float>(r.gauss()) + 0.371f, scale - 16));
                for (float& v : w) v = value(r, t, -1, 0);
                c.row(oracles[static_cast<std::size_t>(rep) % 2], {t, t, t}, x, w, rep < 3 ? 1e-6 : 1e-5);
            }
}

// Outputs around the smallest and the largest values of every type.
void ends_of_the_range(Comparison& c) {
    Rng r(23, 0, 0);
    for (const Oracle oracle : oracles)
        for (const Type ty : types)
            for (int rep = 0; rep < 160; ++rep) {
                const Range range = range_of(ty);
                const int near = std::clamp((rep % 2 ? range.hi : range.lo) + r.between(-3, 3), -149, 127);
                Row x(40), w(40);
                for (float& v : x) v = value(r, Type::bf16, -1, 1);
                for (float& v : w) v = value(r, Type::f32, near, near);
                c.row(oracle, {Type::bf16, Type::f32, ty}, x, w, 1e-6);
            }
}

struct Design {
    int unit, closing, log2_rms;
    double eps;
};

template <class F>
Row tying_gains(const Row& x, Rng& rng) {
    Row w(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
        w[j] = tying_gain<F>(x[j], -2, 2, rng);
        if (w[j] == 0) w[j] = value(rng, type_of<F>, -1, 1);
    }
    return w;
}

struct FloatErrors {
    std::int64_t binary = 0, decimal = 0;
};

// Where S spans more bits than it holds, cpp_bin_float_100 takes a near-tie for the tie; mpfr_float_50 has lost more of S.
void count_float_errors(const OracleTypes& t, const Row& x, const Row& w, double eps, const std::vector<std::uint32_t>& tie,
                        const std::vector<std::uint32_t>& right, FloatErrors& errors) {
    std::vector<std::uint32_t> binary(x.size()), decimal(x.size());
    naive_row(Oracle::ideal, t, x, w, eps, binary);
    formula_row<boost::multiprecision::mpfr_float_50>(Oracle::ideal, t, x, w, eps, decimal);
    for (std::size_t j = 0; j + 1 < x.size(); ++j) {
        EXPECT_EQ(binary[j], tie[j]) << "column " << j;
        errors.binary += binary[j] != right[j];
        errors.decimal += decimal[j] != right[j];
    }
}

// S/d + eps a power of four, more or less by one square of the smallest subnormal, where most columns are midpoints.
template <class F>
void ties(Comparison& c, const Design& g, std::size_t d, Rng& rng, FloatErrors& float_errors) {
    const OracleTypes t{type_of<F>, type_of<F>, type_of<F>};
    const auto closing = static_cast<std::size_t>(g.closing);
    const float x0 = F::round(std::ldexp(1.375f, g.log2_rms));
    Row x;
    ASSERT_TRUE(dyadic_rms_row<F>(x, d, g.eps, x0, g.log2_rms, g.unit, rng, closing));
    Row w = tying_gains<F>(x, rng);
    const std::uint64_t ties_before = c.reach.ties;
    const auto tie = c.row(Oracle::ideal, t, x, w, g.eps);
    EXPECT_GT(c.reach.ties - ties_before, d / 4) << name(t.x) << ' ' << d;
    c.row(Oracle::cast_first, t, x, w, g.eps);

    ASSERT_EQ(x.back(), 0) << "no column is free";
    x.back() = F::decode(1);
    const auto below = c.row(Oracle::ideal, t, x, w, g.eps);
    // Their sums of the tie itself are exact where eps keeps its last square above 2^-100.
    if (d == 512 && g.log2_rms >= 30 && g.eps > 0) count_float_errors(t, x, w, g.eps, tie, below, float_errors);

    ASSERT_TRUE(dyadic_rms_row<F>(x, d, g.eps, x0, g.log2_rms, g.unit, rng, closing, 1));
    w = tying_gains<F>(x, rng);
    c.row(Oracle::ideal, t, x, w, g.eps);
}

// d = 9 k^2: the rms is 2^j / 3 and n ties under cast_first.
template <class F>
void ties_of_the_cast(Comparison& c, std::size_t d, int unit, Rng& rng) {
    using boost::multiprecision::cpp_int;
    const Type t = type_of<F>;
    Row x, w(d);
    const cpp_int sum = cpp_int(d / 9) << (2 * (unit + 2));  // d (4/3)^2 = 4^2 d/9
    ASSERT_EQ(fill_squares<F>(x, d, sum, unit, rng, 80), 0);
    for (float& v : w) v = value(rng, t, -1, 1);
    const std::uint64_t before = c.reach.ties;
    c.row(Oracle::cast_first, {t, t, t}, x, w, 0);
    EXPECT_GT(c.reach.ties - before, 10u) << name(t) << ' ' << d;
    c.row(Oracle::ideal, {t, t, t}, x, {}, 0);
}

TEST(MillionElements, AgreeWithIntegerRootsAndWithMpfr) {
    Comparison c;
    whole_range(c);
    model_shapes(c);
    ends_of_the_range(c);
    const std::int64_t random_elements = c.compared;
    EXPECT_GT(c.reach.elements - c.reach.l1, 100'000u) << "decided by the lanes";
    EXPECT_GT(c.reach.l1 - c.reach.l2, 10'000u) << "decided in double";

    Rng rng(24, 0, 0);
    FloatErrors float_errors;
    for (const std::size_t d : {512u, 1536u, 7168u}) {
        for (const Design& g : {Design{133, 90, 0, 1e-6}, {133, 90, 40, static_cast<double>(1e-6f)}, {133, 90, -3, 0}})
            ties<Bf16>(c, g, d, rng, float_errors);
        for (const Design& g : {Design{24, 45, 0, static_cast<double>(1e-6f)}, {24, 45, 3, 0}})
            ties<Fp16>(c, g, d, rng, float_errors);
        for (const Design& g : {Design{149, 45, 0, 1e-6}, {149, 45, 30, 1e-6}, {149, 45, 30, 0}})
            ties<F32>(c, g, d, rng, float_errors);
        if (HasFatalFailure()) return;
    }
    for (const std::size_t d : {576u, 2304u}) {
        ties_of_the_cast<Bf16>(c, d, 40, rng);
        ties_of_the_cast<Fp16>(c, d, 24, rng);
        ties_of_the_cast<F32>(c, d, 60, rng);
    }
    const Row nine{87, 93, 12, 4, 2, 1, 1, 0, 0};  // rms 128/3: n[0] is 130.5 steps of bf16
    EXPECT_EQ(c.row(Oracle::cast_first, {Type::bf16, Type::bf16, Type::bf16}, nine, {}, 0)[0], 0x4002u);

    EXPECT_EQ(c.mismatches, 0);
    EXPECT_GE(c.compared, 1'000'000);
    EXPECT_GT(c.reach.l2 - c.reach.l3, 1000u) << "decided in pairs of doubles";
    EXPECT_GT(c.reach.ties, 50'000u);
    EXPECT_GT(c.reach.l3 - c.reach.ties, 50'000u) << "near ties decided in integers";
    EXPECT_GT(c.subnormal, 10'000);
    EXPECT_GT(c.infinite, 5'000);
    EXPECT_GT(float_errors.binary, 300);
    EXPECT_GT(float_errors.decimal, 300);
    const auto& r = c.reach;
    fmt::print("{} elements ({} of random rows), {} mismatches; decided by lanes {}, in double {}, in pairs {}, in integers {} "
               "({} ties); subnormal {}, zero {}, infinite {}; cpp_bin_float_100 wrong on {}, mpfr_float_50 on "
               "{}\n",
               c.compared, random_elements, c.mismatches, r.elements - r.l1, r.l1 - r.l2, r.l2 - r.l3, r.l3, r.ties,
               c.subnormal, c.zero, c.infinite, float_errors.binary, float_errors.decimal);
}

}  // namespace
}  // namespace ulpgate
