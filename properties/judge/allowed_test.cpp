// Sets that can be written down by hand: rows of ones, where n is exactly 1 for every r that the contract allows.
#include "properties/judge/allowed.hpp"

#include <gtest/gtest.h>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

using namespace kit;

// Rows of +1 and -1, gains 1.5, eps 0: T(x r) is x, y is +-1.5 (3fc0, bfc0).
Tensors ones(std::int64_t rows) {
    Tensors t = make_case({.d = 8, .rows = rows, .eps = 0});
    auto& x = *t.find("x");
    for (std::int64_t i = 0; i < x.count(); ++i) x.set_word(x.at(i), i % 2 ? 0xbf80 : 0x3f80);
    auto& w = *t.find("w");
    for (std::int64_t i = 0; i < w.count(); ++i) w.set_word(i, 0x3fc0);
    return t;
}

Outcome outputs(const Tensors& t, const std::vector<std::pair<std::size_t, std::uint16_t>>& changed) {
    Outcome o;
    o.out.resize(t.all.size());
    const auto y = static_cast<std::size_t>(t.find("y") - t.all.data());
    std::vector<std::uint16_t> words(static_cast<std::size_t>(t.all[y].count()));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i % 2 ? 0xbfc0 : 0x3fc0;
    for (const auto& [at, word] : changed) words[at] = word;
    o.out[y].resize(2 * words.size());
    std::memcpy(o.out[y].data(), words.data(), o.out[y].size());
    return o;
}

TEST(Allowed, OneValueWhereOneIsAllowed) {
    const Tensors t = ones(2);
    const auto sets = allowed_row(t, outputs(t, {}), claim("bf16,cast_first"), 1);
    ASSERT_EQ(sets.size(), 8u);
    for (std::size_t j = 0; j < 8; ++j) {
        EXPECT_EQ(sets[j].lo, j % 2 ? 0xbfc0u : 0x3fc0u);
        EXPECT_EQ(sets[j].hi, sets[j].lo);
        EXPECT_FALSE(sets[j].nan);
    }
}

TEST(Allowed, FirstAndWorstAreFound) {
    const Tensors t = ones(3);
    EXPECT_EQ(mismatches(t, outputs(t, {}), claim("bf16,cast_first")).outside, 0);
    // row 0 col 5: one step; row 1 col 2: three; row 2 col 7: two
    const auto m = mismatches(t, outputs(t, {{5, 0xbfc1}, {10, 0x3fbd}, {23, 0xbfbe}}), claim("bf16,cast_first"));
    EXPECT_EQ(m.outside, 3);
    EXPECT_EQ(m.elements, 24);
    EXPECT_EQ(m.first.row, 0);
    EXPECT_EQ(m.first.col, 5);
    EXPECT_EQ(m.first.steps, 1);
    EXPECT_EQ(m.worst.row, 1);
    EXPECT_EQ(m.worst.col, 2);
    EXPECT_EQ(m.worst.got, 0x3fbdu);
    EXPECT_EQ(m.worst.allowed.lo, 0x3fc0u);
    EXPECT_EQ(m.worst.steps, 3);
}

TEST(Allowed, NaNIsFartherThanAnyNumber) {
    const Tensors t = ones(1);
    const auto m = mismatches(t, outputs(t, {{0, 0x4000}, {3, 0x7fc0}}), claim("bf16,cast_first"));
    EXPECT_EQ(m.outside, 2);
    EXPECT_EQ(m.worst.col, 3);
    EXPECT_EQ(m.worst.steps, INT64_MAX);
}

TEST(Allowed, CountsWhatTheJudgeCounts) {
    const Tensors t = make_case({.d = 512, .rows = 6});
    Kernel k = kernel(Type::bf16);
    k.element = [](float x, float w, float r) { return x * r * w; };
    const Outcome o = run(t, k);
    const auto m = mismatches(t, o, claim("bf16,cast_first"));
    EXPECT_GT(m.outside, 0);
    EXPECT_EQ(m.outside, judge(t, o, claim("bf16,cast_first")).measure.outside);
    EXPECT_EQ(mismatches(t, o, claim("bf16,f32_gain")).outside, 0);
}

TEST(Allowed, NothingWhereNothingIsProven) {
    const Tensors t = ones(1);
    for (const char* text : {"bf16,cast_first,acc=t", "bf16,cast_first"})
        EXPECT_EQ(allowed_row(t, outputs(t, {}), claim(text), 0).empty(), judge(t, outputs(t, {}), claim(text)).verdict == Verdict::unsupported) << text;
}

}  // namespace
}  // namespace ulpgate
