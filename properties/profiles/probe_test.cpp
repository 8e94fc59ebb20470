// Each designed profile reaches what it is for: decided by formats, the oracle and exact sums, not by the
// generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "properties/cases/rows_test.hpp"
#include "properties/profiles/gains.hpp"
#include "reference/admissible/sum_bound.hpp"
#include "reference/exact/dyadic.hpp"
#include "reference/oracle/oracle.hpp"

namespace ulpgate {
namespace {

TEST(EpsLadder, HoldsTheConstantRowsOfTheTableAndZeros) {
    const Rows r = rows_of(Type::bf16, 8, "profile=eps_ladder/rows=75/eps=0x1.8p-19");  // 3 2^-20
    const auto constant = [&](float v) {
        return std::any_of(r.x.begin(), r.x.end(), [v](const auto& row) {
            return std::all_of(row.begin(), row.end(), [v](float e) { return e == v; });
        });
    };
    EXPECT_TRUE(constant(0x1p-10f));
    EXPECT_TRUE(constant(0x1p-20f));
    EXPECT_TRUE(constant(0.0f));
    for (const Type t : types) {
        const Rows wide = rows_of(t, 512, "profile=eps_ladder/rows=75");
        int integer = 0, below = 0, above = 0;
        for (const auto& row : wide.x) {
            integer += sum(row) > 0 && integer_row(row, sum(row)) &&
                       *std::max_element(row.begin(), row.end()) != *std::min_element(row.begin(), row.end());
            below += rms(row) * rms(row) < 1e-6 / 256;
            above += rms(row) * rms(row) > 1e-6 * 256;
        }
        EXPECT_GE(integer, 20) << name(t);
        EXPECT_GE(below, 20) << name(t);
        EXPECT_GE(above, 6) << name(t);
    }
}

TEST(Integer, SumsTheSameInEveryOrder) {
    for (const Type t : types)
        for (const int d : {1, 7, 512, 7168}) {
            const Rows r = rows_of(t, d, "profile=integer/rows=32");
            int small = 0;
            for (const auto& row : r.x) {
                ASSERT_TRUE(integer_row(row, sum(row))) << name(t) << " " << d;
                float up = 0, down = 0;
                for (const float v : row) up += v * v;
                for (auto v = row.rbegin(); v != row.rend(); ++v) down = std::fma(*v, *v, down);
                EXPECT_EQ(up, down);
                EXPECT_EQ(static_cast<double>(up), sum(row));
                small += rms(row) * rms(row) < 16e-6;
                if (d >= 512) {
                    EXPECT_GT(std::set<float>(row.begin(), row.end()).size(), 40u);
                }
            }
            EXPECT_GE(small, 4) << name(t);
            EXPECT_LE(small, 28) << name(t);
        }
}

// An error of r of 2.1 half-widths of the contract's set shows in some output; Gaussian rows hardly ever show
// it.
TEST(Threshold, ShowsTheSmallestErrorOfRThatIsNotAllowed) {
    constexpr double off = 2.1 * 6.6 * 0x1p-24;
    const auto shows = [](Type t, const Rows& r, const std::vector<float>& x) {
        const double s = ideal_r(x, 1e-6);
        for (const double moved : {s * (1 + off), s * (1 - off)})
            for (std::size_t j = 0; j < x.size(); ++j) {
                const double v = static_cast<double>(x[j]), w = static_cast<double>(r.w[j]);
                if (round_to(t, v * s) != round_to(t, v * moved) ||
                    round_to(t, v * w * s) != round_to(t, v * w * moved))
                    return true;
            }
        return false;
    };
    for (const Type t : {Type::bf16, Type::fp16})
        for (const int d : {64, 1536}) {
            const Rows probes = rows_of(t, d, "profile=threshold/rows=64"),
                       plain = rows_of(t, d, "profile=gaussian/rows=64");
            int seen = 0, by_chance = 0, small = 0;
            for (const auto& row : probes.x) {
                EXPECT_TRUE(integer_row(row, sum(row)));
                seen += shows(t, probes, row);
                small += rms(row) * rms(row) < 16e-6;
            }
            for (const auto& row : plain.x) by_chance += shows(t, plain, row);
            EXPECT_GE(seen, 61) << name(t) << " " << d;
            if (d == 64) {
                EXPECT_LT(by_chance, 32) << name(t);
            }
            EXPECT_GE(small, 6) << name(t);
        }
}

TEST(Absorption, LosesAndDoublesTheSmallSquares) {
    for (const Type t : types) {
        const Rows r = rows_of(t, 1536, "profile=absorption/rows=64");
        int lost = 0, doubled = 0;
        for (const auto& row : r.x) {
            float s = 0;
            for (const float v : row) s += v * v;
            const double error = (static_cast<double>(s) - sum(row)) / sum(row) * 0x1p24;
            lost += error < -1000;
            doubled += error > 1000;
        }
        EXPECT_GE(lost, 2) << name(t);
        EXPECT_GE(doubled, 1) << name(t);
    }
}

// S/d + eps = 4^k exactly, decided by integers, and w x at a midpoint of the type.
TEST(Ties, AreExactOrMissedByOneSubnormal) {
    for (const Type t : types) {
        const Rows r =
            rows_of(t, 512, "profile=ties/rows=32/eps=" + std::string(t == Type::fp16 ? "0x1p-20" : "1e-6"));
        const double eps = r.tensors.eps;
        int exact = 0, missed = 0, tied = 0;
        for (const auto& row : r.x) {
            const double four = std::exp2(2 * std::round(std::log2(rms(row) * rms(row) + eps) / 2));
            const Dyadic have = exact_sum_of_squares(row) + dyadic(eps) * dyadic(512),
                         want = dyadic(512 * four);
            const Dyadic tiny = dyadic(std::exp2(smallest_exponent(t)));
            exact += compare(have, want) == 0;
            missed += compare(have, want + tiny * tiny) == 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                const double product = std::fabs(static_cast<double>(row[j]) * static_cast<double>(r.w[j]));
                if (product == 0) continue;
                const double steps = product * std::exp2(precision(t) - 1 - std::ilogb(product));
                tied += steps - std::floor(steps) == 0.5;
            }
        }
        EXPECT_EQ(exact + missed, 32) << name(t);
        EXPECT_GE(exact, 6) << name(t);
        EXPECT_GE(missed, 6) << name(t);
        EXPECT_GT(tied, 32 * 512 * 8 / 10) << name(t);
    }
}

TEST(Coherent, EverySumOfARowRoundsOneWay) {
    for (const Type t : types) {
        const Rows r = rows_of(t, 64, "contract=residual=rounded/profile=coherent/rows=16");
        int up = 0, down = 0;
        for (std::size_t i = 0; i < r.x.size(); ++i) {
            std::set<double> errors;
            for (std::size_t j = 0; j < 64; ++j) {
                const double exact = static_cast<double>(r.x[i][j]) + static_cast<double>(r.residual[i][j]);
                const double ulp = std::exp2(std::ilogb(static_cast<double>(r.x[i][j])) - precision(t) + 1);
                errors.insert((std::fabs(static_cast<double>(round_to(t, exact))) - std::fabs(exact)) / ulp);
            }
            ASSERT_EQ(errors.size(), 1u) << name(t);
            up += *errors.begin() == 31.0 / 64;
            down += *errors.begin() == -31.0 / 64;
        }
        EXPECT_EQ(up + down, 16);
        EXPECT_GE(std::min(up, down), 3);
    }
}

TEST(Master, GivesTheRecordedOutputs) {
    struct Want {
        Type t;
        std::uint32_t even, odd;
    };
    for (const auto& [t, even, odd] : {Want{Type::bf16, 0x3fc1, 0x3fd5}, Want{Type::fp16, 0x3c0d, 0x3c31}})
        for (const int d : {2, 128, 7168}) {
            const Rows r = rows_of(t, d, "profile=master/rows=4");
            for (const auto& row : r.x) {
                std::vector<std::uint32_t> y(row.size());
                oracle_row(Oracle::cast_first, {t, t, t}, row, r.w, 1e-6, y);
                EXPECT_EQ(y[0], even);
                EXPECT_EQ(y[1], odd);
            }
        }
}

}  // namespace
}  // namespace ulpgate
