// The set against brute force: whatever a kernel of the declared form can compute lies in it.
#include "reference/admissible/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/admissible/sum_bound.hpp"
#include "reference/base/rng.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

using Row = std::vector<float>;
constexpr float finf = std::numeric_limits<float>::infinity();

Contract contract(const std::string& text) {
    Claim c;
    const auto bad = parse(text, c);
    EXPECT_FALSE(bad) << text << ": " << bad->what;
    return c.at(0);
}
StatisticSet set_of(const std::string& text, const Row& x, double eps) {
    const auto s = statistic_set(contract(text), x, eps);
    EXPECT_EQ(s.unsupported, "") << text;
    return s.set;
}
bool holds(const StatisticSet& s, float r) {
    if (std::isnan(r)) return s.nan;
    if (r == 0) return s.zero;
    if (std::isinf(r)) return s.inf;
    return s.interval && s.lo <= r && r <= s.hi;
}

float gaussian(Rng& g) { return static_cast<float>(g.gauss()) * 0x1p-16f; }

// One way to add the squares: a random tree, a random sequence, up or down, pairwise; squares fused or not.
struct Way {
    int tree;  // 0 random, 1 random sequence, 2 largest first, 3 smallest first, 4 pairwise
    bool fma, f64;
};

float tree_sum(Rng& g, const Way& way, const Row& x) {
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

double root(double v, bool div) { return div ? std::sqrt(v) : 1 / std::sqrt(v); }

// The scalar of a kernel, its root off by as many as `k` ulps of the exact one.
float scalar(Rng& g, const Row& x, const Way& way, bool recip, bool wide_eps, double eps, int k, bool div) {
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
Row strained(Rng& g, int family, Type t) {
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

TEST(Statistic, HoldsEveryOrderMeanAndRoot) {
    const double epsilons[] = {0, 1e-6, static_cast<double>(1e-6f), 1e-5, 0x1p-140, 3 * 0x1p-20};
    std::int64_t checks = 0, finite = 0;
    for (std::uint64_t i = 0; i < 40000; ++i) {
        Rng g(7, 1, i);
        const Type t = std::array{Type::bf16, Type::fp16, Type::f32}[g.below(3)];
        const Row x = strained(g, static_cast<int>(g.below(8)), t);
        const double eps = epsilons[g.below(6)];
        const int k = static_cast<int>(g.below(3));
        const bool div = g.below(4) == 0;
        const int mean = static_cast<int>(g.below(3));
        const std::string text = std::string(name(t)) + ",cast_first" + (div ? ",by=div" : "") +
                                 (mean == 1   ? ",mean=div"
                                  : mean == 2 ? ",mean=recip"
                                              : "") +
                                 ",rsqrt=" + std::to_string(k);
        const StatisticSet s = set_of(text, x, eps);
        for (int n = 0; n < 8; ++n) {
            const Way way{static_cast<int>(g.below(5)), g.below(2) != 0, !s.spec_limit && g.below(6) == 0};
            const bool recip = mean == 0 ? g.below(2) != 0 : mean == 2;
            const float r = scalar(g, x, way, recip, g.below(2) != 0, eps, k, div);
            ASSERT_TRUE(holds(s, r)) << text << " row " << i << " d " << x.size() << " eps " << eps << " tree "
                                     << way.tree << " fma " << way.fma << " f64 " << way.f64 << " r " << r
                                     << " not in [" << s.lo << ", " << s.hi << "] " << s.zero << s.inf << " rho/u "
                                     << s.rho / unit32;
            ++checks;
            finite += r > 0 && r < finf;
        }
    }
    EXPECT_GE(checks, 300000);
    EXPECT_GE(finite, checks * 3 / 4);
}

TEST(Statistic, HoldsWideAccumulators) {
    for (std::uint64_t i = 0; i < 3000; ++i) {
        Rng g(7, 2, i);
        const Type t = g.below(2) ? Type::f32 : Type::bf16;
        const Row x = strained(g, static_cast<int>(g.below(8)), t);
        for (const char* fields : {",acc=f64", ",acc=f64,sq=f64"}) {
            const StatisticSet s = set_of(std::string(name(t)) + ",cast_first,rsqrt=0" + fields, x, 1e-6);
            double sum = 0;
            for (const float v : x)
                sum += fields[8] ? static_cast<double>(v) * static_cast<double>(v) : static_cast<double>(v * v);
            const float kept = static_cast<float>(sum), d = static_cast<float>(x.size());
            const float narrow = static_cast<float>(1 / std::sqrt(static_cast<double>(kept / d + 1e-6f)));
            const float wide = static_cast<float>(1 / std::sqrt(sum / static_cast<double>(d) + 1e-6));
            ASSERT_TRUE(holds(s, narrow)) << i << fields;
            ASSERT_TRUE(holds(s, wide)) << i << fields;
            ASSERT_LT(s.rho, 0x1p-22);
        }
    }
}

// In f64 to the end a mean below the smallest f32 is still one: r = 2^84 for x = 2^-84.
TEST(Statistic, HoldsMeansThatOnlyF64Holds) {
    const auto wide = [](const Row& x, double eps, bool squares) {
        double sum = 0;
        for (const float v : x) sum += squares ? static_cast<double>(v) * static_cast<double>(v) : static_cast<double>(v * v);
        return std::sqrt(sum / static_cast<double>(x.size()) + eps);
    };
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng g(7, 8, i);
        Row x(1 + g.below(300));
        const int e = g.between(-145, -60);
        for (float& v : x) v = static_cast<float>(std::ldexp(1 + static_cast<double>(g.below(128)) / 128, e + g.between(-4, 0)));
        const double eps = g.below(4) ? 0 : std::ldexp(1.5, g.between(-300, -120));
        for (const bool squares : {false, true}) {
            const std::string fields = squares ? ",acc=f64,sq=f64" : ",acc=f64";
            const double rms = wide(x, eps, squares);
            const StatisticSet mul = set_of("f32,cast_first,rsqrt=0" + fields, x, eps), div = set_of("f32,cast_first,by=div,rsqrt=0" + fields, x, eps);
            ASSERT_TRUE(holds(mul, static_cast<float>(1 / rms))) << i << fields;
            ASSERT_TRUE(holds(div, static_cast<float>(rms))) << i << fields;
        }
    }
    const Row x(256, 0x1p-84f);
    EXPECT_FALSE(holds(set_of("f32,cast_first", x, 0), 0x1p84f));
    EXPECT_FALSE(holds(set_of("f32,cast_first,acc=f64,sq=f64", x, 0), 0x1.001p84f));
}

// Every order of the project, with and without FMA, under any order and under its own name.
TEST(Statistic, HoldsTheNamedOrders) {
    for (const Order* o : orders::all()) {
        const auto choice = find_order(o->name);
        for (std::uint64_t i = 0; i < 300; ++i) {
            Rng g(7, 5, i);
            const Type t = g.below(2) ? Type::f32 : Type::bf16;
            const Row x = strained(g, static_cast<int>(g.below(8)), t);
            const std::string text = std::string(name(t)) + ",cast_first,rsqrt=0";
            for (const auto& claim : {text, text + ",order=" + std::string(o->name)}) {
                const StatisticSet s = set_of(claim, x, 1e-6);
                for (const float sum :
                     {o->f32({x.data()}, x.size(), choice->p), o->fma({x.data()}, x.size(), choice->p)}) {
                    const float v = sum / static_cast<float>(x.size()) + 1e-6f;
                    ASSERT_TRUE(holds(s, static_cast<float>(root(static_cast<double>(v), false))))
                        << claim << " row " << i;
                }
            }
        }
    }
}

// Flushed inputs and results, by hand, near the end of the normal range.
TEST(Statistic, HoldsFlushedSums) {
    const auto flush = [](float v) { return std::fabs(v) < 0x1p-126f ? 0.0f : v; };
    int flushed = 0;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        Rng g(7, 6, i);
        const Row x = strained(g, 2, g.below(2) ? Type::f32 : Type::bf16);
        const double eps = g.below(2) ? 0 : std::ldexp(1.5, g.between(-130, -120));
        const StatisticSet s = set_of("f32,cast_first,rsqrt=0,ftz=sum", x, eps);
        float sum = 0;
        for (const float v : x) sum = flush(sum + flush(flush(v) * flush(v)));
        const float v = flush(flush(sum / static_cast<float>(x.size())) + flush(static_cast<float>(eps)));
        ASSERT_TRUE(holds(s, static_cast<float>(root(static_cast<double>(v), false)))) << i;
        flushed +=
            !holds(set_of("f32,cast_first,rsqrt=0", x, eps), static_cast<float>(root(static_cast<double>(v), false)));
    }
    EXPECT_GT(flushed, 500);
}

// The bound from the data by its definition: sorted squares. The bins may only add to it, by a few per cent.
TEST(Statistic, BoundFromDataByItsDefinition) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng g(7, 7, i);
        const Row x = strained(g, std::array{0, 1, 6, 7}[g.below(4)], Type::f32);
        std::vector<double> q;
        for (const float v : x)
            if (v != 0) q.push_back(static_cast<double>(v) * static_cast<double>(v));
        std::sort(q.rbegin(), q.rend());
        double c = 0, units = 0, edges = 0;
        for (std::size_t m = 1; m <= q.size(); ++m) {
            c += q[m - 1];
            if (m < 2) continue;
            units += std::ldexp(1.0, std::ilogb(c * (1 + static_cast<double>(2 * q.size()) * unit32)));
            edges += std::ldexp(1.0, std::ilogb(c * 1.07));  // a bin is a square's 1/32 octave wide
        }
        const double found = bound_by_data(x, static_cast<std::int64_t>(q.size()), c) * c / unit32;
        ASSERT_GE(found, units) << i;
        ASSERT_LE(found, edges * (1 + 1e-8)) << i;
    }
}

// A correctly rounded root of a sum that is the same in every order: only kappa and the last roundings are left.
TEST(Statistic, NeedsKappa) {
    int outside_without = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        Rng g(7, 3, i);
        Row x(4);
        for (float& v : x) v = static_cast<float>(g.between(1, 255));
        const StatisticSet s = set_of("bf16,cast_first,rsqrt=0", x, 0);
        const float r = scalar(g, x, {1, false, false}, false, false, 0, 0, false);
        ASSERT_TRUE(holds(s, r)) << i;
        outside_without += std::fabs(static_cast<double>(r) / s.r - 1) > 0.5 * unit32;
    }
    EXPECT_GT(outside_without, 100);
}

// bf16 [1c65, 1c30], eps 0: both squares are f32 subnormals, and their roundings move r by far more than rho.
TEST(Statistic, NeedsEta) {
    const Row x{decode(Type::bf16, 0x1c65), decode(Type::bf16, 0x1c30)};
    Rng g(0, 0, 0);
    const float r = scalar(g, x, {1, false, false}, false, false, 0, 0, false);
    EXPECT_EQ(Bf16::encode(x[0] * r), 0x3f8f);
    const StatisticSet s = set_of("bf16,cast_first,rsqrt=0", x, 0);
    EXPECT_TRUE(holds(s, r));
    EXPECT_LT(s.hi / s.lo, 1.01f);
}

// eps given as a double half an ulp32 from f32(eps): a kernel may add either. An odd exponent puts r near sqrt(2),
// where the roundings of eps, v and r together exceed what v's and r's alone allow.
TEST(Statistic, NeedsBothEps) {
    int beyond = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        Rng g(7, 4, i);
        const float e = std::ldexp(1 + static_cast<float>(g.below(1u << 15)) * 0x1p-22f, -21);
        const double side = g.below(2) ? 0.999 : -0.999, eps = static_cast<double>(e) + side * 0x1p-45;
        const Row x{static_cast<float>(g.between(1, 255)) * 0x1p-26f};
        const StatisticSet s = set_of("bf16,cast_first,rsqrt=0", x, eps);
        const float narrow = scalar(g, x, {1, false, false}, false, false, eps, 0, false);
        const float wide = scalar(g, x, {1, false, false}, false, true, eps, 0, false);
        ASSERT_TRUE(holds(s, narrow)) << i;
        ASSERT_TRUE(holds(s, wide)) << i;
        beyond += std::fabs(static_cast<double>(narrow) / s.r - 1) > 1.5001 * unit32;
    }
    EXPECT_GT(beyond, 10);
}

// The sequence that loses every term reaches the bound from the data: rho halved would lie.
TEST(Statistic, BoundFromDataIsAttained) {
    Row x(65, 0x1p-12f * 0.9921875f);
    x[0] = 1;
    x.resize(64);
    Rng g(0, 0, 0);
    const StatisticSet s = set_of("bf16,cast_first,rsqrt=0", x, 0);
    const float r = scalar(g, x, {2, false, false}, false, false, 0, 0, false);
    EXPECT_TRUE(holds(s, r));
    EXPECT_NEAR(s.rho / unit32, 63, 0.1);
    EXPECT_GE(set_of("bf16,cast_first,order=sequential", x, 0).rho, 62.99 * unit32);
    EXPECT_GT(static_cast<double>(r) / s.r - 1, 0.9 * 0.5 * s.rho);
    // Few terms carry the sum: far below the count.
    Row heavy(7168, 0x1p-9f);
    heavy[5] = 1;
    EXPECT_LT(set_of("bf16,cast_first", heavy, 0).rho, 7168 * unit32);
    Row gauss(7168);
    Rng h(3, 3, 3);
    for (float& v : gauss) v = Bf16::round(gaussian(h));
    const double rho = set_of("bf16,cast_first", gauss, 0).rho / unit32;
    EXPECT_LT(rho, 5000);  // 3/4 of d at most: ufp falls below the partial sum
    EXPECT_GT(rho, 3000);
}

TEST(Statistic, SumsWithoutError) {
    Row hot(7168, 0);
    hot[77] = 3.25f;
    EXPECT_EQ(set_of("bf16,cast_first", hot, 1e-6).rho, 0);
    hot[77] = 3.2000000477f;  // its square needs 48 bits
    EXPECT_EQ(set_of("f32,cast_first", hot, 1e-6).rho, unit32);
    Row integers(1536);
    for (std::size_t i = 0; i < integers.size(); ++i) integers[i] = static_cast<float>(i % 100) * 0x1p-30f;
    EXPECT_EQ(set_of("bf16,cast_first", integers, 1e-6).rho, 0);
    integers[3] = 8192 * 0x1p-30f;  // its square alone is 2^26 units
    EXPECT_GT(set_of("bf16,cast_first", integers, 1e-6).rho, 0);
    EXPECT_EQ(set_of("f32,cast_first", {4097 * 0x1p-12f}, 1e-6).rho, unit32);  // 13 bits: the square has 25
    EXPECT_EQ(set_of("f32,cast_first", {4095 * 0x1p-12f}, 1e-6).rho, 0);
    EXPECT_NEAR(set_of("f32,cast_first", {2901, 2901}, 1e-6).rho / unit32, 0x1p24 / (2 * 2901.0 * 2901.0), 1e-6);
    EXPECT_TRUE(integer_row(Row{4095}, 4095.0 * 4095.0));
    EXPECT_FALSE(integer_row(Row{4095, 100}, 4095.0 * 4095.0 + 10000));
    EXPECT_TRUE(integer_row(Row{0x1p-149f, 3 * 0x1p-149f}, 10 * 0x1p-298));
}

TEST(Statistic, NamedOrderBoundsByItsHeight) {
    Row x(100);
    Rng g(1, 1, 1);
    for (float& v : x) v = gaussian(g);
    for (const Order* o : orders::all()) {
        const auto s = set_of("f32,cast_first,order=" + std::string(o->name), x, 1e-6);
        const auto c = find_order(o->name);
        const int h = o->height(Height{}, x.size(), c->p);
        EXPECT_LE(s.rho, bound_by_count(unit32, h) + 1.001 * unit32) << o->name;
        EXPECT_LE(s.rho, set_of("f32,cast_first", x, 1e-6).rho) << o->name;
        const float v = o->f32({x.data()}, x.size(), c->p) / 100 + 1e-6f;
        EXPECT_TRUE(holds(s, static_cast<float>(1 / std::sqrt(static_cast<double>(v))))) << o->name;
    }
}

TEST(Statistic, SpecialRows) {
    const auto zero = set_of("bf16,cast_first", Row(8, 0), 1e-6);
    EXPECT_TRUE(zero.interval && zero.lo <= 1000.0f && 1000.0f <= zero.hi && !zero.zero && !zero.inf);
    const auto empty = set_of("bf16,cast_first", Row(8, 0), 0);
    EXPECT_TRUE(!empty.interval && empty.inf && !empty.zero && std::isinf(empty.r));
    const auto with_inf = set_of("bf16,cast_first", {1, -finf}, 1e-6);
    EXPECT_TRUE(!with_inf.interval && with_inf.zero && with_inf.r == 0);
    const auto with_nan = set_of("bf16,cast_first", {1, std::nanf(""), finf}, 1e-6);
    EXPECT_TRUE(!with_nan.interval && with_nan.nan && !with_nan.zero && std::isnan(with_nan.r));
    const auto over = set_of("bf16,cast_first", Row(4, 0x1p63f), 1e-6);
    EXPECT_TRUE(over.spec_limit && over.zero && !over.interval && over.r == 0x1p-63);
    // S is half an ulp below 2^128: the order decides.
    const auto maybe = set_of("f32,cast_first", {0x1.fffffep63f, 0x1.398p52f}, 1e-6);
    EXPECT_TRUE(!maybe.spec_limit && maybe.interval && maybe.zero);
    const auto flushed = set_of("bf16,cast_first,ftz=sum", Row(4, 0x1p-64f), 0);
    EXPECT_TRUE(flushed.inf && flushed.interval);
    EXPECT_FALSE(set_of("bf16,cast_first", Row(4, 0x1p-64f), 0).inf);
    EXPECT_TRUE(set_of("bf16,cast_first,ftz=sum", Row(4, 0), 0x1p-130).inf);
    EXPECT_FALSE(set_of("bf16,cast_first", Row(4, 0), 0x1p-130).inf);
    const auto div = set_of("bf16,cast_first,by=div", Row(8, 0), 0);
    EXPECT_TRUE(div.zero && !div.inf && !div.interval);
    EXPECT_TRUE(set_of("bf16,cast_first,by=div", {1, finf}, 0).inf);
    // Columns beyond the statistic's width are not seen.
    EXPECT_FALSE(set_of("bf16,cast_first,stat_width=2", {1, 1, finf}, 0).zero);
    EXPECT_EQ(set_of("bf16,cast_first,stat_width=2", {2, 2, 100}, 0).r, 0.5);
}

TEST(Statistic, WithoutProof) {
    const auto why = [](const char* text, double eps = 1e-6) {
        return statistic_set(contract(text), Row(4, 1), eps).unsupported;
    };
    EXPECT_EQ(why("bf16,cast_first"), "");
    EXPECT_EQ(why("bf16,cast_first,acc=t"), "acc=t: sums kept in bf16");
    EXPECT_EQ(why("bf16,cast_first,sq=t"), "sq=t: squares kept in bf16");
    EXPECT_EQ(why("f32,cast_first,sq=t,acc=t"), "");
    EXPECT_EQ(why("bf16,cast_first,stat=mean_m2"), "stat=mean_m2: mean and M2 subtract");
    EXPECT_EQ(why("bf16,cast_first,stat_width=5"), "stat_width=5: the row has only 4 columns");
    EXPECT_EQ(why("bf16,cast_first", -1), "eps -1: not a number from 0 to 2^127");
    EXPECT_NE(why("bf16,cast_first", std::nan("")), "");
}

}  // namespace
}  // namespace ulpgate
