// What a search and a run over every word say of a kernel, in a result.
#include "reports/table/maxima.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

fuzzing::ExhaustiveRun two_units() {
    fuzzing::ExhaustiveRun r;
    r.subject = "k", r.contracts = {"bf16,cast_first"}, r.gains = {1, 1.5}, r.units = 2;
    fuzzing::Unit u;
    u.words = 65536, u.worst_ulp = 0.5, u.worst = 0x3f80;
    r.done.push_back(u);
    u.gain = 1, u.worst_ulp = 1.25, u.worst = 0x3f81, u.inadmissible = 3;
    r.done.push_back(u);
    return r;
}

TEST(Maxima, EveryWordIsExhaustiveAndAPartOfThemIsASearch) {
    auto r = two_units();
    auto m = maxima_of(r);
    ASSERT_EQ(m.size(), 1u);
    EXPECT_EQ(m[0].count, "exhaustive 131072");
    EXPECT_EQ(m[0].value, 1.25);
    EXPECT_EQ(m[0].inadmissible, 3);
    EXPECT_EQ(m[0].type, Type::bf16);
    EXPECT_EQ(m[0].d, 1);
    EXPECT_NE(m[0].line.find("fill=0x1.02p+0"), std::string::npos) << m[0].line;
    EXPECT_NE(m[0].line.find("w.fill=0x1.8p+0"), std::string::npos) << m[0].line;
    r.done.pop_back();
    m = maxima_of(r);
    ASSERT_EQ(m.size(), 1u);
    EXPECT_EQ(m[0].count, "searched 65536") << "the second gain's words are not done";
}

TEST(Maxima, OfTheTable) {
    const auto t = built_in_worst();
    ASSERT_EQ(t.error, "");
    const auto m = maximum_of(t.rows.at(0));
    EXPECT_EQ(m.subject, t.rows[0].subject);
    EXPECT_EQ(m.value, t.rows[0].r_ulp32);
    EXPECT_TRUE(m.count.starts_with("searched ")) << m.count;
}

// A word that a contract does not allow fails the run that it is merged into.
TEST(Maxima, CountInTheExitCode) {
    Result r;
    EXPECT_EQ(exit_of(r), 5);
    r.maxima = maxima_of(two_units());
    EXPECT_EQ(exit_of(r), 1);
    r.maxima[0].inadmissible = 0;
    EXPECT_EQ(exit_of(r), 0);
}

}  // namespace
}  // namespace ulpgate
