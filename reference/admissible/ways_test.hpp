// For tests of the statistic's set: a kernel of the declared form computed in one of its many ways, and rows that strain one
// part of the bound each.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/admissible/statistic.hpp"
#include "reference/admissible/sum_bound.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {

using Row = std::vector<float>;
inline constexpr float finf = std::numeric_limits<float>::infinity();

inline Contract contract(const std::string& text) {
    Claim c;
    const auto bad = parse(text, c);
    EXPECT_FALSE(bad) << text << ": " << bad->what;
    return c.at(0);
}
inline StatisticSet set_of(const std::string& text, const Row& x, double eps) {
    const auto s = statistic_set(contract(text), x, eps);
    EXPECT_EQ(s.unsupported, "") << text;
    return s.set;
}
inline bool holds(const StatisticSet& s, float r) {
    if (std::isnan(r)) return s.nan;
    if (r == 0) return s.zero;
    if (std::isinf(r)) return s.inf;
    return s.interval && s.lo <= r && r <= s.hi;
}

inline float gaussian(Rng& g) { return static_cast<float>(g.gauss()) * 0x1p-16f; }

// One way to add the squares: a random tree, a random sequence, up or down, pairwise; squares fused or not.
struct Way {
    int tree;  // 0 random, 1 random sequence, 2 largest first, 3 smallest first, 4 pairwise
    bool fma, f64;
};

inline float tree_sum(Rng& g, const Way& way, const Row& x) {
    std::vector<std::uint32_t> order(x.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[g.below(static_cast<std::uint32_t>(i))]);
    if (way.tree == 2 || way.tree == 3)
        std::sort(order.begin(), order.end(), [&](auto a, auto b) {
            return way.tree == 2 ? std::fabs(x[a]) > std::fabs(x[b]) : std::fabs(x[a]) < std::fabs(x[b]);
        });
    if (way.f64) {
        double s = 0;
        for (const auto i : order) s += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        return static_cast<float>(s);
    }
    if (way.tree >= 1 && way.tree <= 3) {
        float s = 0;
        for (const auto i : order) s = way.fma ? std::fma(x[i], x[i], s) : s + x[i] * x[i];
        return s;
    }
    std::vector<float> part;
    for (const auto i : order) part.push_back(x[i] * x[i]);
    if (way.fma && part.size() > 1) {  // the first leaf folds another in
        part[0] = std::fma(x[order.back()], x[order.back()], part[0]);
        part.pop_back();
    }
    while (part.size() > 1) {
        const auto n = static_cast<std::uint32_t>(part.size());
        const std::uint32_t a = way.tree == 4 ? 0 : g.below(n - 1);
        part[a] += part[n - 1];
        part.pop_back();
        if (way.tree == 4) std::rotate(part.begin(), part.begin() + 1, part.end());
    }
    return part.empty() ? 0 : part[0];
}

inline double root(double v, bool div) { return div ? std::sqrt(v) : 1 / std::sqrt(v); }

// The f32 value farthest from `exact` that is within k ulps of it, above or below; for k = 0 the nearest one.
inline float at_the_edge(double exact, int k, bool above) {
    auto r = static_cast<float>(exact);
    if (!(exact > 0) || std::isinf(r)) return r;
    const double ulp = std::ldexp(1.0, std::max(std::ilogb(exact) - 23, -149));
    for (;;) {
        const float next = std::nextafter(r, above ? finf : 0.0f);
        if (std::isinf(next) || std::fabs(static_cast<double>(next) - exact) > k * ulp) return r;
        r = next;
    }
}

// The scalar of a kernel, its root off by as many as `k` ulps of the exact one.
inline float scalar(Rng& g, const Row& x, const Way& way, bool recip, bool wide_eps, double eps, int k, bool div) {
    const float s = tree_sum(g, way, x), d = static_cast<float>(x.size());
    const float m = recip ? s * (1 / d) : s / d;
    const float v = wide_eps ? static_cast<float>(static_cast<double>(m) + eps) : m + static_cast<float>(eps);
    const double exact = root(static_cast<double>(v), div);
    float r = static_cast<float>(exact);
    if (v == 0 || std::isinf(v)) return r;
    const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
    for (int steps = g.between(-k, k); steps; steps += steps < 0 ? 1 : -1) {
        const float next = std::nextafter(r, steps < 0 ? 0.0f : finf);
        if (std::fabs(static_cast<double>(next) - exact) > k * ulp) break;
        r = next;
    }
    return r;
}

// Rows that strain one part of the bound each.
inline Row strained(Rng& g, int family, Type t) {
    const std::size_t d = g.below(4) ? 1 + g.below(12) : 1 + g.below(100);
    Row x(d);
    switch (family) {
        case 0:
            for (float& v : x) v = gaussian(g);
            break;
        case 1: {  // one large value, the rest around half an ulp of the sum: lost one by one
            const float h = 0x1p-12f * (1 - static_cast<float>(g.below(8)) * 0x1p-6f);
            for (float& v : x) v = h;
            x[0] = 1;
            break;
        }
        case 2: {  // squares at the edge of, and below, f32's normal range
            const float scale = std::ldexp(1.0f, g.between(-76, -62));
            for (float& v : x) v = scale * gaussian(g);
            break;
        }
        case 3: {  // at the edge of overflow
            const float scale = std::ldexp(1.0f, g.between(58, 64));
            for (float& v : x) v = scale * (1 + std::fabs(gaussian(g)));
            break;
        }
        case 4:  // integers
            for (float& v : x) v = static_cast<float>(g.between(-255, 255)) * 0x1p-5f;
            break;
        case 5:  // one-hot
            x[g.below(static_cast<std::uint32_t>(d))] = gaussian(g);
            break;
        case 6:  // a wide range
            for (float& v : x) v = std::ldexp(gaussian(g), g.between(-20, 20));
            break;
        default:  // halves of a power of two: sums at the edges of binades
            for (float& v : x) v = std::ldexp(1 + static_cast<float>(g.below(3)) * 0x1p-7f, g.between(-3, 0));
    }
    for (float& v : x) v = round_to(t, v);
    return x;
}

}  // namespace ulpgate
