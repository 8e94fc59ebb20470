#include "reference/exact/dot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/formats/convert.hpp"

namespace ulpgate {
namespace {

using boost::multiprecision::cpp_int;

// The reference written a second time: every factor as an integer times 2^-160 (2^-9 an e4m3 code needs less), one big sum,
// rounding by comparison of integers with the two neighbours' midpoint. Shares nothing with dot.cpp but the formats.
cpp_int fixed(float v, int shift) {
    int e = 0;
    const auto m = static_cast<std::int64_t>(std::ldexp(std::frexp(static_cast<double>(v), &e), 24));
    const int by = e - 24 + shift;
    return by >= 0 ? cpp_int(m) << by : cpp_int(m) >> -by;
}
constexpr int point = 150, all = 3 * point;  // a and w have no bit below 2^-149; a scale neither

cpp_int plain_sum(const std::vector<float>& a, const WeightRow& row, float extra) {
    cpp_int s = fixed(extra, point) << (2 * point);
    for (std::size_t k = 0; k < a.size(); ++k) {
        const float scale = row.scale.empty() ? 1.0f : row.scale[k / static_cast<std::size_t>(row.block)];
        s += fixed(a[k], point) * fixed(row.w[k], point) * fixed(scale, point);
    }
    return s;
}
// Bisection over the words of one sign, for the last one not above |s|; then its upper midpoint.
template <class F>
std::uint32_t plain_round(const cpp_int& s) {
    const cpp_int m = s < 0 ? cpp_int(-s) : s;
    const auto value = [](std::uint32_t w) {  // inf stands for 2^(emax+1)
        const auto exponent = static_cast<int>(w >> F::mantissa_bits);
        const std::uint32_t fraction = w & ((1u << F::mantissa_bits) - 1);
        const cpp_int v = exponent ? fraction | (1u << F::mantissa_bits) : fraction;
        return cpp_int(v << (std::max(exponent, 1) - 1 + F::emin - F::mantissa_bits + all));
    };
    std::uint32_t lo = 0, hi = F::inf_word;
    while (hi - lo > 1) {
        const std::uint32_t mid = lo + (hi - lo) / 2;
        (value(mid) <= m ? lo : hi) = mid;
    }
    const int side = cpp_int(2 * m).compare(cpp_int(value(lo) + value(lo + 1)));
    const std::uint32_t w = side > 0 || (side == 0 && (lo & 1)) ? lo + 1 : lo;
    return s < 0 ? w | static_cast<std::uint32_t>(F::sign_bit) : w;
}
std::uint32_t plain_round(Type t, const cpp_int& s) {
    return t == Type::bf16 ? plain_round<Bf16>(s) : t == Type::fp16 ? plain_round<Fp16>(s) : plain_round<F32>(s);
}

struct Weights {
    std::vector<float> a, w, scale;
    std::int64_t block = 1;
    WeightRow row() const { return {w, scale, block}; }
};

void narrow(Type t, std::vector<float>& v) { round_values(t, v); }

std::vector<float> gaussian(Rng& r, std::size_t n, int k) {
    std::vector<float> v(n);
    for (float& f : v) f = static_cast<float>(std::ldexp(r.gauss(), k - 16));
    return v;
}

Weights random_weights(Rng& r, Type t, std::size_t n, int kind) {
    Weights x;
    x.a = gaussian(r, n, 0);
    x.w = gaussian(r, n, -5);
    if (kind == 1)  // heavy tails
        for (std::size_t k = 0; k < n; ++k) x.a[k] = static_cast<float>(std::ldexp(x.a[k], r.between(-12, 6)));
    if (kind == 2)  // cancelling: pairs of opposite products, and a little
        for (std::size_t k = 0; k + 1 < n; k += 2) x.a[k + 1] = x.a[k], x.w[k + 1] = k ? -x.w[k] : x.w[k];
    if (kind == 3)  // integers: many exact ties
        for (std::size_t k = 0; k < n; ++k) x.a[k] = static_cast<float>(r.between(-3, 3)), x.w[k] = static_cast<float>(r.between(-40, 40));
    if (kind == 4) {  // e4m3 codes with a scale a block
        for (std::size_t k = 0; k < n; ++k) x.w[k] = decode(Type::e4m3, static_cast<std::uint32_t>(r.below(127) | (r.next() >> 63) << 7));
        x.block = 128;
        x.scale = gaussian(r, (n + 127) / 128, -6);
    }
    narrow(t, x.a);
    if (kind != 4) narrow(t, x.w);
    return x;
}

std::uint64_t differences(Type t, std::size_t n, int count, std::uint64_t seed, DotCounts& counts) {
    std::uint64_t bad = 0;
    for (int i = 0; i < count; ++i) {
        Rng r(seed, static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(i));
        const Weights x = random_weights(r, t, n, i % 5);
        const float extra = i % 7 == 3 ? decode(t, encode(t, std::ldexp(r.gauss(), -18))) : 0.0f;
        const DotVector a(x.a);
        DotSum d;
        const auto word = round_dot(t, a, x.row(), static_cast<double>(extra), d, &counts);
        const cpp_int exact = plain_sum(x.a, x.row(), extra);
        if (exact == 0 ? (word << 1) != 0 && word != 0 && decode(t, word) != 0 : word != plain_round(t, exact)) ++bad;
    }
    return bad;
}

// 1,050,000 outputs against integers take 40 s: this many, and the rest by --gtest_also_run_disabled_tests.
TEST(Dots, RoundsAsIntegersDo) {
    DotCounts counts;
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const std::size_t n : {1, 2, 7, 8, 9, 16, 64, 200}) EXPECT_EQ(differences(t, n, 1500, 1, counts), 0u) << name(t) << " " << n;
    EXPECT_EQ(counts.level[0], 0u);
    EXPECT_GT(counts.level[1], 30000u);
}
TEST(Dots, DISABLED_RoundsAsIntegersDoAMillionTimes) {
    DotCounts counts;
    std::uint64_t bad = 0, all_of_them = 0;
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const std::size_t n : {3, 16, 17, 64}) {
            bad += differences(t, n, 87500, 2, counts);
            all_of_them += 87500;
        }
    std::printf("%llu outputs, %llu mismatches; f64 %llu, TwoSum %llu, integers %llu\n", static_cast<unsigned long long>(all_of_them),
                static_cast<unsigned long long>(bad), static_cast<unsigned long long>(counts.level[1]),
                static_cast<unsigned long long>(counts.level[2]), static_cast<unsigned long long>(counts.level[3]));
    EXPECT_EQ(bad, 0u);
}

// Facts of a row save collecting them: the sum, its bound and what it says of orders stay, with AVX2 and without.
TEST(Dots, KnownFactsChangeNothing) {
    int ordinary = 0;
    for (int i = 0; i < 400; ++i) {
        Rng r(4, 0, static_cast<std::uint64_t>(i));
        Weights x = random_weights(r, i % 2 ? Type::bf16 : Type::f32, static_cast<std::size_t>(r.between(1, 300)), i % 4);
        if (i % 8 == 5) x.a.assign(x.a.size(), 0);
        if (i % 8 == 6) x.w[0] = std::numeric_limits<float>::infinity();
        if (i % 8 == 7) x.a.back() = std::numeric_limits<float>::quiet_NaN();
        const DotVector a(x.a);
        const WeightFacts facts(x.w);
        ordinary += facts.ordinary;
        WeightRow with = x.row();
        with.facts = &facts;
        const double extra = i % 3 ? 0 : 0.75;
        const auto same = [](const DotSum& p, const DotSum& q) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(p.value), std::bit_cast<std::uint64_t>(q.value));
            EXPECT_EQ(p.low, q.low);
            EXPECT_EQ(p.error, q.error);
            EXPECT_EQ(p.magnitude, q.magnitude);
            EXPECT_EQ(p.unit, q.unit);
            EXPECT_EQ(p.terms, q.terms);
            EXPECT_EQ(p.level, q.level);
        };
        same(dot(a, x.row(), extra), dot(a, with, extra));
        same(portable::dot(a, x.row(), extra), portable::dot(a, with, extra));
        same(dot_twosum(a, x.row(), extra), dot_twosum(a, with, extra));
    }
    EXPECT_GT(ordinary, 150);
    EXPECT_LT(ordinary, 380);
}

TEST(Dots, WithoutAvx2TheBitsAreTheSame) {
    for (int i = 0; i < 200; ++i) {
        Rng r(3, 0, static_cast<std::uint64_t>(i));
        const Weights x = random_weights(r, Type::bf16, static_cast<std::size_t>(r.between(1, 300)), i % 5);
        const DotVector a(x.a);
        for (const auto& [p, q] : {std::pair{dot(a, x.row()), portable::dot(a, x.row())}, {dot_twosum(a, x.row()), portable::dot_twosum(a, x.row())}}) {
            EXPECT_EQ(p.value, q.value);
            EXPECT_EQ(p.low, q.low);
            EXPECT_EQ(p.error, q.error);
            EXPECT_EQ(p.magnitude, q.magnitude);
        }
    }
}

// Each step's error bound holds against integers, and a claim of exactness is one.
TEST(Dots, BoundsHold) {
    for (int i = 0; i < 1000; ++i) {
        Rng r(4, 0, static_cast<std::uint64_t>(i));
        const Type t = std::array{Type::bf16, Type::fp16, Type::f32}[static_cast<std::size_t>(i % 3)];
        const Weights x = random_weights(r, t, static_cast<std::size_t>(r.between(1, 500)), i % 5);
        const DotVector a(x.a);
        const cpp_int exact = plain_sum(x.a, x.row(), 0);
        for (const DotSum& d : {dot(a, x.row()), dot_twosum(a, x.row())}) {
            const auto wide = [](double v) {
                int e = 0;
                const auto m = static_cast<std::int64_t>(std::ldexp(std::frexp(v, &e), 53));
                const int by = e - 53 + all + 60;
                return by >= 0 ? cpp_int(cpp_int(m) << by) : cpp_int(cpp_int(m) >> -by);
            };
            cpp_int error = wide(d.value) + wide(d.low) - (exact << 60);
            if (error < 0) error = -error;
            EXPECT_LE(error, wide(d.error)) << i << " level " << d.level;
        }
    }
}

// The sum is a tie and one bit of the smallest product: f64 drops that bit, TwoSum holds it.
TEST(Dots, ATieAndALittle) {
    const std::vector<float> a{1, 1, 1}, up{0x1.02p0f, 0x1p-8f, 0x1p-60f}, down{0x1.02p0f, 0x1p-8f, -0x1p-60f}, tie{0x1.02p0f, 0x1p-8f, 0};
    const DotVector x(a);
    DotSum d;
    EXPECT_EQ(round_dot(Type::bf16, x, {up, {}, 1}, 0, d), 0x3f82u);
    EXPECT_EQ(d.level, 2);
    EXPECT_EQ(round_dot(Type::bf16, x, {down, {}, 1}, 0, d), 0x3f81u);
    EXPECT_EQ(round_dot(Type::bf16, x, {tie, {}, 1}, 0, d), 0x3f82u);  // ties to even
    EXPECT_EQ(d.level, 1);
    EXPECT_EQ(d.error, 0);
}
// Three magnitudes 2^120, 1 and 2^-100: neither f64 nor a pair holds them, integers do.
TEST(Dots, WhatAPairCannotHoldFallsToIntegers) {
    const std::vector<float> a{0x1p60f, 0x1p60f, 1, 1, 0x1p-50f}, w{0x1p60f, -0x1p60f, 0x1.02p0f, 0x1p-8f, -0x1p-50f};
    const DotVector x(a);
    DotSum d;
    EXPECT_EQ(round_dot(Type::bf16, x, {w, {}, 1}, 0, d), 0x3f81u);
    EXPECT_EQ(d.level, 3);
}
// The bias enters before the one rounding: 1 + 2^-8 is a tie, 2^-8 + 2^-30 is not.
// 2^54 + 1 - 2^54: f64 loses the 1, and the sum of the sizes, 4 times too large for it to be kept, says that it may.
TEST(Dots, ASumThatF64DoesNotHoldIsNotCertified) {
    const std::vector<float> a{0x1p54f, 1, -0x1p54f}, w{1, 1, 1};
    DotSum d;
    EXPECT_EQ(decode(Type::f32, round_dot(Type::f32, DotVector(a), {w, {}, 1}, 0, d)), 1.0f);
    EXPECT_GT(dot(DotVector(a), {w, {}, 1}).error, 1);
    EXPECT_GT(d.level, 1);
}

TEST(Dots, ABiasEntersBeforeTheRounding) {
    const std::vector<float> a{1}, w{1};
    DotSum d;
    EXPECT_EQ(round_dot(Type::bf16, DotVector(a), {w, {}, 1}, 0x1p-8, d), 0x3f80u);
    EXPECT_EQ(round_dot(Type::bf16, DotVector(a), {w, {}, 1}, 0x1p-8 + 0x1p-30, d), 0x3f81u);
}
TEST(Dots, InfinitiesAndNaN) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> one{1, 1}, mixed{inf, -inf}, plus{inf, 1}, zero{0, 1};
    DotSum d;
    EXPECT_EQ(round_dot(Type::bf16, DotVector(one), {mixed, {}, 1}, 0, d), 0x7fc0u);
    EXPECT_EQ(round_dot(Type::bf16, DotVector(one), {plus, {}, 1}, 0, d), 0x7f80u);
    EXPECT_EQ(round_dot(Type::bf16, DotVector(zero), {plus, {}, 1}, 0, d), 0x7fc0u);
    EXPECT_EQ(d.level, 0);
}
// FAULTS.md, gemm.acc_low and gemm.fp8_14bit: the right values.
TEST(Dots, RecordedSums) {
    std::vector<float> a(1536, 1.0f), w(1536, 1.0f);
    w[0] = 256;
    w[1535] = -256;
    DotSum d;
    round_dot(Type::bf16, DotVector(a), {w, {}, 1}, 0, d);
    EXPECT_EQ(d.value, 1534);
    EXPECT_TRUE(d.exact_in_f32());
    std::vector<float> b(32, 1.0f), code(32, 0x1p-6f);
    code[0] = 448;
    round_dot(Type::f32, DotVector(b), {code, {}, 1}, 0, d);
    EXPECT_EQ(d.value, 448.484375);
}

}  // namespace
}  // namespace ulpgate
