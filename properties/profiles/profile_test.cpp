// Each profile reaches what it is for. The facts are checked by formats and sums, not by the generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "properties/cases/rows_test.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

TEST(Profiles, ARowDependsOnTheSeedAndItsNumberAlone) {
    for (const Profile* p : profiles::all())
        for (const Type t : types) {
            const std::string rest = "contract=residual=rounded/profile=" + std::string(p->name) + "/seed=3/";
            const Rows many = rows_of(t, 33, rest + "rows=70"), few = rows_of(t, 33, rest + "bt=3x3");
            for (std::size_t i = 0; i < 9; ++i)
                for (std::size_t j = 0; j < 33; ++j) {
                    EXPECT_EQ(encode(t, many.x[i][j]), encode(t, few.x[i][j])) << p->name << " row " << i;
                    EXPECT_EQ(encode(t, many.residual[i][j]), encode(t, few.residual[i][j]))
                        << p->name << " row " << i;
                }
        }
}

TEST(Profiles, EveryWidthCanBeMade) {
    for (const Profile* p : profiles::all())
        for (const Type t : types)
            for (const int d : {1, 2, 3, 7, 16, 50, 65})
                for (const char* eps : {"0", "1e-6", "1", "0x1p-149", "1e300", "1e-300"}) {
                    const Rows r = rows_of(t, d, "profile=" + std::string(p->name) + "/rows=30/eps=" + eps);
                    for (const auto& row : r.x)
                        for (const float v : row)
                            EXPECT_TRUE(std::isfinite(v) || p->name == "specials" || p->name == "random_bits")
                                << p->name;
                }
}

TEST(Gaussian, ReachesEveryBinadeFromTheSmallestSubnormalToTheOverflowEdge) {
    for (const Type t : types) {
        const Rows r = rows_of(t, 64, "profile=gaussian/rows=4096");
        const Reached seen = reached(t, r);
        const int top = t == Type::fp16 ? 14 : 60;
        for (int e = smallest_exponent(t); e <= top; ++e)
            EXPECT_TRUE(seen.binades.count(e)) << name(t) << " 2^" << e;
        EXPECT_GT(seen.subnormal, 100) << name(t);
        EXPECT_EQ(seen.nan + seen.inf + seen.minus_inf, 0) << name(t);
        double largest = 0;
        std::map<int, int> scale;  // by the ratio of the mean square to eps, in steps of 2^4
        for (const auto& row : r.x) {
            largest = std::max(largest, sum(row));
            const double ratio = rms(row) * rms(row) / 1e-6;
            if (ratio > 0) ++scale[std::clamp(std::ilogb(ratio) / 4, -4, 6)];
        }
        EXPECT_LT(largest, 0x1.fffffep127) << "a sum overflows: that is what specials is for";
        if (t != Type::fp16) {
            EXPECT_GT(largest, 0x1p120);
        }
        for (int s = -4; s <= 6; ++s) EXPECT_GT(scale[s], 40) << name(t) << " ms/eps about 2^" << 4 * s;
    }
}

TEST(Outlier, HoldsMassiveActivationsInTheSameFewChannels) {
    for (const Type t : types) {
        const Rows r = rows_of(t, 1536, "profile=outlier/rows=64");
        std::map<std::size_t, int> channels;
        double least = 1e30, most = 0;
        for (auto row : r.x) {
            const auto peak = static_cast<std::size_t>(
                std::max_element(row.begin(), row.end(),
                                 [](float a, float b) { return std::fabs(a) < std::fabs(b); }) -
                row.begin());
            ++channels[peak];
            for (float& v : row) v = std::fabs(v);
            const auto m = row[peak];
            std::nth_element(row.begin(), row.begin() + 768, row.end());
            const double ratio = static_cast<double>(m) / static_cast<double>(row[768]);
            least = std::min(least, ratio);
            most = std::max(most, ratio);
        }
        EXPECT_GT(least, 1e2);
        EXPECT_GT(most, 1e4);
        EXPECT_LE(channels.size(), 12u) << name(t);
    }
}

TEST(Onehot, EveryColumnStandsOutInSomeRow) {
    for (const int d : {1, 5, 64, 513, 1536, 7168}) {
        const auto n = find_profile("onehot")->rows(d);
        const Rows r = rows_of(Type::bf16, d, "profile=onehot/rows=" + std::to_string(n));
        std::vector<int> stands(static_cast<std::size_t>(d));
        std::size_t alone = 0;
        for (const auto& row : r.x) {
            const auto nonzero = static_cast<std::size_t>(d) -
                                 static_cast<std::size_t>(std::count(row.begin(), row.end(), 0.0f));
            EXPECT_GE(nonzero, 1u);
            EXPECT_LE(nonzero, static_cast<std::size_t>((d + 15) / 16));
            alone += nonzero == 1;
            for (std::size_t j = 0; j < row.size(); ++j) stands[j] += row[j] != 0;
        }
        EXPECT_EQ(std::count(stands.begin(), stands.end(), 0), 0) << d;
        EXPECT_GE(alone, std::min<std::size_t>(3, r.x.size()));
        EXPECT_NE(r.x[static_cast<std::size_t>(std::min(d, 16))].back(), 0.0f);
    }
}

TEST(Spike, BeginsWithTheRowThatShowsPartialSums) {
    const Rows r = rows_of(Type::bf16, 7168, "profile=spike/rows=24");
    EXPECT_EQ(r.x[0][0], 4096.0f);
    EXPECT_EQ(std::count(r.x[0].begin(), r.x[0].end(), 1.0f), 7167);
    for (const auto& row : r.x) {
        float peak = 0;
        for (float v : row) peak = std::max(peak, std::fabs(v));
        EXPECT_GT(static_cast<double>(peak) / rms(row), 1.5);
    }
}

TEST(Specials, ReachesEveryClass) {
    for (const Type t : types) {
        const auto n = find_profile("specials")->rows(64);
        const Rows r = rows_of(t, 64, "profile=specials/rows=" + std::to_string(n));
        const Reached seen = reached(t, r);
        for (const int count :
             {seen.subnormal, seen.zero, seen.minus_zero, seen.nan, seen.inf, seen.minus_inf, seen.largest})
            EXPECT_GT(count, 0) << name(t);
        int zero = 0, subnormal = 0, square = 0, total = 0, nan_and_inf = 0, finite_beside_nan = 0;
        for (std::size_t i = 0; i < r.x.size(); ++i) {
            Reached one;
            float most = 0, s = 0;
            for (const float v : r.x[i]) {
                one.add(t, v);
                if (std::isfinite(v)) most = std::max(most, std::fabs(v));
                s += v * v;
            }
            const bool finite = !one.nan && !one.inf && !one.minus_inf;
            zero += one.zero == 64;
            subnormal += one.subnormal == 64;
            square += finite && std::isinf(most * most);
            total += finite && std::isinf(s) && !std::isinf(most * most);
            nan_and_inf += one.nan && one.inf;
            finite_beside_nan += finite && i && std::isnan(r.x[i - 1][0] + s * 0 + [&] {
                                     float a = 0;
                                     for (float v : r.x[i - 1]) a += v;
                                     return a;
                                 }());
        }
        EXPECT_GE(zero, 2);
        EXPECT_GE(subnormal, 2) << name(t);
        EXPECT_GE(nan_and_inf, 1);
        EXPECT_GE(finite_beside_nan, 1);
        if (t != Type::fp16) {
            EXPECT_GE(square, 2) << name(t);
            EXPECT_GE(total, 1) << name(t);
        }
    }
}

TEST(RandomBits, ReachesEveryExponentAndNaN) {
    for (const Type t : types) {
        const Rows r = rows_of(t, 64, "profile=random_bits/rows=4096");
        const Reached seen = reached(t, r);
        const int top = t == Type::fp16 ? 15 : 60;
        for (int e = with_format(t, [](auto f) { return f.emin; }) - 3; e <= top; ++e)
            EXPECT_TRUE(seen.binades.count(e)) << name(t) << " 2^" << e;
        EXPECT_GT(seen.subnormal, 100);
        EXPECT_GT(seen.nan, 10) << name(t);
        EXPECT_GT(seen.negative, 4096 * 24);
        int usable = 0;
        for (const auto& row : r.x) usable += std::isfinite(sum(row)) && sum(row) < 0x1p128;
        EXPECT_GT(usable, 4096 * 3 / 4) << name(t);
    }
}

TEST(Constant, OneValueARowAnySignificand) {
    const Rows r = rows_of(Type::bf16, 16, "profile=constant/rows=512");
    std::set<int> significands;
    for (const auto& row : r.x) {
        EXPECT_TRUE(std::all_of(row.begin(), row.end(), [&](float v) { return v == row[0]; }));
        significands.insert(static_cast<int>(encode(Type::bf16, row[0]) & 127));
    }
    EXPECT_GT(significands.size(), 110u);
}

TEST(GainRules, ReachWhatTheyAreFor) {
    const auto gains = [](Type t, const char* rule) {
        return rows_of(t, 4096, "profile=constant/gain=" + std::string(rule)).w;
    };
    for (const Type t : types) {
        for (const float v : gains(t, "ones")) EXPECT_EQ(v, 1.0f);
        for (const float v : gains(t, "pow2")) EXPECT_EQ(v, std::exp2(static_cast<float>(std::ilogb(v))));
        for (const float v : gains(t, "negative")) EXPECT_TRUE(v <= -0.5f && v >= -2.0f) << v;
        const auto coded = gains(t, "coded");
        for (std::size_t j = 0; j + 16 < coded.size(); ++j)
            for (const std::size_t shift : {1u, 2u, 8u, 15u, 16u}) EXPECT_NE(coded[j], coded[j + shift]) << j;
        int negative = 0, large = 0, small = 0, vanish = 0, subnormal = 0;
        for (const float v : gains(t, "random"))
            negative += v<0, large += std::fabs(v)> 2.5f, small += std::fabs(v) < 0.2f;
        EXPECT_TRUE(negative > 2 && negative < 64) << negative;
        EXPECT_GT(large, 4);
        EXPECT_GT(small, 10);
        for (const float v : gains(t, "one_plus")) vanish += v != 0 && round_to(Type::bf16, 1 + v) == 1;
        EXPECT_GT(vanish, 100);
        for (const float v : gains(t, "tiny"))
            subnormal += v != 0 && std::ilogb(v) < with_format(
                                                       t, [](auto f) { return f.emin; });
        EXPECT_GT(subnormal, 300) << name(t);
        EXPECT_EQ(gains(t, "master")[7], master_probe(t).w);
    }
}

}  // namespace
}  // namespace ulpgate
