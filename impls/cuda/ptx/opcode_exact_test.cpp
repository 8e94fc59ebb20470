// Floating-point opcodes against exact arithmetic: a result is right if the exact value lies nearer to it than to either
// neighbour (ties: to the even one), decided with integers.
#include <cmath>
#include <functional>
#include <tuple>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/lanes_test.hpp"
#include "impls/cuda/ptx/numeric.hpp"
#include "reference/base/rng.hpp"
#include "reference/exact/dyadic.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::ptx::testing {
namespace {

// sign(exact - v) for any double v, where `exact` may be a sum, a quotient or a root.
using Against = std::function<int(const Dyadic&)>;

// The middle between two neighbouring values of F given by ordinal; beyond the largest finite value, where Inf begins.
template <class F>
Dyadic middle(std::int64_t low) {
    const auto value = [](std::int64_t o) -> Dyadic {
        const bool over = std::abs(o) > F::max_word;
        Dyadic v = dyadic(F::decode(F::from_ordinal(over ? (o < 0 ? -std::int64_t{F::max_word} : std::int64_t{F::max_word}) : o)));
        if (over) v = v + dyadic(std::ldexp(o < 0 ? -1.0 : 1.0, F::emax - F::mantissa_bits));
        return v;
    };
    Dyadic s = value(low) + value(low + 1);
    s.e -= 1;
    return s;
}
template <class F>
bool nearest(std::uint64_t word, const Against& against) {
    const auto w = static_cast<typename F::Word>(word);
    const auto o = F::ordinal(w);
    const bool even = !(w & 1);
    if (o > F::max_word) return against(middle<F>(o - 1)) >= 0;   // +Inf
    if (o < -std::int64_t{F::max_word}) return against(middle<F>(o)) <= 0;
    const int below = against(middle<F>(o - 1)), above = against(middle<F>(o));
    return (below > 0 || (below == 0 && even)) && (above < 0 || (above == 0 && even));
}

// Operands that meet: any bits, and near one another in exponent so that sums cancel and round.
template <class F>
std::uint64_t any(Rng& rng) {
    return static_cast<typename F::Word>(rng.next());
}
template <class F>
Values operands(int n, std::uint64_t stream, const Values* near = nullptr) {
    Rng rng(5, stream, 0);
    Values v;
    for (int k = 0; k < n; ++k) {
        std::uint64_t w = any<F>(rng);
        if (near && k % 2) {  // same exponent within a few
            const auto shift = static_cast<std::uint64_t>(rng.below(5)) << F::mantissa_bits;
            w = ((*near)[static_cast<std::size_t>(k)] + shift) ^ (w & ((1u << F::mantissa_bits) - 1)) ^ (w & F::sign_bit);
            w &= static_cast<std::uint64_t>(static_cast<typename F::Word>(~typename F::Word{0}));
        }
        if (k % 97 == 5) w &= F::sign_bit | ((1u << F::mantissa_bits) - 1);  // subnormal or zero
        if (k % 101 == 7) w = F::inf_word | (w & F::sign_bit);
        if (k % 103 == 9) w = F::nan_word;
        v.push_back(w);
    }
    return v;
}

template <class F>
struct Checker {
    static constexpr int bits = F::bits;
    static double value(std::uint64_t w) { return F::decode(static_cast<typename F::Word>(w)); }
    // finite: the IEEE result in double arithmetic where an operand is special or the exact value is zero.
    static void check(const std::string& opcode, int arity, double (*special)(double, double, double), int (*against)(double, double, double, const Dyadic&)) {
        constexpr int n = 20000;
        std::vector<Values> x{operands<F>(n, 1)};
        if (arity > 1) x.push_back(operands<F>(n, 2, &x[0]));
        if (arity > 2) x.push_back(operands<F>(n, 3, &x[0]));
        const auto y = apply(opcode, bits, std::vector<int>(static_cast<std::size_t>(arity), bits), x);
        std::size_t exact = 0;
        for (std::size_t k = 0; k < y.size(); ++k) {
            const double a = value(x[0][k]), b = arity > 1 ? value(x[1][k]) : 0, c = arity > 2 ? value(x[2][k]) : 0;
            const double s = special(a, b, c);
            const auto where = [&] { return ::testing::Message() << opcode << " of " << a << ", " << b << ", " << c << " gave " << std::hex << y[k]; };
            if (std::isnan(s)) {
                ASSERT_EQ(y[k], bits == 16 ? 0x7fffu : 0x7fffffffu) << where();
            } else if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c) || std::isinf(s) || s == 0) {
                ASSERT_EQ(y[k], F::encode(s)) << where();
            } else {
                ++exact;
                ASSERT_TRUE(nearest<F>(y[k], [&](const Dyadic& v) { return against(a, b, c, v); })) << where();
            }
        }
        EXPECT_GT(exact, 8000u) << opcode;
    }
};

Dyadic negated(Dyadic v) {
    v.m = -v.m;
    return v;
}
int sum(double a, double b, double, const Dyadic& v) { return compare(dyadic(a) + dyadic(b), v); }
int difference(double a, double b, double, const Dyadic& v) { return compare(dyadic(a) + negated(dyadic(b)), v); }
int product(double a, double b, double, const Dyadic& v) { return compare(dyadic(a) * dyadic(b), v); }
int fused(double a, double b, double c, const Dyadic& v) { return compare(dyadic(a) * dyadic(b) + dyadic(c), v); }
int quotient(double a, double b, double, const Dyadic& v) { return (b < 0 ? -1 : 1) * compare(dyadic(a), v * dyadic(b)); }
int reciprocal(double a, double, double, const Dyadic& v) { return quotient(1, a, 0, v); }
int root(double a, double, double, const Dyadic& v) { return compare(v, Dyadic{}) < 0 ? 1 : compare(dyadic(a), v * v); }

// Zero, NaN and Inf come out of double arithmetic as they do out of the opcode's: signs of exact zeros included.
double sum_d(double a, double b, double) { return a + b; }
double difference_d(double a, double b, double) { return a - b; }
double product_d(double a, double b, double) { return a * b; }
double fused_d(double a, double b, double c) {
    const double s = a * b + c;  // a finite product may round in double, never to zero or Inf where the exact sum is not
    return std::isfinite(s) && s == 0 && a * b != 0 && c != 0 ? std::fma(a, b, c) : s;
}
double quotient_d(double a, double b, double) { return a / b; }
double reciprocal_d(double a, double, double) { return 1 / a; }
double root_d(double a, double, double) { return std::sqrt(a); }

template <class F>
void check_arithmetic(const std::string& type) {
    Checker<F>::check("add.rn." + type, 2, sum_d, sum);
    Checker<F>::check("sub.rn." + type, 2, difference_d, difference);
    Checker<F>::check("mul.rn." + type, 2, product_d, product);
    Checker<F>::check("fma.rn." + type, 3, fused_d, fused);
}

TEST(PtxOpcodes, F32ArithmeticIsExactlyRounded) {
    check_arithmetic<F32>("f32");
    Checker<F32>::check("div.rn.f32", 2, quotient_d, quotient);
    Checker<F32>::check("rcp.rn.f32", 1, reciprocal_d, reciprocal);
}
TEST(PtxOpcodes, SquareRootsAreExactlyRounded) { Checker<F32>::check("sqrt.rn.f32", 1, root_d, root); }
TEST(PtxOpcodes, F16ArithmeticIsExactlyRounded) { check_arithmetic<Fp16>("f16"); }
TEST(PtxOpcodes, Bf16ArithmeticIsExactlyRounded) { check_arithmetic<Bf16>("bf16"); }

// Two elements a register are the two elements alone.
TEST(PtxOpcodes, PackedHalvesAreTheHalvesAlone) {
    for (const std::string type : {"f16", "bf16"})
        for (const std::string name : {"add.rn.", "sub.rn.", "mul.rn.", "fma.rn."}) {
            const std::size_t arity = name == "fma.rn." ? 3 : 2;
            std::vector<Values> low, high, both;
            for (std::uint64_t k = 0; k < arity; ++k) {
                low.push_back(operands<Fp16>(4096, 10 + k));
                high.push_back(operands<Fp16>(4096, 20 + k));
                both.emplace_back();
                for (std::size_t j = 0; j < 4096; ++j) both[k].push_back(low[k][j] | high[k][j] << 16);
            }
            const std::vector<int> narrow(arity, 16), wide(arity, 32);
            const auto a = apply(name + type, 16, narrow, low), b = apply(name + type, 16, narrow, high), c = apply(name + type + "x2", 32, wide, both);
            for (std::size_t j = 0; j < 4096; ++j) ASSERT_EQ(c[j], a[j] | b[j] << 16) << name << type << " element " << j;
        }
}

// .ftz: subnormal operands and results are zeros of their sign.
TEST(PtxOpcodes, FlushingBeforeAndAfter) {
    const auto flushed = [](std::uint64_t w) { return w & 0x7f800000u || (w & 0x7fffffffu) > 0x7f800000u ? w : w & 0x80000000u; };
    const std::vector<Values> x{operands<F32>(20000, 31), operands<F32>(20000, 32), operands<F32>(20000, 33)};
    std::vector<Values> zeroed = x;
    for (auto& v : zeroed)
        for (auto& w : v) w = flushed(w);
    for (const auto& [with, without, arity] : {std::tuple("add.ftz.f32", "add.f32", 2), std::tuple("mul.ftz.f32", "mul.f32", 2), std::tuple("fma.rn.ftz.f32", "fma.rn.f32", 3),
                                               std::tuple("sub.ftz.f32", "sub.f32", 2), std::tuple("div.rn.ftz.f32", "div.rn.f32", 2), std::tuple("rcp.rn.ftz.f32", "rcp.rn.f32", 1),
                                               std::tuple("sqrt.rn.ftz.f32", "sqrt.rn.f32", 1), std::tuple("min.ftz.f32", "min.f32", 2), std::tuple("max.ftz.f32", "max.f32", 2),
                                               std::tuple("neg.ftz.f32", "neg.f32", 1), std::tuple("abs.ftz.f32", "abs.f32", 1)}) {
        const std::vector<int> in(static_cast<std::size_t>(arity), 32);
        const std::vector<Values> a(x.begin(), x.begin() + arity), b(zeroed.begin(), zeroed.begin() + arity);
        const auto y = apply(with, 32, in, a), z = apply(without, 32, in, b);
        for (std::size_t k = 0; k < y.size(); ++k) ASSERT_EQ(y[k], flushed(z[k])) << with << " element " << k;
    }
    // (1 - 2^-24) 2^-126 rounds up to 2^-126, which is no subnormal and stays; (1 - 2^-23) 2^-126 is one.
    EXPECT_EQ(apply("mul.ftz.f32", 32, {32, 32}, {{0x3f7fffff, 0xbf7ffffe}, {0x00800000, 0x00800000}}), (Values{0x00800000, 0x80000000}));
    EXPECT_EQ(apply("fma.rn.ftz.f32", 32, {32, 32, 32}, {{0x3f7fffff, 0xbf7ffffe}, {0x00800000, 0x00800000}, {0, 0x80000000}}), (Values{0x00800000, 0x80000000}));
}

// The documented bounds (PTX ISA): low and high enclose every value that the instruction may give, and nearest lies between.
TEST(PtxOpcodes, ApproximationsAreSets) {
    Values x;
    Rng rng(7, 1, 0);
    for (int k = 0; k < 20000; ++k) x.push_back(F32::encode(std::ldexp(1.0 + rng.below(1u << 23) * 0x1p-23, static_cast<int>(rng.below(200)) - 100)));
    const auto low = apply("rsqrt.approx.f32", 32, {32}, {x}, "", Approximate::low), mid = apply("rsqrt.approx.f32", 32, {32}, {x}),
               high = apply("rsqrt.approx.f32", 32, {32}, {x}, "", Approximate::high);
    std::uint64_t widest = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const auto a = static_cast<std::uint32_t>(x[k]);
        ASSERT_TRUE(nearest<F32>(mid[k], [&](const Dyadic& v) { return -compare(v * v * dyadic(F32::decode(a)), Dyadic{1, 0}); })) << std::hex << a;
        ASSERT_LE(low[k], mid[k]);
        ASSERT_LE(mid[k], high[k]);
        // 2^-22.9 of the value: its neighbours beyond would leave the bound.
        const double exact = 1 / std::sqrt(static_cast<double>(F32::decode(a))), bound = std::exp2(-22.9);
        ASSERT_LE(std::fabs(F32::decode(static_cast<std::uint32_t>(low[k])) / exact - 1), bound);
        ASSERT_GT(std::fabs(F32::decode(static_cast<std::uint32_t>(low[k] - 1)) / exact - 1), bound * (1 - 1e-3));
        ASSERT_LE(std::fabs(F32::decode(static_cast<std::uint32_t>(high[k])) / exact - 1), bound);
        widest = std::max(widest, high[k] - low[k] + 1);
    }
    EXPECT_EQ(widest, 5u);  // a row has at most five candidates
    const auto special = apply("rsqrt.approx.f32", 32, {32}, {{0, 0x80000000, 0x7f800000, 0xbf800000, 0x7fc00000}}, "", Approximate::low);
    EXPECT_EQ(special, (Values{0x7f800000, 0xff800000, 0, 0x7fffffff, 0x7fffffff}));
    EXPECT_EQ(apply("rsqrt.approx.ftz.f32", 32, {32}, {{0x1}}), (Values{0x7f800000}));
}

}  // namespace
}  // namespace ulpgate::ptx::testing
