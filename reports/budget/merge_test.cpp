#include "reports/budget/merge.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

Budget read(const std::string& path, const std::string& rest, const std::string& subject = "k") {
    auto r = parse_budget("schema = \"ulpgate.budget/1\"\nsubject = \"" + subject + "\"\n" + rest, path, "2026-01-01");
    EXPECT_EQ(r.error, "");
    return r.budget;
}
const std::string q_a = "[[limit]]\ncase = \"q_a_layernorm/bf16/1536\"\n", outlier = q_a + "profile = \"outlier\"\n";
const std::string known = "[[known]]\ncase = \"q_a_layernorm/bf16/1536\"\nwhy = \"t\"\n";

TEST(BudgetMerge, TakesTheSmallerLimitWithItsReason) {
    const auto a = read("a", q_a + "r_ulp32 = 3\nwhy = \"a\"\ncount = \"searched 1\"\nwitness = \"wa\"\n" + outlier + "ulp = 1.5\nwhy = \"a\"\n");
    const auto b = read("b", q_a + "r_ulp32 = 2.51\nwhy = \"b\"\ncount = \"searched 2\"\nwitness = \"wb\"\n[[limit]]\ncase = \"final_norm/f32/7168\"\nulp = 9\nwhy = \"b\"\n");
    for (const auto& order : {std::vector{a, b}, std::vector{b, a}}) {
        const auto m = merge_budgets(order);
        ASSERT_EQ(m.error, "");
        ASSERT_EQ(m.budget.limits.size(), 3u);
        for (const auto& l : m.budget.limits) {
            if (l.key == a.limits[0].key) {
                EXPECT_EQ(*l.r_ulp32, 2.5625);
                EXPECT_EQ(l.why + l.count + l.witness, "bsearched 2wb");
            }
        }
    }
    EXPECT_EQ(merge_budgets({a, b}).notes.size(), 1u);
    EXPECT_EQ(write_budget(merge_budgets({a, b}).budget), write_budget(merge_budgets({b, a}).budget));
}

TEST(BudgetMerge, QuantitiesAreTakenEachByItself) {
    const auto m = merge_budgets({read("a", q_a + "r_ulp32 = 3\nulp = 1\nwhy = \"a\"\n"), read("b", q_a + "r_ulp32 = 2\nulp = 4\nwhy = \"b\"\n"), read("c", q_a + "ulp = 2\nwhy = \"c\"\n")});
    EXPECT_EQ(*m.budget.limits[0].r_ulp32, 2);
    EXPECT_EQ(*m.budget.limits[0].ulp, 1);
    EXPECT_EQ(m.budget.limits[0].why, "a; b");
    // One file limits r, the other the output: both hold.
    const auto both = merge_budgets({read("a", q_a + "r_ulp32 = 3\nwhy = \"a\"\n"), read("b", q_a + "ulp = 4\nwhy = \"b\"\n")});
    EXPECT_EQ(*both.budget.limits[0].r_ulp32, 3);
    EXPECT_EQ(*both.budget.limits[0].ulp, 4);
    EXPECT_EQ(both.budget.limits[0].why, "a; b");
}

TEST(BudgetMerge, KnownFindingsEndOnTheEarlierDay) {
    const auto a = read("a", known + "finding = \"over\"\nuntil = 2026-05-01\n"), b = read("b", known + "finding = \"over\"\nuntil = 2026-04-01\n");
    EXPECT_EQ(merge_budgets({a, b}).budget.known.at(0).until, "2026-04-01");
    EXPECT_EQ(merge_budgets({b, a}).budget.known.at(0).until, "2026-04-01");
    const auto alone = merge_budgets({a, read("b", "")});
    EXPECT_EQ(alone.budget.known.size(), 1u);
    ASSERT_EQ(alone.notes.size(), 1u);
    EXPECT_NE(alone.notes[0].find("known in 1 of 2"), std::string::npos);
    const auto other = merge_budgets({a, read("b", known + "finding = \"inadmissible\"\nuntil = 2026-04-01\n")});
    EXPECT_EQ(other.error, "b:3: the known finding for q_a_layernorm/bf16/1536 is 'inadmissible', in a:3 it is 'over': keep one of them");
}

TEST(BudgetMerge, OneBudgetHasOneSubject) {
    const auto e = merge_budgets({read("a", ""), read("b", "", "other")}).error;
    EXPECT_EQ(e, "b: its subject is other, that of a is k: one budget has one subject");
}

}  // namespace
}  // namespace ulpgate
