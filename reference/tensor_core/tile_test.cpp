// The tile against the step's own chain, over operands of every kind.
#include "reference/tensor_core/tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

struct Kinds {
    int results = 0, differing = 0, infinite = 0, nan = 0, subnormal = 0;
};
// spread: exponents are drawn from that many binades about `middle` of the format's range; specials: one word in that many.
template <class F>
Kinds compare(TensorCore core, int depth, int spread, int middle, std::uint32_t specials, int tiles) {
    Kinds kinds;
    Rng rng(2, F::exponent_bits, static_cast<std::uint64_t>(spread * 1000 + middle + depth));
    const auto word = [&] {
        if (specials && rng.below(specials) == 0) {
            const typename F::Word special[] = {0, F::sign_bit, F::max_word, F::inf_word, F::sign_bit | F::inf_word, F::nan_word, F::min_subnormal_word};
            return special[rng.below(std::size(special))];
        }
        const int field = std::clamp(middle + static_cast<int>(rng.below(static_cast<std::uint32_t>(spread))) - spread / 2, 0, 2 * F::bias);
        return static_cast<typename F::Word>((rng.below(2) ? F::sign_bit : 0u) | static_cast<unsigned>(field) << F::mantissa_bits | rng.below(1u << F::mantissa_bits));
    };
    for (int t = 0; t < tiles; ++t) {
        typename F::Word a[tile_rows * 16], b[tile_columns * 16];
        float d[tile_rows * tile_columns], before[tile_rows * tile_columns];
        for (auto& w : a) w = word();
        for (auto& w : b) w = word();
        for (auto& v : before)
            v = std::ldexp(static_cast<float>(rng.below(1u << 24)) - 0x1p23f, 2 * (middle - F::bias) - 23 + static_cast<int>(rng.below(12)) - 6);
        if (t % 4 == 0) std::fill(std::begin(before), std::end(before), 0.f);
        std::copy(std::begin(before), std::end(before), d);
        tensor_core_tile<F>(core, depth, a, b, d);
        for (int r = 0; r < tile_rows; ++r)
            for (int c = 0; c < tile_columns; ++c) {
                const auto n = static_cast<std::size_t>(depth);
                const float v = d[r * tile_columns + c];
                const float expected = tensor_core_dot<F>(core, {a + r * depth, n}, {b + c * depth, n}, before[r * tile_columns + c]);
                kinds.differing += std::bit_cast<std::uint32_t>(v) != std::bit_cast<std::uint32_t>(expected);
                ++kinds.results;
                kinds.nan += v != v;
                kinds.infinite += std::isinf(v);
                kinds.subnormal += F32::is_subnormal(F32::encode(v));
            }
    }
    return kinds;
}

template <class F>
Kinds everywhere() {
    Kinds all;
    for (const TensorCore& core : {ampere, hopper})
        for (const int depth : {8, 16})
            for (const auto& [spread, middle, specials] : {std::tuple{6, F::bias, 0u}, {40, F::bias, 0u}, {2 * F::bias, F::bias, 0u}, {10, 3, 0u},
                                                           {12, F::bias / 2 - 6, 0u}, {16, F::bias + F::bias / 2, 0u}, {10, F::bias, 200u}}) {
                const Kinds k = compare<F>(core, depth, spread, middle, specials, 30);
                EXPECT_EQ(k.differing, 0) << core.name << ' ' << depth << ' ' << spread << ' ' << middle;
                all.results += k.results, all.nan += k.nan, all.infinite += k.infinite, all.subnormal += k.subnormal;
            }
    return all;
}

TEST(TensorCoreTile, HasTheStepsBits) {
    const Kinds bf16 = everywhere<Bf16>(), fp16 = everywhere<Fp16>();
    EXPECT_EQ(bf16.results, 2 * 2 * 7 * 30 * 128);
    EXPECT_GT(bf16.nan, 20);  // every kind was reached
    EXPECT_GT(bf16.infinite, 1000);
    EXPECT_GT(bf16.subnormal, 1000);
    EXPECT_GT(fp16.nan, 20);
}
TEST(TensorCoreTile, LeavesNarrowSumsToTheStep) {
    TensorCore narrow = hopper;
    narrow.kept_bits = 13;
    EXPECT_EQ(compare<Bf16>(narrow, 16, 8, Bf16::bias, 0, 4).differing, 0);
}

}  // namespace
}  // namespace ulpgate
