#include "reference/tensor_core/sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

struct Row {
    std::vector<float> x, y;
    double exact = 0, magnitude = 0;
    std::int64_t terms = 0;
};
template <class F>
Row row_of(std::vector<float> x, std::vector<float> y) {
    // Exact: products of 22 bits whose exponents lie within 24 of each other, at most 1600 of them.
    Row r{std::move(x), std::move(y), 0, 0, 0};
    long double s = 0, m = 0;
    for (std::size_t k = 0; k < r.x.size(); ++k) {
        const auto p = static_cast<long double>(r.x[k]) * static_cast<long double>(r.y[k]);
        s += p;
        m += p < 0 ? -p : p;
        r.terms += p != 0;
    }
    r.exact = static_cast<double>(s);
    r.magnitude = static_cast<double>(m) * (1 + 0x1p-50);
    return r;
}
// Values whose magnitudes spread over 2^spread, some of them 0; same_sign: nothing cancels.
template <class F>
Row random_row(Rng& rng, std::size_t n, int spread, bool same_sign) {
    std::vector<float> x(n), y(n);
    for (auto* v : {&x, &y})
        for (float& f : *v) {
            const float m = std::ldexp(1.0f + static_cast<float>(rng.below(1u << F::mantissa_bits)) * std::ldexp(1.0f, -F::mantissa_bits), static_cast<int>(rng.below(static_cast<std::uint32_t>(spread))) - spread / 2);
            f = rng.below(8) == 0 ? 0 : same_sign || rng.below(2) ? m : -m;
        }
    return row_of<F>(std::move(x), std::move(y));
}
double share(const TensorCoreSum& s, const Row& r, float got) {
    const double bound = tensor_core_error(s, r.magnitude, r.terms, static_cast<std::int64_t>(r.x.size())), e = std::fabs(static_cast<double>(got) - r.exact);
    return e == 0 ? 0 : e / bound;
}

constexpr TensorCoreSum sums[] = {{8, 24, 1, 0}, {16, 25, 1, 0}, {16, 25, 4, 0}, {4, 24, 1, 0}, {8, 24, 3, 0}, {32, 25, 2, 0}, {16, 25, 1, 128}};

template <class F>
void hold() {
    Rng rng(11, 0, F::mantissa_bits);
    double worst = 0;
    for (int k = 0; k < 3000; ++k)
        for (const auto& s : sums) {
            const auto n = 1 + rng.below(300);
            const Row r = random_row<F>(rng, n, 2 + static_cast<int>(rng.below(k % 2 ? 4 : 13)), k % 3 == 0);
            worst = std::max(worst, share(s, r, tensor_core_sum<F>(s, r.x, r.y)));
        }
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 0.02);
}
TEST(TensorCoreSum, StaysWithinItsBound) {
    hold<Bf16>();
    hold<Fp16>();
}

// 1, then in the same step 15 products just below its last kept bit: all of them are lost. Then again in every step.
TEST(TensorCoreSum, BoundIsNearlyReached) {
    double best = 0;
    for (const std::size_t n : {std::size_t{16}, std::size_t{17}, std::size_t{160}, std::size_t{1600}}) {
        std::vector<float> x(n, 0x1p-13f), y(n, 0x1.fep-13f);
        x[0] = y[0] = 1;
        const TensorCoreSum s{16, 25, 1, 0};
        const Row r = row_of<Bf16>(x, y);
        const float got = tensor_core_sum<Bf16>(s, r.x, r.y);
        EXPECT_EQ(got, 1.0f) << n;
        EXPECT_LE(share(s, r, got), 1) << n;
        best = std::max(best, share(s, r, got));
    }
    EXPECT_GT(best, 0.6) << best;
}

// The bound of binary rounded additions, which claims without mma: give, does not hold on a tensor core.
TEST(TensorCoreSum, LeavesTheBoundOfRoundedAdditions) {
    const Row r = row_of<Bf16>({1, 0x1.8p-12f}, {1, 0x1.4p-12f});  // 1 + 1.875 * 2^-24: to nearest 1 + 2^-23, cut 1
    const float got = tensor_core_sum<Bf16>({16, 25, 1, 0}, r.x, r.y);
    EXPECT_EQ(got, 1.0f);
    const double rounded = (static_cast<double>(r.terms) - 1) * 0x1p-24;
    EXPECT_GT(std::fabs(static_cast<double>(got) - r.exact), rounded);
    EXPECT_LE(share({16, 25, 1, 0}, r, got), 1);
}

// Integers whose sum fits 24 bits: exact in every grouping.
TEST(TensorCoreSum, IsExactWhereAllOrdersAre) {
    Rng rng(5, 1, 2);
    for (int k = 0; k < 500; ++k) {
        std::vector<float> x(200), y(200);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(rng.below(511)) - 255, y[i] = static_cast<float>(rng.below(511)) - 255;
        const Row r = row_of<Bf16>(x, y);
        if (r.magnitude >= 0x1p24) continue;
        for (const auto& s : sums) EXPECT_EQ(static_cast<double>(tensor_core_sum<Bf16>(s, r.x, r.y)), r.exact);
    }
}

// Chains of 128 columns with a scale each, 13 or 25 bits: all of one sign, so that every cut goes the same way; cancelling; one large.
TEST(TensorCoreSum, PromotedStaysWithinItsBound) {
    for (const TensorCoreSum& s : {TensorCoreSum{32, 13, 1, 128}, TensorCoreSum{16, 25, 1, 128}, TensorCoreSum{8, 24, 1, 64}}) {
        double worst = 0;
        for (std::uint64_t task = 0; task < 1500; ++task) {
            Rng rng(13, 4, task);
            const std::size_t n = 1 + rng.below(task % 5 ? 200 : 900);
            std::vector<float> x(n), w(n), scale, scaled(n);
            for (std::size_t k = 0; k < n; k += 128) scale.push_back(task % 3 ? 1.0f : std::ldexp(1.0f + static_cast<float>(rng.below(256)) * 0x1p-8f, rng.between(-4, 3)));
            for (std::size_t k = 0; k < n; ++k) {
                x[k] = round_to(Type::bf16, std::ldexp(1.0f + static_cast<float>(rng.below(128)) * 0x1p-7f, rng.between(-5, 0)) * (task % 4 == 1 && rng.below(2) ? -1.0f : 1.0f));
                w[k] = decode(Type::e4m3, encode(Type::e4m3, std::ldexp(1.0f + static_cast<float>(rng.below(8)) * 0x1p-3f, rng.between(-4, 1))));
                if (task % 4 == 2 && k % 128 == 0) x[k] = 200;
                scaled[k] = w[k] * scale[k / 128];
            }
            const Row r = row_of<Bf16>(x, scaled);
            const bool scales = task % 3 == 0;
            const float got = tensor_core_sum<Bf16>(s, x, w, scales ? std::span<const float>(scale) : std::span<const float>(), 128);
            const double largest = scales ? static_cast<double>(*std::max_element(scale.begin(), scale.end())) : 0;
            const double bound = tensor_core_error(s, r.magnitude, r.terms, static_cast<std::int64_t>(n), 0, largest), e = std::fabs(static_cast<double>(got) - r.exact);
            ASSERT_LE(e, bound) << s.text() << " task " << task;
            if (bound > 0) worst = std::max(worst, e / bound);
        }
        EXPECT_GT(worst, 0.1) << s.text();
    }
}

// FAULTS: 448 + 31 * 2^-6 keeps nothing of the small ones within 13 bits; with 24, or behind the 128th column, all of them.
TEST(TensorCoreSum, FourteenBits) {
    std::vector<float> x(32, 0x1p-6f), w(32, 1.0f);
    x[0] = 448;
    EXPECT_EQ(tensor_core_sum<Bf16>({32, 13, 1, 128}, x, w), 448.0f);
    EXPECT_EQ(tensor_core_sum<Bf16>({8, 24, 1, 0}, x, w), 448.484375f);
    EXPECT_EQ(tensor_core_sum<Bf16>({16, 25, 1, 128}, x, w), 448.484375f);
    x.insert(x.begin() + 1, 127, 0.0f);
    w.insert(w.begin() + 1, 127, 1.0f);
    EXPECT_EQ(tensor_core_sum<Bf16>({32, 13, 1, 128}, x, w), 448.484375f);
}

TEST(TensorCoreSum, Text) {
    for (const char* t : {"mma:32x13:128", "mma:16x25:64", "mma:8x24", "mma:16x25", "mma:16x25x4", "mma:4x24"}) {
        ASSERT_TRUE(find_tensor_core_sum(t)) << t;
        EXPECT_EQ(find_tensor_core_sum(t)->text(), t);
    }
    EXPECT_EQ(find_tensor_core_sum("mma:16x25x1")->text(), "mma:16x25");
    for (const char* t : {"mma", "mma:", "mma:16", "mma:32x13", "mma:32x13:", "mma:32x13:0", "mma:16x25x2:128", "mma:32x14:128", "mma:0x25", "mma:16x23", "mma:16x26", "mma:65x25", "mma:16x25x0", "mma:16x25x5000", "mma:16x25x1x1", "lanes:8x4", "mma:ax25"}) EXPECT_FALSE(find_tensor_core_sum(t)) << t;
    EXPECT_EQ(find_tensor_core_sum("mma:8x24")->core().least_exponent, ampere.least_exponent);
    EXPECT_EQ(find_tensor_core_sum("mma:16x25")->core().least_exponent, hopper.least_exponent);
}

}  // namespace
}  // namespace ulpgate
