// The f32 bracket by its definition (screen.md), in 113-bit arithmetic: y lies within it wherever r lies within its bound, and
// rows use most of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "reference/base/rng.hpp"
#include "reference/oracle/screen.hpp"

namespace ulpgate::screen {
namespace {

__extension__ typedef __float128 Quad;

float significand(Rng& g) { return 1 + static_cast<float>(g.below(1u << 23)) * 0x1p-23f; }

float less(float v, std::uint32_t n) {
    std::uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    bits -= n;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

// How much of the bracket lies between its upper end and y: in [0, 1], or the bracket is broken.
struct Used {
    double least = 1, most = 0;
    void add(double v) {
        least = std::min(least, v);
        most = std::max(most, v);
    }
};

void try_one(Oracle oracle, const Scale& k, double relative, float x, float w, double r, Used& used) {
    const float q = oracle == Oracle::ideal ? x * w : x;
    const float v = oracle == Oracle::ideal ? std::fma(q, k.low, std::fma(x, w, -q) * k.rounded) : q * k.low;
    const Quad upper = Quad(q) * Quad(k.r) + Quad(v), lower = Quad(q) * Quad(k.r) + Quad(less(v, k.below));
    const Quad exact = oracle == Oracle::ideal ? Quad(x) * Quad(w) : Quad(x);
    for (const double off : {-relative, relative}) used.add(static_cast<double>((upper - exact * Quad(r) * (1 + Quad(off))) / (upper - lower)));
}

// Scalars and products as they come, and those that leave v least room: r just above a power of two with rh rounded up by half an
// ulp, so that rl is 3/4 of 2^-22 r; v just above a power of two, so that taking N off it makes half steps. ideal: q one
// rounded up by half an ulp, which takes a third of v away.
void search(Oracle oracle, std::size_t d, Used& used) {
    const Margins m = margins<F32>(oracle, d);
    const double relative = r_error(d) * 0x1p-53;
    Rng g(0x5c, static_cast<std::uint64_t>(oracle), d);
    for (int rep = 0; rep < 3000; ++rep) {
        const double any = static_cast<double>(significand(g)) * (1 + (static_cast<double>(g.below(1u << 20)) * 0x1p-20 - 0.5) * 0x1p-23);
        const double tight = 1 + (static_cast<double>(g.below(1u << 12)) + 0.501 + 2) * 0x1p-23;
        const double r = rep % 3 ? tight : any;
        Scale k;
        ASSERT_TRUE(scale_row<F32>(oracle, m, 1, 1 / r, r, k)) << d;
        for (int i = 0; i < 40; ++i) {
            float x = significand(g), w = significand(g);
            if (rep % 3 && oracle == Oracle::cast_first) x = less(static_cast<float>(0x1p-22 / static_cast<double>(k.low)), 8 - g.below(24));
            else if (rep % 3) w = static_cast<float>((1 + (2 * static_cast<double>(g.below(64)) + 1.02) * 0x1p-24) / static_cast<double>(x));
            try_one(oracle, k, relative, x, w, r, used);
        }
    }
}

// What is proven of it (screen.md, slack of N), L = 3/4.
double most_used(Oracle oracle, std::size_t d) {
    const bool ideal = oracle == Oracle::ideal;
    const double c = margins<F32>(oracle, d).raise, l = 0.75, v = ideal ? l - 0.25 : l, products = ideal ? 2 * 0x1p-48 : 0;
    return (c + r_error(d) * 0x1p-53 + products + (l + v) * 0x1p-46) / (4 * c * v);
}

TEST(Screen, TheBracketOfF32HoldsAndIsUsed) {
    for (const std::size_t d : {128u, 512u, 1536u, 7168u})
        for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first}) {
            Used used;
            search(oracle, d, used);
            EXPECT_GE(used.least, 0) << d;
            EXPECT_LE(used.most, most_used(oracle, d)) << d;
            if (d == 7168 && oracle == Oracle::ideal) { EXPECT_GT(used.most, 0.5) << "N halved would lie"; }
        }
}

}  // namespace
}  // namespace ulpgate::screen
