// Rows built so that elements land on midpoints, or beside them by a chosen distance: what random rows never reach.
#include "reference/oracle/ladder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/oracle/designed_rows.hpp"
#include "reference/oracle/naive.hpp"
#include "reference/oracle/oracle.hpp"
#include "reference/oracle/root_oracle.hpp"

namespace ulpgate {
namespace {

using boost::multiprecision::cpp_int;

struct Tie {
    Type t;
    int w, x;        // w x is odd with p + 1 bits: w x / 2 is a midpoint
    int x_exponent;  // x0 = x 2^x_exponent, scaled with the row
    int unit;        // squares are multiples of 2^(-2 unit)
    int log2_rms;
    double eps;
};

const Tie ties[] = {
    {Type::bf16, 7, 37, -5, 40, 0, 1e-6},
    {Type::bf16, 7, 37, -5, 40, 0, static_cast<double>(1e-6f)},
    {Type::bf16, 7, 37, -5, 40, 40, 1e-6},
    {Type::bf16, 7, 37, -5, 40, -3, 0},
    {Type::fp16, 47, 61, -6, 24, 0, static_cast<double>(1e-6f)},
    {Type::fp16, 47, 61, -6, 24, 3, 0},
    {Type::f32, 4001, 5003, -12, 60, 0, 1e-6},
    {Type::f32, 4001, 5003, -12, 60, 30, 1e-6},
    {Type::bf16, 5, 53, -5, 40, 0, 1e-6},  // from here on the value below is even: ties go down
    {Type::fp16, 19, 151, -7, 24, 0, static_cast<double>(1e-6f)},
    {Type::f32, 4001, 5001, -12, 60, 0, 1e-6},
};

std::uint32_t first_word(Oracle oracle, const OracleTypes& t, const std::vector<float>& x, const std::vector<float>& w,
                         double eps, OracleStats* stats = nullptr) {
    std::vector<std::uint32_t> y(x.size());
    oracle_row(oracle, t, x, w, eps, y, stats);
    return y[0];
}

// The value below the midpoint w x / 4 * 2^x_exponent: the integer part of w x / 2, a p-bit integer.
std::uint32_t word_below(const Tie& tie) {
    return encode(tie.t, std::ldexp((tie.w * tie.x) / 2, tie.x_exponent - 2 + 1));
}

template <class F>
std::vector<float> tie_row(const Tie& tie, std::size_t d, Rng& rng) {
    std::vector<float> x;
    const auto x0 = static_cast<float>(std::ldexp(tie.x, tie.x_exponent + tie.log2_rms));
    EXPECT_TRUE(dyadic_rms_row<F>(x, d, tie.eps, x0, tie.log2_rms, tie.unit, rng));
    return x;
}

TEST(Ladder, RoundsExactTiesToEvenAndCountsThem) {
    Rng rng(11, 0, 0);
    for (const Tie& tie : ties)
        for (const std::size_t d : {512u, 1536u, 7168u})
            with_format(tie.t, [&](auto f) {
                const auto x = tie_row<decltype(f)>(tie, d, rng);
                const std::vector<float> w(d, static_cast<float>(tie.w) / 4);
                const OracleTypes t{tie.t, tie.t, tie.t};
                OracleStats stats;
                const std::uint32_t y = first_word(Oracle::ideal, t, x, w, tie.eps, &stats), below = word_below(tie);
                EXPECT_EQ(below % 2, static_cast<std::uint32_t>(tie.w * tie.x / 2 % 2));
                EXPECT_EQ(y, below + below % 2) << name(tie.t) << " d " << d;
                EXPECT_GE(stats.ties, 1u);
                EXPECT_GE(stats.l3, stats.ties);
                EXPECT_EQ(y, RootOracle(x, tie.eps).element(Oracle::ideal, t, x[0], w[0]));
            });
}

// The tie plus one smallest subnormal makes y smaller by less than 2^-340 of itself: the value below is right, and every
// fixed precision that cannot hold the sum says the tie's even neighbour.
TEST(Ladder, DecidesNearTiesThatBoostFloatsRoundWrongly) {
    Rng rng(12, 0, 0);
    int wrong = 0;
    for (const Tie& tie : ties) {
        if (tie.log2_rms < 30) continue;
        for (const std::size_t d : {512u, 1536u, 7168u})
            with_format(tie.t, [&](auto f) {
                using F = decltype(f);
                auto x = tie_row<F>(tie, d, rng);
                ASSERT_EQ(x.back(), 0);
                x.back() = F::decode(1);
                const std::vector<float> w(d, static_cast<float>(tie.w) / 4);
                const OracleTypes t{tie.t, tie.t, tie.t};
                OracleStats stats;
                EXPECT_EQ(first_word(Oracle::ideal, t, x, w, tie.eps, &stats), word_below(tie)) << name(tie.t) << ' ' << d;
                EXPECT_GE(stats.l3, 1u);
                EXPECT_EQ(stats.ties, 0u);
                std::vector<std::uint32_t> naive(d);
                naive_row(Oracle::ideal, t, x, w, tie.eps, naive);
                EXPECT_EQ(naive[0], word_below(tie) + 1) << "cpp_bin_float_100 is expected to fail here";
                wrong += naive[0] != word_below(tie);
            });
    }
    EXPECT_EQ(wrong, 6);
}

// d = 9 with eps = 0: rms 128/3, so that 87 and 93 are 130.5 and 139.5 steps of bf16 in [2, 4). All by hand.
TEST(Ladder, TiesUnderCastFirstWhereDHasASquareFactor) {
    const std::vector<float> x{87, 93, 12, 4, 2, 1, 1, 0, 0};
    const std::vector<std::uint32_t> right{0x4002, 0x400c, 0x3e90, 0x3dc0, 0x3d40, 0x3cc0, 0x3cc0, 0, 0};
    for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first}) {
        OracleStats stats;
        std::vector<std::uint32_t> y(9);
        oracle_row(oracle, {Type::bf16, Type::bf16, Type::bf16}, x, {}, 0, y, &stats);
        EXPECT_EQ(y, right);
        EXPECT_EQ(stats.ties, 2u);
    }
    // and through the lanes: the row seven times over has the same rms
    std::vector<float> long_row;
    for (int k = 0; k < 7; ++k) long_row.insert(long_row.end(), x.begin(), x.end());
    OracleStats stats;
    std::vector<std::uint32_t> y(63);
    oracle_row(Oracle::cast_first, {Type::bf16, Type::bf16, Type::bf16}, long_row, {}, 0, y, &stats);
    for (std::size_t j = 0; j < 63; ++j) EXPECT_EQ(y[j], right[j % 9]) << j;
    EXPECT_EQ(stats.ties, 14u);
}

struct Beside {
    Oracle oracle;
    Type x, w, y;
};

// Element 0 is put at midpoint (1 + offset 2^-56) for offsets across two ulp64 on either side, with r just above a power
// of two and y just below one, where the double q fl(r) errs most. The right side follows from the construction.
template <class X, class Y>
void expect_decided_beside_midpoints(const Beside& c, std::size_t d, OracleStats& stats, Rng& rng) {
    for (int rep = 0; rep < 6; ++rep) {
        const double x0 = X::round(std::ldexp(1 + rng.below(1u << 24) * 0x1p-24, 8));
        const double w0 = c.oracle == Oracle::ideal ? round_to(c.w, 1 + rng.below(1u << 24) * 0x1p-24) : 1.0;
        const double q = x0 * w0;
        // r in [1, 1.06) 2^-8: the midpoint h = q r of the target format with an odd last bit
        const double guess = q * (1 + rng.below(1u << 20) * 0x1p-24) * 0x1p-8;
        const auto below = Y::encode(guess);
        const double lo = Y::decode(below), hi = Y::decode(static_cast<typename Y::Word>(below + 1)), h = (lo + hi) / 2;
        for (int offset = -40; offset <= 40; offset += 1 + 3 * (std::abs(offset) > 12)) {
            // S = d ((q / h)^2 (1 - offset 2^-55) - eps) to a unit of 2^-2u, rounded down: y grows by less than 2^-70
            const int unit = X::precision == 11 ? 24 : 60;
            const Dyadic dq = dyadic(static_cast<double>(d)) * dyadic(q) * dyadic(q), hh = dyadic(h) * dyadic(h);
            const cpp_int n = dq.m * ((cpp_int(1) << 55) - offset);
            const int shift = dq.e - 55 - hh.e + 2 * unit;
            bool whole = true;
            const Dyadic d_eps = dyadic(static_cast<double>(d)) * dyadic(1e-6);
            const cpp_int target = (n << (shift + 400)) / hh.m - scaled(d_eps, 2 * unit + 400, whole);
            std::vector<float> x{static_cast<float>(x0)};
            cpp_int rest = (target >> 400) - scaled(dyadic(x0) * dyadic(x0), 2 * unit, whole);
            if (rest < 0) break;
            rest = fill_squares<X>(x, d, rest, unit, rng, 20);
            std::vector<float> w;
            if (c.oracle == Oracle::ideal) w.assign(d, static_cast<float>(w0));
            const OracleTypes t{c.x, c.w, c.y};
            const std::uint32_t y = first_word(c.oracle, t, x, w, 1e-6, &stats);
            ASSERT_EQ(y, RootOracle(x, 1e-6).element(c.oracle, t, x[0], w.empty() ? 1.0f : w[0]))
                << name(c.x) << ' ' << name(c.y) << " d " << d << " offset " << offset;
            if (std::abs(offset) > 8) {
                const double side = offset > 0 ? hi : lo;
                ASSERT_EQ(decode(c.y, y), static_cast<float>(side)) << offset;
            }
        }
    }
}

TEST(Ladder, DecidesWithinTwoUlpsOfADoubleBesideAMidpoint) {
    const Beside cases[] = {
        {Oracle::ideal, Type::bf16, Type::bf16, Type::bf16}, {Oracle::cast_first, Type::bf16, Type::bf16, Type::bf16},
        {Oracle::ideal, Type::fp16, Type::fp16, Type::fp16}, {Oracle::cast_first, Type::fp16, Type::fp16, Type::fp16},
        {Oracle::ideal, Type::f32, Type::f32, Type::f32},    {Oracle::cast_first, Type::f32, Type::f32, Type::f32},
        {Oracle::ideal, Type::bf16, Type::f32, Type::f32},   {Oracle::ideal, Type::bf16, Type::f32, Type::bf16},
        {Oracle::ideal, Type::f32, Type::bf16, Type::fp16},
    };
    Rng rng(13, 0, 0);
    for (const Beside& c : cases)
        for (const std::size_t d : {28u, 80u}) {
            OracleStats stats;
            with_format(c.x, [&](auto x) {
                with_format(c.oracle == Oracle::ideal ? c.y : c.x, [&](auto y) {
                    expect_decided_beside_midpoints<decltype(x), decltype(y)>(c, d, stats, rng);
                });
            });
            if (HasFatalFailure()) return;
            EXPECT_GT(stats.l1, 0u);
            EXPECT_GT(stats.l2, 50u);
        }
}

}  // namespace
}  // namespace ulpgate
