#include "reference/tensor_core/step.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/base/safetensors.hpp"
#include "reference/exact/dyadic.hpp"

namespace ulpgate {
namespace {

template <class T>
std::span<const T> words(const SafeTensors& file, std::string_view name) {
    const StoredTensor* t = file.find(name);
    return {reinterpret_cast<const T*>(file.bytes_of(*t)), (t->end - t->begin) / sizeof(T)};
}

using Arithmetic = std::function<float(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b, float c)>;

// In how many recorded vectors `arithmetic` gives other bits than the card did.
int differing(const char* file_name, const Arithmetic& arithmetic) {
    const SafeTensors file = read_safetensors(std::string(ULPGATE_SOURCE "/reference/tensor_core/recorded/") + file_name);
    EXPECT_EQ(file.error, "");
    const auto a = words<std::uint16_t>(file, "a"), b = words<std::uint16_t>(file, "b");
    const auto c = words<float>(file, "c"), d = words<float>(file, "d");
    EXPECT_EQ(d.size(), 2500u);
    const std::size_t columns = a.size() / d.size();
    int n = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const float got = arithmetic(a.subspan(i * columns, columns), b.subspan(i * columns, columns), c[i]);
        n += std::bit_cast<std::uint32_t>(got) != std::bit_cast<std::uint32_t>(d[i]);
    }
    return n;
}
template <class F>
Arithmetic with(TensorCore core) {
    return [core](auto a, auto b, float c) { return tensor_core_dot<F>(core, a, b, c); };
}
TensorCore changed(TensorCore core, int fraction, int group = 0) {
    core.fraction_bits += fraction;
    if (group) core.group = group;
    return core;
}

TEST(TensorCore, GivesEveryRecordedResult) {
    EXPECT_EQ(differing("a100_bf16.safetensors", with<Bf16>(ampere)), 0);
    EXPECT_EQ(differing("a100_fp16.safetensors", with<Fp16>(ampere)), 0);
    EXPECT_EQ(differing("h100_bf16.safetensors", with<Bf16>(hopper)), 0);
    EXPECT_EQ(differing("h100_fp16.safetensors", with<Fp16>(hopper)), 0);
}

TEST(TensorCore, TheRecordedResultsTellTheModelFromItsNeighbours) {
    for (const int off : {-1, 1}) {  // the least of the eight: 76, an H100's bf16 with a bit more
        EXPECT_GE(differing("a100_bf16.safetensors", with<Bf16>(changed(ampere, off))), 50) << off;
        EXPECT_GE(differing("a100_fp16.safetensors", with<Fp16>(changed(ampere, off))), 50) << off;
        EXPECT_GE(differing("h100_bf16.safetensors", with<Bf16>(changed(hopper, off))), 50) << off;
        EXPECT_GE(differing("h100_fp16.safetensors", with<Fp16>(changed(hopper, off))), 50) << off;
    }
    EXPECT_GE(differing("h100_bf16.safetensors", with<Bf16>(changed(hopper, 0, 8))), 200);
    EXPECT_GE(differing("a100_bf16.safetensors", with<Bf16>(changed(ampere, 0, 4))), 200);
    const Arithmetic chain = [](auto a, auto b, float c) {
        for (std::size_t k = 0; k < a.size(); ++k) c = std::fma(Bf16::decode(a[k]), Bf16::decode(b[k]), c);
        return c;
    };
    EXPECT_GE(differing("a100_bf16.safetensors", chain), 1000);
    EXPECT_GE(differing("h100_bf16.safetensors", chain), 1000);
}

// floor(|v| / 2^grid) 2^grid with v's sign.
Dyadic cut_to(const Dyadic& v, int grid) {
    if (v.e >= grid) return v;
    const boost::multiprecision::cpp_int m = abs(v.m) >> static_cast<unsigned>(grid - v.e);
    return {v.m < 0 ? -m : m, grid};
}
// Largest e with 2^e <= |v|.
int exponent(const Dyadic& v) { return v.e + static_cast<int>(msb(abs(v.m))); }

// The header's words in exact arithmetic on values; no field of a word is read.
template <class F>
float stated(const TensorCore& core, std::span<const typename F::Word> a, std::span<const typename F::Word> b, float c) {
    std::vector<Dyadic> terms;
    int largest = core.least_exponent;
    const auto enter = [&](Dyadic v, int e) {
        if (v.m == 0) return;
        largest = std::max(largest, e);
        terms.push_back(std::move(v));
    };
    for (std::size_t k = 0; k < a.size(); ++k) {
        const float x = F::decode(a[k]), y = F::decode(b[k]);
        if (x != 0 && y != 0) enter(dyadic(x) * dyadic(y), std::max(std::ilogb(x), F::emin) + std::max(std::ilogb(y), F::emin));
    }
    if (c != 0) enter(dyadic(c), std::max(std::ilogb(c), F32::emin));
    Dyadic sum;
    for (const Dyadic& t : terms) sum = sum + cut_to(t, largest - core.fraction_bits);
    if (sum.m == 0) return 0;
    if (exponent(sum) > F32::emax) return sum.m < 0 ? -INFINITY : INFINITY;
    const Dyadic kept = cut_to(sum, std::max(exponent(sum), F32::emin) - core.kept_bits);
    return std::copysign(static_cast<float>(std::ldexp(kept.m.convert_to<double>(), kept.e)), sum.m < 0 ? -1.f : 1.f);
}

template <class F>
int against_the_statement(TensorCore core, int count) {
    Rng rng(1, F::bits, static_cast<std::uint64_t>(core.group));
    int bad = 0;
    std::vector<typename F::Word> a(static_cast<std::size_t>(core.group)), b = a;
    for (int i = 0; i < count; ++i) {
        // Exponents drawn from a narrow band (so that terms meet) at a random place, every 8th from everywhere.
        const int centre = static_cast<int>(rng.below(F::emax - F::emin + 1)), width = i % 8 ? 6 : 2 * F::emax;
        const int product = i % 3 || F::exponent_bits < 8 ? 0 : -140 - static_cast<int>(rng.below(20));  // f32's subnormals
        const auto word = [&](int middle) {
            const int field = std::clamp(middle + static_cast<int>(rng.below(static_cast<std::uint32_t>(width))) - width / 2, 0, F::emax - F::emin + 1);
            auto w = static_cast<typename F::Word>(field << F::mantissa_bits | static_cast<int>(rng.below(1u << F::mantissa_bits)));
            if (!F::is_finite(w)) w = 0;
            return static_cast<typename F::Word>(rng.below(2) ? w | F::sign_bit : w);
        };
        for (std::size_t k = 0; k < a.size(); ++k) {
            a[k] = word(centre);
            b[k] = word(2 * F::bias + product - centre + static_cast<int>(rng.below(9)) - 4);
        }
        if (i % 5 == 0) b[0] = a[0], b[1] = a[1];  // products far from 1
        const float c = std::ldexp(static_cast<float>(rng.below(1u << 24)) - 0x1p23f,
                                   product + static_cast<int>(rng.below(i % 16 ? 12 : 250)) - (i % 16 ? 28 : 150));
        const float got = tensor_core_step<F>(core, a, b, c), expected = stated<F>(core, a, b, c);
        bad += std::bit_cast<std::uint32_t>(got) != std::bit_cast<std::uint32_t>(expected);
    }
    return bad;
}

TEST(TensorCore, IsItsStatementInExactArithmetic) {
    TensorCore fp8{"fp8", 32, 13, -133, 13};
    for (const TensorCore& core : {ampere, hopper, fp8}) {
        EXPECT_EQ(against_the_statement<Bf16>(core, 6000), 0) << core.name;
        EXPECT_EQ(against_the_statement<Fp16>(core, 6000), 0) << core.name;
        EXPECT_EQ(against_the_statement<E4m3>(core, 6000), 0) << core.name;
    }
}

template <class F>
std::vector<typename F::Word> row(std::initializer_list<float> values) {
    std::vector<typename F::Word> r;
    for (const float v : values) r.push_back(F::encode(v));
    return r;
}

// 1 + 4 x 2^-25 = 1 + 2^-23: Hopper keeps 2^-25, Ampere cuts each term away, and so do rounded additions.
TEST(TensorCore, HopperKeepsOneBitMore) {
    const auto a = row<Fp16>({0x1p-12f, 0x1p-12f, 0x1p-12f, 0x1p-12f}), b = row<Fp16>({0x1p-13f, 0x1p-13f, 0x1p-13f, 0x1p-13f});
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, a, b, 1), 1 + 0x1p-23f);
    EXPECT_EQ(tensor_core_step<Fp16>(ampere, a, b, 1), 1);
}
// The sum is cut, not rounded: 1 + 3 x 2^-25 < 1 + 2^-23, and towards zero for a negative sum.
TEST(TensorCore, CutsTowardsZero) {
    const auto a = row<Fp16>({0x1p-12f, 0x1p-12f, 0x1p-12f}), b = row<Fp16>({0x1p-13f, 0x1p-13f, 0x1p-13f});
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, a, b, 1), 1);
    const auto negative = row<Fp16>({-0x1p-13f, -0x1p-13f, -0x1p-13f});
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, a, negative, -1), -1);
}
// A significand in [2, 4) is not normalised: 1.5 x 1.5 = 2.25 has exponent 0, so 2^-25 survives beside it.
TEST(TensorCore, DoesNotNormaliseProducts) {
    const auto a = row<Fp16>({1.5f, 0x1p-12f}), b = row<Fp16>({1.5f, 0x1p-13f});
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, a, b, -2.25f), 0.f);  // c's exponent is 1: the grid is 2^-24
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, a, b, 0), 2.25f);
    const auto two = row<Fp16>({1.5f, -1.5f, 0x1p-12f}), twice = row<Fp16>({1.5f, 1.5f, 0x1p-13f});
    EXPECT_EQ(tensor_core_step<Fp16>(hopper, two, twice, 0), 0x1p-25f);
    EXPECT_EQ(tensor_core_step<Fp16>(ampere, two, twice, 0), 0.f);
}
// f32 sums as IEEE 754 does where a term is not finite; beyond f32 the result is Inf, not the largest finite value.
TEST(TensorCore, TreatsNaNInfAndOverflow) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    const auto one = row<Bf16>({1, 1}), infs = row<Bf16>({inf, -inf}), big = row<Bf16>({0x1p127f, 0x1p127f});
    EXPECT_EQ(tensor_core_step<Bf16>(hopper, one, row<Bf16>({inf, 3}), 1), inf);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(tensor_core_step<Bf16>(hopper, one, infs, 1)), 0x7fffffffu);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(tensor_core_step<Bf16>(hopper, row<Bf16>({0, 1}), infs, 1)), 0x7fffffffu);
    EXPECT_EQ(tensor_core_step<Bf16>(hopper, one, one, -inf), -inf);
    EXPECT_EQ(tensor_core_step<Bf16>(ampere, one, big, 0), inf);
    EXPECT_EQ(tensor_core_step<Bf16>(ampere, row<Bf16>({-1, -1}), big, 0), -inf);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(tensor_core_step<Bf16>(ampere, row<Bf16>({-0.f}), row<Bf16>({1}), -0.f)), 0u);
}
// Far below f32's range only what reaches 2^(least exponent - F) is seen; the sum keeps f32's subnormals.
TEST(TensorCore, HasAFloor) {
    const auto a = row<Bf16>({0x1p-100f}), b = row<Bf16>({0x1p-49f});
    EXPECT_EQ(tensor_core_step<Bf16>(hopper, a, b, 0), 0x1p-149f);
    const auto half = row<Bf16>({0x1p-100f, 0x1p-100f}), below = row<Bf16>({0x1p-50f, 0x1p-50f});
    EXPECT_EQ(tensor_core_step<Bf16>(hopper, half, below, 0), 0x1p-149f);
    // 2 (2^-150 - 2^-160) + 4 x 2^-161 = 2^-149, but each 2^-150 - 2^-160 loses 3 x 2^-160 on the grid of 2^-158.
    const auto factors = row<Bf16>({33 * 0x1p-80f, 33 * 0x1p-80f, 0x1p-80f, 0x1p-80f, 0x1p-80f, 0x1p-80f});
    const auto others = row<Bf16>({31 * 0x1p-80f, 31 * 0x1p-80f, 0x1p-81f, 0x1p-81f, 0x1p-81f, 0x1p-81f});
    EXPECT_EQ(tensor_core_step<Bf16>(hopper, factors, others, 0), 0.f);
    TensorCore lower = hopper;
    lower.least_exponent = -200;
    EXPECT_EQ(tensor_core_step<Bf16>(lower, factors, others, 0), 0x1p-149f);
}
TEST(TensorCore, ChainsGroups) {
    std::vector<std::uint16_t> a(16, Fp16::encode(0x1p-13f)), b(16, Fp16::encode(0x1p-12f));
    EXPECT_EQ(tensor_core_dot<Fp16>(hopper, a, b, 1), 1 + 4 * 0x1p-23f);
    a[8] = b[8] = Fp16::encode(1.f);  // the first group meets c = 0 alone and is kept
    EXPECT_EQ(tensor_core_dot<Fp16>(ampere, a, b, 0), 1 + 2 * 0x1p-23f);
}

}  // namespace
}  // namespace ulpgate
