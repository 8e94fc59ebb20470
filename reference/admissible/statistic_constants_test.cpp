// Each constant of the set is needed, and reached.
#include "reference/admissible/ways_test.hpp"

namespace ulpgate {
namespace {

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

}  // namespace
}  // namespace ulpgate
