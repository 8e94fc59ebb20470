// Each order adds what its file says, in that order: its tree by hand at small sizes, tails and partial steps among them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

std::string text(const Tree& t, int k) {
    if (t.is_leaf(k)) return std::to_string(t.node(k).column);
    return "(" + text(t, t.parts(k)[0]) + " " + text(t, t.parts(k)[1]) + ")";
}
Tree tree_of(const std::string& order, std::size_t n) {
    const auto o = find_order(order);
    EXPECT_TRUE(o) << order;
    Tree t;
    t.root = o->order->tree(Grow{&t, {}}, n, o->p);
    return t;
}
// Columns from, from + by, ..., one after the other.
std::string in_turn(int from, int count, int by = 1) {
    std::string s = std::to_string(from);
    for (int k = 1; k < count; ++k) s = "(" + s + " " + std::to_string(from + k * by) + ")";
    return s;
}
// numpy's block: eight strided partials of `each` columns, joined neighbours first.
std::string block(int from, int each) {
    const auto p = [&](int k) { return in_turn(from + k, each, 8); };
    return "(((" + p(0) + " " + p(1) + ") (" + p(2) + " " + p(3) + ")) ((" + p(4) + " " + p(5) + ") (" + p(6) + " " + p(7) + ")))";
}

TEST(Order, TreesByHand) {
    const auto expect = [](const char* order, std::size_t n, const std::string& tree) {
        const Tree t = tree_of(order, n);
        EXPECT_EQ(text(t, t.root), tree) << order << " of " << n;
    };
    expect("sequential", 5, in_turn(0, 5));
    expect("lanes:2x2", 10, "(((((0 4) (2 6)) ((1 5) (3 7))) 8) 9)");
    expect("lanes:4x1", 4, "((0 2) (1 3))");
    expect("lanes:3x1", 3, "((0 2) 1)");
    expect("masked:2x2", 6, "(((0 4) 2) ((1 5) 3))");
    expect("masked:4x1", 7, "(((0 4) (2 6)) ((1 5) 3))");
    expect("pairwise:16", 7, in_turn(0, 7));
    expect("pairwise:16", 10, "((" + block(0, 1) + " 8) 9)");
    expect("pairwise:16", 40, "(" + block(0, 2) + " (" + block(16, 1) + " " + block(24, 2) + "))");
    expect("butterfly:4x1", 6, "(((0 4) (1 5)) (2 3))");
    expect("butterfly:4x2", 9, "((((0 1) 8) (2 3)) ((4 5) (6 7)))");
    expect("cuda_block:4x1", 9, "((((0 4) 8) (2 6)) ((1 5) (3 7)))");
    expect("cuda_block:2x2", 6, "((((0 1) 4) 5) (2 3))");
    expect("aten_cascade:1", 9, "(((((0 4) 8) (1 5)) (2 6)) (3 7))");
    expect("aten_cascade:2", 11, "((10 ((((0 8) 2) 4) 6)) ((((1 9) 3) 5) 7))");
}

// Five warps: their sums as eight, three of them absent. 1 + (2^-24 + 2^-24) shows where the second warp meets the fourth.
TEST(Order, ABlocksWarpsArePaddedToAPowerOfTwo) {
    std::vector<float> x(160, 0);
    x[0] = 1;
    x[32] = x[96] = 0x1p-12f;
    const auto o = find_order("cuda_block:160x1");
    EXPECT_EQ(o->order->f32({x.data()}, x.size(), o->p), 1 + 0x1p-23f);
}

// The sum is the tree's; with FMA where every partial sum has two columns or more (a tree cannot say that a lone column's square was
// rounded before it was added).
TEST(Order, SumsAreTheirTrees) {
    for (const auto& [order, fused] : {std::pair{"sequential", true}, {"lanes:8x4", true}, {"lanes:3x2", true}, {"masked:5x3", true}, {"pairwise:16", false},
                                       {"butterfly:8x2", true}, {"cuda_block:160x1", true}, {"cuda_block:64x4", true}, {"aten_cascade:4", false}})
        for (const std::size_t n : {1u, 9u, 100u, 513u}) {
            const auto o = find_order(order);
            const Tree t = tree_of(order, n);
            std::vector<float> x(n);
            for (std::uint64_t row = 0; row < 20; ++row) {
                Rng g(3, n, row);
                for (float& v : x) v = static_cast<float>(g.gauss()) * 0x1p-16f;
                ASSERT_EQ(o->order->f32({x.data()}, n, o->p), t.sum(x, false)) << order << " of " << n;
                if (fused && n == 513) {
                    ASSERT_EQ(o->order->fma({x.data()}, n, o->p), t.sum(x, true)) << order;
                }
            }
        }
}

}  // namespace
}  // namespace ulpgate
