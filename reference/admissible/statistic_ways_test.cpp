// The set against brute force: whatever a kernel of the declared form can compute lies in it.
#include "reference/admissible/ways_test.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

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
            if (sum > 0x1p-100 && sum < 0x1p120) {  // and nothing wider than its roundings
                ASSERT_LT(static_cast<double>(s.hi), s.r * (1 + 8 * unit32)) << i << fields;
                ASSERT_GT(static_cast<double>(s.lo), s.r * (1 - 8 * unit32)) << i << fields;
            }
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

}  // namespace
}  // namespace ulpgate
