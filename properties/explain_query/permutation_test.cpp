#include "properties/explain_query/permutation.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

constexpr std::int64_t T = 3, H = 4, N = 8, R = 4, D = N + R;

template <class F>
std::string told(F from) {
    std::vector<Moved> moved;
    for (std::int64_t t = 0; t < T; ++t)
        for (std::int64_t h = 0; h < H; ++h)
            for (std::int64_t j = 0; j < D; ++j) moved.push_back({{t, h, j}, from(Place{t, h, j})});
    return permutation_words(moved, T, H, D, N);
}

TEST(Permutation, InWords) {
    EXPECT_EQ(told([](Place p) { return p; }), "");
    EXPECT_EQ(told([](Place p) { return Place{p.token, p.head, (p.column + R) % D}; }), "q_pe comes first");
    EXPECT_EQ(told([](Place p) { return Place{p.token, H - 1 - p.head, p.column}; }), "heads are reversed");
    EXPECT_EQ(told([](Place p) { return Place{(p.token + 1) % T, p.head, p.column ^ 1}; }), "tokens are moved round by 1: 0 holds 1; neighbouring columns are exchanged");
    EXPECT_EQ(told([](Place p) { return Place{0, p.head, p.column}; }), "all tokens hold number 0");
    EXPECT_EQ(told([](Place p) { return Place{p.token, p.head, p.column < D / 2 ? 2 * p.column : 2 * (p.column - D / 2) + 1}; }), "columns are de-interleaved: even ones come first");
    EXPECT_EQ(told([](Place p) { const auto row = p.head * T + p.token; return Place{row / H, row % H, p.column}; }),
              "heads and positions are swapped at T > 1: rows stand in the order [token, head], not [head, token]");
    EXPECT_EQ(told([](Place p) { const auto row = p.head * D + p.column; return Place{p.token, row % H, row / H}; }),
              "columns and heads are exchanged: a row of q_b is read as [column, head], not [head, column]");
    EXPECT_EQ(told([](Place p) { return p.column == 2 ? Place{p.token, p.head, 5} : p.column == 5 ? Place{p.token, p.head, 2} : p; }), "columns are permuted: 2 holds 5, 5 holds 2");
    EXPECT_EQ(told([](Place p) { return p.token == 1 && p.head == 2 ? Place{2, 1, p.column} : p; }), "") << "of no index alone";
}

}  // namespace
}  // namespace ulpgate
