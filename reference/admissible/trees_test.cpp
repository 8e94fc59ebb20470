// Every way to add a short row, and many ways to add a long one: the scalar never leaves the set.
#include "reference/admissible/ways_test.hpp"

#include <bit>
#include <set>

#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

// Every f32 value that some binary tree over these squares gives, each leaf folded in by an addition or by an FMA. By subsets:
// what a set of leaves can give is what its two parts can, added.
std::set<float> every_sum(const Row& x) {
    const std::size_t n = x.size();
    std::vector<std::set<float>> of(std::size_t{1} << n);
    for (std::size_t all = 1; all < of.size(); ++all) {
        if ((all & (all - 1)) == 0) {
            const float v = x[static_cast<std::size_t>(std::countr_zero(all))];
            of[all] = {v * v};
            continue;
        }
        for (std::size_t a = (all - 1) & all; a; a = (a - 1) & all) {
            const std::size_t b = all ^ a;
            if ((a & (a - 1)) == 0) {
                const float v = x[static_cast<std::size_t>(std::countr_zero(a))];
                for (const float s : of[b]) of[all].insert(std::fma(v, v, s));
            }
            if (a < b) continue;
            for (const float s : of[a])
                for (const float t : of[b]) of[all].insert(s + t);
        }
    }
    return of.back();
}

// r of a sum by each mean and each eps, the root at the edge that rsqrt=k allows.
void expect_holds(const StatisticSet& set, float sum, std::size_t d, double eps, int k, bool div, const char* where) {
    const auto n = static_cast<float>(d);
    for (const float m : {sum / n, sum * (1 / n)})
        for (const float v : {m + static_cast<float>(eps), static_cast<float>(static_cast<double>(m) + eps)}) {
            const double exact = root(static_cast<double>(v), div);
            for (const bool above : {false, true}) ASSERT_TRUE(holds(set, at_the_edge(exact, k, above))) << where;
        }
}

TEST(Trees, EveryTreeOfAShortRow) {
    std::int64_t sums = 0;
    double reached = 0;
    for (std::uint64_t i = 0; i < 6000; ++i) {
        Rng g(41, 1, i);
        const Type t = std::array{Type::bf16, Type::fp16, Type::f32}[i % 3];
        Row x = strained(g, static_cast<int>(g.below(8)), t);
        x.resize(1 + g.below(i % 10 ? 6 : 7), x[0]);
        const double eps = g.below(2) ? 0 : 1e-6;
        const int k = g.between(0, 2);
        const bool div = g.below(3) == 0;
        const StatisticSet s = set_of("f32,cast_first,rsqrt=" + std::to_string(k) + (div ? ",by=div" : ""), x, eps);
        double exact = 0;
        for (const float v : x) exact += static_cast<double>(v) * static_cast<double>(v);
        for (const float sum : every_sum(x)) {
            expect_holds(s, sum, x.size(), eps, k, div, std::to_string(i).c_str());
            if (HasFatalFailure()) return;
            ++sums;
            if (s.rho > 0 && exact > 0x1p-100 && exact < 0x1p120)
                reached = std::max(reached, std::fabs(static_cast<double>(sum) - exact) / exact / s.rho);
        }
    }
    RecordProperty("sums", static_cast<int>(sums));
    EXPECT_GT(sums, 4000);
    EXPECT_GT(reached, 0.9) << "of rho";
    EXPECT_LE(reached, 1);
}

// A random binary tree: the leaves, shuffled, split at a place drawn by `shape`: anywhere, near the middle, near an end.
float split_sum(Rng& g, std::span<const float> x, int shape, bool fma) {
    if (x.size() == 1) return x[0] * x[0];
    const auto n = static_cast<std::uint32_t>(x.size());
    std::uint32_t at = 1 + g.below(n - 1);
    if (shape == 1) at = n / 2;
    if (shape == 2) at = 1 + g.below(std::min(n - 1, 3u));
    const float right = split_sum(g, x.subspan(at), shape, fma);
    if (at == 1 && fma && g.below(2)) return std::fma(x[0], x[0], right);
    return split_sum(g, x.first(at), shape, fma) + right;
}

TEST(Trees, ManyTreesOfALongRow) {
    std::int64_t sums = 0;
    for (std::uint64_t i = 0; i < 150; ++i) {
        Rng g(41, 2, i);
        const Type t = std::array{Type::bf16, Type::fp16, Type::f32}[i % 3];
        const std::size_t d = std::array<std::size_t, 8>{33, 100, 512, 769, 1536, 3584, 7168, 7169}[g.below(8)];
        Row x;
        const int family = static_cast<int>(g.below(8));
        while (x.size() < d) {
            const Row more = strained(g, family, t);
            x.insert(x.end(), more.begin(), more.end());
        }
        x.resize(d);
        const StatisticSet any = set_of("f32,cast_first,rsqrt=0", x, 1e-6);
        for (int shape = 0; shape < 3; ++shape) {
            for (std::size_t j = d; j > 1; --j) std::swap(x[j - 1], x[g.below(static_cast<std::uint32_t>(j))]);
            expect_holds(any, split_sum(g, x, shape, g.below(2)), d, 1e-6, 0, false, "split");
            ++sums;
        }
        for (int tree = 0; tree < 4; ++tree, ++sums)
            expect_holds(any, tree_sum(g, {tree, g.below(2) != 0, false}, x), d, 1e-6, 0, false, "sequence");
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(sums, 150 * 7);
}

}  // namespace
}  // namespace ulpgate
