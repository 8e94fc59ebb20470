// What the generators reach, counted; and what RapidCheck's own floats do not.
#include "properties/relations/bits_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace ulpgate {
namespace {

template <class T>
T sample(const rc::Gen<T>& g, std::uint64_t seed) {
    return g(rc::Random(seed), rc::kNominalSize).value();
}

TEST(Bits, ReachEveryExponentAndEverySpecialValue) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        with_format(t, [&](auto f) {
            using F = decltype(f);
            std::set<std::uint32_t> exponents;
            int nan = 0, inf = 0, subnormal = 0, zero = 0, minus_zero = 0, negative = 0;
            for (std::uint64_t seed = 0; seed < 20000; ++seed) {
                const auto w = static_cast<typename F::Word>(sample(gen::word(t, gen::Words::any), seed));
                exponents.insert((w & F::exponent_mask) >> F::mantissa_bits);
                nan += F::is_nan(w);
                inf += F::is_inf(w);
                subnormal += F::is_subnormal(w);
                zero += w == 0;
                minus_zero += w == F::sign_bit;
                negative += (w & F::sign_bit) != 0;
            }
            EXPECT_EQ(exponents.size(), std::size_t{1} << F::exponent_bits) << name(t);
            for (const int n : {nan, inf, subnormal, zero, minus_zero}) EXPECT_GT(n, 50) << name(t);
            EXPECT_GT(negative, 6000) << name(t);
        });
}

// The reason for these generators; if it ever fails they may be given up.
TEST(Bits, RapidChecksOwnFloatsReachNoneOfThem) {
    int special = 0;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        const float v = sample(rc::gen::arbitrary<float>(), seed);
        special += std::isnan(v) || std::isinf(v) || std::fpclassify(v) == FP_SUBNORMAL;
    }
    EXPECT_EQ(special, 0);
}

TEST(Bits, OtherWordsKeepToTheirWindow) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed)
        for (const Type t : {Type::bf16, Type::fp16, Type::f32}) {
            const float i = decode(t, sample(gen::word(t, gen::Words::integers), seed));
            EXPECT_TRUE(i == std::round(i) && std::fabs(i) <= 16) << i;
            const float w = std::fabs(decode(t, sample(gen::word(t, gen::Words::window), seed)));
            EXPECT_TRUE(w >= 0x1p-8f && w < 0x1p9f) << w;
        }
}

}  // namespace
}  // namespace ulpgate
