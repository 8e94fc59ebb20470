#include "reference/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/rng.hpp"
#include "reference/oracle/lanes.hpp"
#include "reference/oracle/root_oracle.hpp"

namespace ulpgate {
namespace {

constexpr std::array types{Type::bf16, Type::fp16, Type::f32};
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Largest exponent range of the type: subnormals to just below the top.
struct Range {
    int lo, hi;
};
Range range_of(Type t) { return t == Type::fp16 ? Range{-24, 14} : Range{-149, 126}; }

float value(Rng& r, Type t, int lo, int hi) {
    const double m = 1 + static_cast<double>(r.below(1u << 24)) * 0x1p-24;
    const float v = round_to(t, std::ldexp(m, r.between(lo, hi)));
    return r.below(2) ? v : -v;
}

// Compares `samples` elements of the row (all when 0) with the integer-root oracle.
void expect_agrees(Oracle oracle, const OracleTypes& t, const std::vector<float>& x, const std::vector<float>& w, double eps,
                   Rng& rng, int samples, OracleStats* stats = nullptr) {
    std::vector<std::uint32_t> y(x.size(), 0xdeadbeef);
    oracle_row(oracle, t, x, w, eps, y, stats);
    const RootOracle root(x, eps);
    const int n = samples ? samples : static_cast<int>(x.size());
    for (int k = 0; k < n; ++k) {
        const std::size_t j = samples ? rng.below(static_cast<std::uint32_t>(x.size())) : static_cast<std::size_t>(k);
        ASSERT_EQ(y[j], root.element(oracle, t, x[j], w.empty() ? 1.0f : w[j]))
            << (oracle == Oracle::ideal ? "ideal " : "cast_first ") << name(t.x) << ' ' << name(t.w) << ' ' << name(t.y)
            << " d " << x.size() << " eps " << eps << " col " << j << std::hexfloat << " x " << x[j] << " w "
            << (w.empty() ? 1.0f : w[j]);
    }
}

TEST(Oracle, AgreesWithIntegerRootsOverTypesLengthsAndMagnitudes) {
    constexpr std::array<std::size_t, 9> lengths{1, 2, 3, 9, 31, 32, 33, 100, 576};
    constexpr std::array epsilons{1e-6, static_cast<double>(1e-6f), 1e-5, 0.0, 0x1p-149, 1e-20};
    Rng r(6, 0, 0);
    OracleStats stats;
    int rows = 0;
    for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first})
        for (const Type tx : types)
            for (const Type tw : types)
                for (const Type ty : types)
                    for (int rep = 0; rep < 24; ++rep, ++rows) {
                        const Range full = range_of(tx), wide = range_of(tw);
                        int lo = full.lo, hi = full.hi;
                        if (rep % 3) lo = r.between(full.lo, full.hi), hi = std::min(full.hi, lo + r.between(0, 8));
                        std::vector<float> x(lengths[r.below(lengths.size())]), w(rep % 5 ? x.size() : 0);
                        for (float& v : x) v = r.below(20) ? value(r, tx, lo, hi) : (r.below(2) ? 0.0f : -0.0f);
                        for (float& v : w) v = rep % 4 ? value(r, tw, -2, 2) : value(r, tw, wide.lo, wide.hi);
                        if (x[0] == 0) x[0] = round_to(tx, 1.5f);
                        const double eps = epsilons[r.below(epsilons.size())];
                        expect_agrees(oracle, {tx, tw, ty}, x, w, eps, r, 24, &stats);
                        if (HasFatalFailure()) return;
                    }
    EXPECT_EQ(stats.special_rows, 0u);
    EXPECT_GT(stats.l1, 0u);
}

TEST(Oracle, AgreesOnTheModelsShapes) {
    Rng r(7, 0, 0);
    for (const Type t : types)
        for (const std::size_t d : {512u, 1536u, 7168u, 65536u})
            for (const double eps : {1e-6, static_cast<double>(1e-6f)}) {
                std::vector<float> x(d), w(d);
                const int scale = r.between(-14, 4);
                for (float& v : x) v = round_to(t, std::ldexp(static_cast<float>(r.gauss()) + 0.371f, scale - 16));
                for (float& v : w) v = value(r, t, -1, 0);
                expect_agrees(Oracle::ideal, {t, t, t}, x, w, eps, r, 60);
                expect_agrees(Oracle::cast_first, {t, t, t}, x, w, eps, r, 60);
            }
}

TEST(Oracle, RoundsSubnormalAndOverflowingOutputs) {
    Rng r(8, 0, 0);
    int subnormal = 0, overflow = 0, largest = 0;
    for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first})
        for (const Type ty : types)
            for (int rep = 0; rep < 60; ++rep) {
                const Range range = range_of(ty);
                const bool top = rep % 2;
                const int near = (top ? range.hi + 1 : range.lo) + r.between(-2, 2);
                std::vector<float> x(40), w(40);
                for (float& v : x) v = value(r, Type::bf16, -1, 1);
                for (float& v : w) v = value(r, Type::f32, std::clamp(near, -149, 126), std::clamp(near, -149, 126));
                const OracleTypes t{Type::bf16, Type::f32, ty};
                expect_agrees(oracle, t, x, w, 1e-6, r, 0);
                std::vector<std::uint32_t> y(40);
                oracle_row(oracle, t, x, w, 1e-6, y);
                with_format(ty, [&](auto f) {
                    using F = decltype(f);
                    for (const std::uint32_t word : y) {
                        subnormal += F::is_subnormal(static_cast<typename F::Word>(word));
                        overflow += F::is_inf(static_cast<typename F::Word>(word));
                        largest += (word & F::abs_mask) == F::max_word;
                    }
                });
            }
    EXPECT_GT(subnormal, 500);
    EXPECT_GT(overflow, 500);
    EXPECT_GT(largest, 0);
}

TEST(Oracle, SubnormalInputsUnderALargeEps) {
    // y = x w / sqrt(eps) to within rounding: subnormal n under cast_first.
    Rng r(9, 0, 0);
    for (const Type t : types)
        for (const double eps : {1.0, 0x1p-20, 16.0})
            for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first}) {
                std::vector<float> x(64), w(64);
                const int lo = range_of(t).lo;
                for (float& v : x) v = value(r, t, lo, lo + 4);
                for (float& v : w) v = value(r, t, -1, 1);
                expect_agrees(oracle, {t, t, t}, x, w, eps, r, 0);
            }
}

TEST(Oracle, LanesWithAndWithoutAvx2GiveTheSameBits) {
    Rng r(10, 0, 0);
    constexpr std::size_t blocks = 32, n = blocks * lane_block;
    for (const bool cast_first : {false, true})
        with_format(Type::fp16, [&](auto f) {
            std::vector<float> x(n), w(n);
            for (float& v : x) v = value(r, Type::fp16, -10, 3);
            for (float& v : w) v = r.below(400) ? value(r, Type::bf16, -3, 3) : nan;
            const LaneJob job{.x = x.data(), .w = w.data(), .r = 0x1.23456789abcdep-1, .cast_first = cast_first,
                              .first = rounding_to<decltype(f)>(), .second = rounding_to<Bf16>()};
            std::vector<std::uint32_t> a(n), b(n), ua(blocks), ub(blocks);
            const std::size_t na = round_blocks(job, blocks, a.data(), ua.data());
            const std::size_t nb = portable::round_blocks(job, blocks, b.data(), ub.data());
            EXPECT_EQ(a, b);
            ASSERT_EQ(na, nb);
            EXPECT_GT(na, 0u);
            for (std::size_t k = 0; k < na; ++k) EXPECT_EQ(ua[k], ub[k]);
        });
}

struct Special {
    std::vector<float> x, w;
    double eps;
    std::vector<std::uint32_t> y;  // bf16; ideal and cast_first alike
};

TEST(Oracle, SpecialRows) {
    const std::vector<Special> table{
        {{0, -0.0f, 0}, {}, 1e-6, {0x0000, 0x8000, 0x0000}},          // zero row, eps > 0: signed zeros
        {{0, -0.0f}, {-1, -2}, 1e-6, {0x8000, 0x0000}},
        {{0, -0.0f, 0}, {}, 0, {0x7fc0, 0x7fc0, 0x7fc0}},              // eps = 0: 0 * inf
        {{1, nan, 0, inf}, {}, 1e-6, {0x7fc0, 0x7fc0, 0x7fc0, 0x7fc0}},  // a NaN makes its row NaN
        {{1, inf, -2, -0.0f}, {}, 1e-6, {0x0000, 0x7fc0, 0x8000, 0x8000}},  // one Inf: zeros elsewhere, NaN there
        {{1, -inf, -2, 3}, {1, 1, 1, -1}, 0, {0x0000, 0x7fc0, 0x8000, 0x8000}},
        {{inf, -inf, 1}, {}, 1e-6, {0x7fc0, 0x7fc0, 0x0000}},
        {{1, 1, -1, 1}, {inf, nan, -inf, 0}, 0, {0x7f80, 0x7fc0, 0x7f80, 0x0000}},  // gains follow IEEE, a column each
        {{0, 1}, {inf, 1}, 0, {0x7fc0, 0x3fb5}},                       // sqrt(2)
        {{1, inf}, {inf, 1}, 0, {0x7fc0, 0x7fc0}},                     // 0 * inf
        {{0x1p100f, 0, -0.0f, 0}, {}, 1e-6, {0x4000, 0, 0x8000, 0}},   // beyond f32's squares: still real arithmetic
        {{0x1p-130f, 0, 0, 0}, {}, 0, {0x4000, 0, 0, 0}},
    };
    for (std::size_t k = 0; k < table.size(); ++k)
        for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first})
            for (const std::size_t repeat : {1u, 40u}) {  // scalar levels alone, and through the lanes
                std::vector<float> x, w;
                std::vector<std::uint32_t> expected;
                for (std::size_t n = 0; n < repeat; ++n) {
                    x.insert(x.end(), table[k].x.begin(), table[k].x.end());
                    w.insert(w.end(), table[k].w.begin(), table[k].w.end());
                    expected.insert(expected.end(), table[k].y.begin(), table[k].y.end());
                }
                std::vector<std::uint32_t> y(x.size());
                oracle_row(oracle, {Type::bf16, Type::bf16, Type::bf16}, x, w, table[k].eps, y);
                EXPECT_EQ(y, expected) << "row " << k;
            }
}

TEST(Oracle, CountsSpecialRows) {
    OracleStats stats;
    std::vector<std::uint32_t> y(2);
    const std::vector<float> zero{0, 0}, one{1, 1}, bad{1, nan};
    oracle_row(Oracle::ideal, {Type::f32, Type::f32, Type::f32}, zero, {}, 0, y, &stats);
    oracle_row(Oracle::ideal, {Type::f32, Type::f32, Type::f32}, bad, {}, 1e-6, y, &stats);
    oracle_row(Oracle::ideal, {Type::f32, Type::f32, Type::f32}, one, {}, 1e-6, y, &stats);
    EXPECT_EQ(stats.special_rows, 2u);
    EXPECT_EQ(stats.elements, 6u);
}

TEST(IdealR, IsWithinItsBoundAndNamesTheEnds) {
    const std::vector<float> row{3, 4}, zero{0, 0}, bad{1, nan}, infinite{1, -inf}, largest(16, 0x1.fffffep127f);
    EXPECT_EQ(ideal_r(row, 0), 1 / std::sqrt(12.5));
    EXPECT_EQ(ideal_r(std::vector<float>{2, 2, 2, 2}, 0), 0.5);
    EXPECT_EQ(ideal_r(zero, 0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(ideal_r(zero, 0.25), 2);
    EXPECT_EQ(ideal_r(infinite, 1e-6), 0);
    EXPECT_TRUE(std::isnan(ideal_r(bad, 1e-6)));
    EXPECT_NEAR(ideal_r(largest, 1e-6) * 0x1.fffffep127, 1, 0x1p-50);
    // 1/sqrt(1/3 + double(1e-6)) by Python's decimal at 30 digits
    EXPECT_DOUBLE_EQ(ideal_r(std::vector<float>{1, 0, 0}, 1e-6), 1.73204820949851159707);
}

}  // namespace
}  // namespace ulpgate
