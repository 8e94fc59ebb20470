// Format::encode and its array forms against independent implementations of rounding: MPFR (all formats), Eigen's half and
// bfloat16, the compiler's _Float16. Where they could differ: on every midpoint between neighbours, one source ulp to either
// side of it, and at the overflow edge.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/formats/convert.hpp"

namespace ulpgate {
namespace {

// Nearest value of F by MPFR: precision p, exponents from the smallest subnormal on, no upper limit; overflow by comparison.
template <class F>
class MpfrRounding {
  public:
    MpfrRounding() {
        mpfr_init2(v_, F::precision);
        mpfr_set_emin(F::emin - F::mantissa_bits + 1);
    }
    ~MpfrRounding() {
        mpfr_clear(v_);
        mpfr_set_emin(mpfr_get_emin_min());
    }
    MpfrRounding(const MpfrRounding&) = delete;
    MpfrRounding& operator=(const MpfrRounding&) = delete;

    double operator()(double x) {
        int ternary = mpfr_set_d(v_, x, MPFR_RNDN);
        ternary = mpfr_subnormalize(v_, mpfr_check_range(v_, ternary, MPFR_RNDN), MPFR_RNDN);
        const double r = mpfr_get_d(v_, MPFR_RNDN), largest = F::decode(F::max_word);
        if (std::fabs(r) <= largest) return r;
        return F::has_inf ? std::copysign(std::numeric_limits<double>::infinity(), x) : std::numeric_limits<double>::quiet_NaN();
    }

  private:
    mpfr_t v_;
};

// Every midpoint of F (the one above the largest value included), as a float.
template <class F>
std::vector<float> midpoints() {
    std::vector<float> out;
    for (std::uint32_t w = 0; w <= F::max_word; ++w) {
        const double lo = F::decode(static_cast<typename F::Word>(w));
        const double hi = w < F::max_word ? F::decode(static_cast<typename F::Word>(w + 1))
                                          : lo + std::ldexp(1.0, F::emax - F::mantissa_bits);
        const auto mid = static_cast<float>((lo + hi) / 2);
        EXPECT_EQ(static_cast<double>(mid), (lo + hi) / 2);
        out.push_back(mid);
        out.push_back(-mid);
    }
    return out;
}

template <class S>
std::vector<S> with_neighbours(const std::vector<float>& points) {
    constexpr S inf = std::numeric_limits<S>::infinity();
    std::vector<S> out;
    for (const float p : points)
        for (const S v : {static_cast<S>(p), std::nextafter(static_cast<S>(p), -inf), std::nextafter(static_cast<S>(p), inf)})
            out.push_back(v);
    return out;
}

template <class F>
bool same(typename F::Word w, double expected) {
    const float v = F::decode(w);
    return std::isnan(expected) ? std::isnan(v) : v == expected && std::signbit(v) == std::signbit(expected);
}

template <class F>
class EncodeAgrees : public testing::Test {};
using Small = testing::Types<Bf16, Fp16, E4m3>;
TYPED_TEST_SUITE(EncodeAgrees, Small);

TYPED_TEST(EncodeAgrees, WithMpfrOnEveryMidpointFromFloatAndDouble) {
    using F = TypeParam;
    MpfrRounding<F> mpfr;
    const auto points = midpoints<F>();
    for (const float v : with_neighbours<float>(points)) ASSERT_TRUE(same<F>(F::encode(v), mpfr(v))) << std::hexfloat << v;
    for (const double v : with_neighbours<double>(points)) ASSERT_TRUE(same<F>(F::encode(v), mpfr(v))) << std::hexfloat << v;
}

TYPED_TEST(EncodeAgrees, WithItsArrayFormsOnMidpointsAndRandomWords) {
    using F = TypeParam;
    std::vector<float> in = with_neighbours<float>(midpoints<F>());
    Rng r(4, 0, 0);
    for (int k = 0; k < 1 << 18; ++k) in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(r.next())));
    for (const std::uint32_t special : {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7f800001u, 0xffffffffu, 1u, 0x80000001u})
        in.push_back(std::bit_cast<float>(special));
    constexpr auto size = sizeof(typename F::Word);
    std::vector<std::byte> fast(in.size() * size), slow(in.size() * size);
    encode_words(type_of<F>, in, fast.data());
    portable::encode_words(type_of<F>, in, slow.data());
    auto rounded = in, rounded_slow = in;
    round_values(type_of<F>, rounded);
    portable::round_values(type_of<F>, rounded_slow);
    for (std::size_t j = 0; j < in.size(); ++j) {
        typename F::Word a, b;
        std::memcpy(&a, fast.data() + j * size, size);
        std::memcpy(&b, slow.data() + j * size, size);
        ASSERT_EQ(a, F::encode(in[j])) << std::hexfloat << in[j];
        ASSERT_EQ(b, a);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded[j]), std::bit_cast<std::uint32_t>(F::round(in[j]))) << in[j];
        ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded_slow[j]), std::bit_cast<std::uint32_t>(rounded[j]));
    }
}

TYPED_TEST(EncodeAgrees, DecodesEveryWordInArrays) {
    using F = TypeParam;
    std::vector<typename F::Word> words(std::size_t{1} << F::bits);
    for (std::size_t k = 0; k < words.size(); ++k) words[k] = static_cast<typename F::Word>(k);
    std::vector<float> fast(words.size()), slow(words.size());
    decode_words(type_of<F>, std::as_bytes(std::span(words)).data(), fast);
    portable::decode_words(type_of<F>, std::as_bytes(std::span(words)).data(), slow);
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto expected = std::bit_cast<std::uint32_t>(F::decode(words[k]));
        ASSERT_EQ(std::bit_cast<std::uint32_t>(fast[k]), expected) << k;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(slow[k]), expected) << k;
    }
}

TEST(Convert, TouchesExactlyItsElementsAtEveryLengthAndOffset) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32, Type::e4m3})
        for (std::size_t n = 0; n < 20; ++n)
            for (std::size_t offset = 0; offset < 3; ++offset) {
                const auto size = static_cast<std::size_t>(bytes(t));
                std::vector<float> in(n, 1.5f), out(n + 2, -7.0f);
                std::vector<std::byte> words(offset + n * size + 8, std::byte{0xa5});
                encode_words(t, in, words.data() + offset);
                for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(words[offset + n * size + k], std::byte{0xa5});
                decode_words(t, words.data() + offset, std::span(out).subspan(1, n));
                ASSERT_EQ(out.front(), -7.0f);
                ASSERT_EQ(out.back(), -7.0f);
                for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(out[k + 1], 1.5f);
            }
}

TEST(Encode, F32AgreesWithMpfrFromDouble) {
    MpfrRounding<F32> mpfr;
    Rng r(5, 0, 0);
    std::vector<double> in;
    for (int k = 0; k < 1 << 15; ++k) {  // midpoints of random neighbours, subnormals and the top included
        const auto w = k % 8 ? static_cast<std::uint32_t>(r.below(0x7f800000u)) : static_cast<std::uint32_t>(r.below(0x800000u));
        const double lo = F32::decode(w);
        const double mid = lo + std::ldexp(1.0, std::max(lo > 0 ? std::ilogb(lo) : -126, -126) - 24);
        for (const double v : {mid, std::nextafter(mid, 0.0), std::nextafter(mid, HUGE_VAL)}) {
            in.push_back(v);
            in.push_back(-v);
        }
    }
    for (int k = 0; k < 1 << 15; ++k) in.push_back(std::bit_cast<double>(r.next()));
    for (const double v : in)
        if (!std::isnan(v)) {
            ASSERT_TRUE(same<F32>(F32::encode(v), mpfr(v))) << std::hexfloat << v;
        }
    for (const double v : in)  // and with the processor's own conversion
        if (!std::isnan(v)) {
            ASSERT_EQ(F32::encode(v), std::bit_cast<std::uint32_t>(static_cast<float>(v))) << std::hexfloat << v;
        }
}

TEST(Encode, AgreesWithEigen) {
    for (const float v : with_neighbours<float>(midpoints<Fp16>()))
        ASSERT_EQ(Fp16::encode(v), Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(v))) << std::hexfloat << v;
    for (const float v : with_neighbours<float>(midpoints<Bf16>()))
        ASSERT_EQ(Bf16::encode(v), Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(v))) << std::hexfloat << v;
    for (std::uint32_t k = 0; k < 65536; ++k) {
        const auto w = static_cast<std::uint16_t>(k);
        if (!Fp16::is_nan(w)) {
            ASSERT_EQ(Fp16::decode(w), static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(w)));
        }
        if (!Bf16::is_nan(w)) {
            ASSERT_EQ(Bf16::decode(w), static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(w)));
        }
    }
}

TEST(Encode, AgreesWithTheCompilersHalf) {
    const auto points = midpoints<Fp16>();
    for (const float v : with_neighbours<float>(points))
        ASSERT_EQ(Fp16::encode(v), std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))) << std::hexfloat << v;
    for (const double v : with_neighbours<double>(points))
        ASSERT_EQ(Fp16::encode(v), std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))) << std::hexfloat << v;
}

}  // namespace
}  // namespace ulpgate
