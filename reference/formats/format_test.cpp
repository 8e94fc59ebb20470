#include "reference/formats/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Right {
    Type t;
    double v;            // what is encoded
    std::uint32_t word;  // what it must become
};

// Right values by the definitions of IEEE 754-2019 (fp16, f32), of bfloat16 (f32's upper half) and of the OCP 8-bit
// floating point specification 1.0 (e4m3), written by hand.
const Right table[] = {
    // zeros
    {Type::bf16, 0.0, 0x0000}, {Type::bf16, -0.0, 0x8000}, {Type::fp16, 0.0, 0x0000}, {Type::fp16, -0.0, 0x8000},
    {Type::f32, 0.0, 0}, {Type::f32, -0.0, 0x80000000}, {Type::e4m3, 0.0, 0x00}, {Type::e4m3, -0.0, 0x80},
    // powers of two and their neighbours
    {Type::bf16, 1, 0x3f80}, {Type::bf16, -2, 0xc000}, {Type::bf16, 0x1p-126, 0x0080}, {Type::bf16, 0x1p127, 0x7f00},
    {Type::fp16, 1, 0x3c00}, {Type::fp16, -2, 0xc000}, {Type::fp16, 0x1p-14, 0x0400}, {Type::fp16, 0x1p15, 0x7800},
    {Type::f32, 1, 0x3f800000}, {Type::f32, 0x1p-126, 0x00800000}, {Type::f32, 0x1p127, 0x7f000000},
    {Type::e4m3, 1, 0x38}, {Type::e4m3, -2, 0xc0}, {Type::e4m3, 0x1p-6, 0x08}, {Type::e4m3, 0x1p8, 0x78},
    {Type::bf16, 1 + 0x1p-8, 0x3f80}, {Type::bf16, 1 + 0x1.8p-7, 0x3f82}, {Type::bf16, 1 - 0x1p-9, 0x3f80},
    {Type::bf16, 1 - 0x1.8p-9, 0x3f7f}, {Type::bf16, 1 + 0x1p-8 + 0x1p-50, 0x3f81},
    {Type::fp16, 1 + 0x1p-11, 0x3c00}, {Type::fp16, 1 + 0x1p-11 + 0x1p-52, 0x3c01}, {Type::fp16, 1 - 0x1p-12, 0x3c00},
    {Type::f32, 1 + 0x1p-24, 0x3f800000}, {Type::f32, 1 + 0x1p-24 + 0x1p-52, 0x3f800001},
    {Type::e4m3, 1.0625, 0x38}, {Type::e4m3, 1.1875, 0x3a},
    // subnormals
    {Type::bf16, 0x1p-133, 0x0001}, {Type::bf16, 0x1p-134, 0x0000}, {Type::bf16, 0x1p-134 + 0x1p-180, 0x0001},
    {Type::bf16, -0x1p-135, 0x8000}, {Type::bf16, 0x1.8p-133, 0x0002}, {Type::bf16, 0x1.fcp-127, 0x007f},
    {Type::bf16, 0x1.fep-127, 0x0080}, {Type::fp16, 0x1p-24, 0x0001}, {Type::fp16, 0x1p-25, 0x0000},
    {Type::fp16, 0x1.000002p-25, 0x0001}, {Type::fp16, -0x1.8p-24, 0x8002}, {Type::fp16, 0x1.ff8p-15, 0x03ff},
    {Type::fp16, 0x1.ffcp-15, 0x0400}, {Type::fp16, 0x1p-1074, 0x0000}, {Type::f32, 0x1p-149, 0x00000001},
    {Type::f32, 0x1p-150, 0}, {Type::f32, 0x1.0000000000001p-150, 1}, {Type::f32, -0x1.8p-149, 0x80000002},
    {Type::f32, 0x1.fffffep-127, 0x00800000}, {Type::e4m3, 0x1p-9, 0x01}, {Type::e4m3, 0x1p-10, 0x00},
    {Type::e4m3, 0x1.8p-9, 0x02}, {Type::e4m3, 0x1.cp-7, 0x07}, {Type::e4m3, 0x1.ep-7, 0x08},
    // overflow edge: half an ulp above the largest value is the first that overflows where that value is odd
    {Type::bf16, 0x1.fep127, 0x7f7f}, {Type::bf16, 0x1.fefffffffffffp127, 0x7f7f}, {Type::bf16, 0x1.ffp127, 0x7f80},
    {Type::bf16, -0x1.ffp127, 0xff80}, {Type::fp16, 65504, 0x7bff}, {Type::fp16, 65519.999, 0x7bff},
    {Type::fp16, 65520, 0x7c00}, {Type::fp16, -65520, 0xfc00}, {Type::f32, 0x1.fffffep127, 0x7f7fffff},
    {Type::f32, 0x1.fffffefffffffp127, 0x7f7fffff}, {Type::f32, 0x1.ffffffp127, 0x7f800000},
    {Type::f32, 0x1p128, 0x7f800000}, {Type::e4m3, 448, 0x7e}, {Type::e4m3, 464, 0x7e}, {Type::e4m3, 464.0001, 0x7f},
    {Type::e4m3, -480, 0xff}, {Type::e4m3, 1e300, 0x7f},
    // infinities and NaN
    {Type::bf16, inf, 0x7f80}, {Type::bf16, -inf, 0xff80}, {Type::bf16, nan, 0x7fc0}, {Type::bf16, -nan, 0x7fc0},
    {Type::fp16, inf, 0x7c00}, {Type::fp16, -inf, 0xfc00}, {Type::fp16, nan, 0x7e00}, {Type::f32, inf, 0x7f800000},
    {Type::f32, -inf, 0xff800000}, {Type::f32, nan, 0x7fc00000}, {Type::e4m3, inf, 0x7f}, {Type::e4m3, -inf, 0xff},
    {Type::e4m3, nan, 0x7f},
};

TEST(Format, TableOfRightValues) {
    for (const Right& r : table) {
        SCOPED_TRACE(testing::Message() << name(r.t) << ' ' << std::hexfloat << r.v);
        EXPECT_EQ(encode(r.t, r.v), r.word);
        if (static_cast<double>(static_cast<float>(r.v)) == r.v) {
            EXPECT_EQ(encode(r.t, static_cast<float>(r.v)), r.word);
        }
    }
}

// All 128 positive words of e4m3fn by the OCP specification's formula, in units of 2^-9.
TEST(Format, E4m3HoldsTheValuesOfItsSpecification) {
    const int first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32};
    for (std::uint32_t w = 0; w < std::size(first); ++w) EXPECT_EQ(decode(Type::e4m3, w), std::ldexp(first[w], -9)) << w;
    for (std::uint32_t w = 8; w < 0x7f; ++w)
        EXPECT_EQ(decode(Type::e4m3, w), std::ldexp(8 + (w & 7), static_cast<int>(w >> 3) - 10)) << w;
    EXPECT_EQ(decode(Type::e4m3, 0x7e), 448);
    EXPECT_TRUE(std::isnan(decode(Type::e4m3, 0x7f)));
    EXPECT_TRUE(std::isnan(decode(Type::e4m3, 0xff)));
    for (std::uint32_t w = 0; w < 0x7f; ++w) EXPECT_EQ(decode(Type::e4m3, w | 0x80), -decode(Type::e4m3, w));
}

template <class F>
class EveryWord : public testing::Test {};
using Small = testing::Types<Bf16, Fp16, E4m3>;
TYPED_TEST_SUITE(EveryWord, Small);

TYPED_TEST(EveryWord, ComesBackFromItsValue) {
    using F = TypeParam;
    for (std::uint32_t k = 0; k < 1u << F::bits; ++k) {
        const auto w = static_cast<typename F::Word>(k);
        const float v = F::decode(w);
        ASSERT_EQ(std::isnan(v), F::is_nan(w)) << k;
        if (F::is_nan(w)) {
            ASSERT_EQ(F::encode(v), F::nan_word) << k;
            continue;
        }
        ASSERT_EQ(F::encode(v), w);
        ASSERT_EQ(F::encode(static_cast<double>(v)), w);
        ASSERT_EQ(std::isinf(v), F::is_inf(w));
        ASSERT_EQ(std::isfinite(v), F::is_finite(w));
        ASSERT_EQ(v == 0, F::is_zero(w));
        ASSERT_EQ(v != 0 && std::fabs(v) < std::ldexp(1.0f, F::emin), F::is_subnormal(w));
        ASSERT_EQ(std::signbit(v), (w & F::sign_bit) != 0);
    }
}

TYPED_TEST(EveryWord, HasItsPlaceOnTheLine) {
    using F = TypeParam;
    constexpr std::int64_t last = F::has_inf ? F::inf_word : F::max_word;
    for (std::int64_t o = -last; o <= last; ++o) {
        const auto w = F::from_ordinal(o);
        ASSERT_EQ(F::ordinal(w), o);
        if (o < last) {
            ASSERT_LT(F::decode(w), F::decode(F::from_ordinal(o + 1)));
        }
    }
    EXPECT_EQ(F::ordinal(F::sign_bit), 0);
}

TEST(Format, ConstantsOfTheFourFormats) {
    EXPECT_EQ(Bf16::max_word, 0x7f7f);
    EXPECT_EQ(Fp16::max_word, 0x7bff);
    EXPECT_EQ(F32::max_word, 0x7f7fffffu);
    EXPECT_EQ(E4m3::max_word, 0x7e);
    EXPECT_EQ(Bf16::emax, 127);
    EXPECT_EQ(Fp16::emax, 15);
    EXPECT_EQ(E4m3::emax, 8);
    EXPECT_EQ(E4m3::emin, -6);
    EXPECT_EQ(precision(Type::bf16), 8);
    EXPECT_EQ(precision(Type::fp16), 11);
    EXPECT_EQ(precision(Type::f32), 24);
    EXPECT_EQ(precision(Type::e4m3), 4);
    EXPECT_EQ(bytes(Type::e4m3), 1);
    EXPECT_EQ(bytes(Type::i64), 8);
}

}  // namespace
}  // namespace ulpgate
