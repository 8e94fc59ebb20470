#include "reports/budget/update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

const std::string file = R"(# agreed in May: see the wiki
schema = "ulpgate.budget/1"
subject = "k"      # µ-kernel

[[limit]]          # the latent
case = "q_a_layernorm/bf16/1536"
why = "release 1.4"   # ask Ann
r_ulp32 = 3.5      # not more
count = "searched 9"

[[limit]]
case = "final_norm/f32/7168"
profile = "outlier"
ulp = 8
why = "é: agreed"; # no TOML after a value but a comment
)";
std::string good() {
    auto s = file;
    return s.replace(s.find(';'), 1, " ");
}

Budget read(const std::string& content) {
    auto r = parse_budget(content, "b.toml", "2026-01-01");
    EXPECT_EQ(r.error, "");
    return r.budget;
}
BudgetNumber number(double v, std::string count, std::string quantity = "r_ulp32") {
    return {read(good()).limits[quantity == "ulp"].key, quantity, v, std::move(count), "q_a_layernorm/bf16/1536/profile=outlier/row=3"};
}
BudgetUpdate update(std::vector<BudgetNumber> n, bool loosen = false) { return update_budget(good(), read(good()), n, loosen); }
double limit_after(std::vector<BudgetNumber> n, bool loosen = false) {
    const auto u = update(std::move(n), loosen);
    EXPECT_EQ(u.error, "");
    return *read(u.content).limits[0].r_ulp32;
}

TEST(BudgetUpdate, TheGridRoundsUp) {
    EXPECT_EQ(grid_up(2.5), 2.5);
    EXPECT_EQ(grid_up(2.5 + 1e-9), 2.5625);
    EXPECT_EQ(grid_up(0), 0);
    EXPECT_EQ(grid_up(1e-9), 0.0625);
}

TEST(BudgetUpdate, OnlyWhatSawEverythingLowers) {
    EXPECT_EQ(limit_after({number(2.6, "sampled 512")}), 3.5);
    EXPECT_EQ(limit_after({number(2.6, "searched 1000000")}), 2.625);
    EXPECT_EQ(limit_after({number(2.6, "exhaustive")}), 2.625);
    EXPECT_EQ(limit_after({number(2.6, "proven")}), 2.625);
    EXPECT_EQ(limit_after({number(2.6, "")}), 3.5);
    const auto u = update({number(2.6, "sampled 512")});
    EXPECT_FALSE(u.changed);
    EXPECT_EQ(u.content, good());
    ASSERT_EQ(u.lines.size(), 1u);
    EXPECT_EQ(u.lines[0], "b.toml:5: r_ulp32 stays 3.5: sampled 512 reached 2.6, and only a search, all words or a proof lowers a limit");
}

TEST(BudgetUpdate, ASampleThatIsWorseThanTheSearchHoldsTheLimitUp) {
    EXPECT_EQ(limit_after({number(2.6, "searched 1000000"), number(3.1, "sampled 512")}), 3.125);
    EXPECT_EQ(limit_after({number(2.6, "searched 1000000"), number(3.5, "sampled 512")}), 3.5);
    EXPECT_EQ(limit_after({number(2.6, "searched 1000000"), number(40, "proven")}), 2.625);
}

TEST(BudgetUpdate, ItRisesOnlyWhereThatIsAskedFor) {
    for (const char* count : {"sampled 4", "searched 4", "exhaustive"}) {
        EXPECT_EQ(limit_after({number(3.51, count)}), 3.5) << count;
        EXPECT_EQ(limit_after({number(3.51, count)}, true), 3.5625) << count;
    }
    const auto u = update({number(3.51, "sampled 4")});
    EXPECT_NE(u.lines.at(0).find("3.51 is above it: repair the kernel, or --allow-loosen"), std::string::npos) << u.lines[0];
    // What is no number is above every limit, and no limit holds it.
    for (const double v : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        EXPECT_EQ(limit_after({number(v, "sampled 4"), number(1, "searched 4")}, true), 3.5);
        EXPECT_NE(update({number(v, "sampled 4")}, true).lines.at(0).find("no limit holds it"), std::string::npos);
    }
}

TEST(BudgetUpdate, CommentsOrderAndSpacesStay) {
    const auto u = update({number(2.6, "searched 77"), number(1.01, "exhaustive", "ulp")});
    EXPECT_EQ(u.error, "");
    auto want = good();
    const auto put = [&](const std::string& from, const std::string& to) { want.replace(want.find(from), from.size(), to); };
    put("r_ulp32 = 3.5 ", "r_ulp32 = 2.625 ");
    put("count = \"searched 9\"", "count = \"searched 77\"");
    put("# ask Ann\n", "# ask Ann\nwitness = \"q_a_layernorm/bf16/1536/profile=outlier/row=3\"\n");
    put("ulp = 8\n", "ulp = 1.0625\ncount = \"exhaustive\"\n");
    want += "witness = \"q_a_layernorm/bf16/1536/profile=outlier/row=3\"\n";
    EXPECT_EQ(u.content, want);
    const auto b = read(u.content);
    EXPECT_EQ(b.limits[0].count, "searched 77");
    EXPECT_EQ(b.limits[1].witness, "q_a_layernorm/bf16/1536/profile=outlier/row=3");
}

TEST(BudgetUpdate, BothQuantitiesOfOneEntry) {
    const std::string both = "schema = \"ulpgate.budget/1\"\nsubject = \"k\"\n[[limit]]\ncase = \"q_a_layernorm/bf16/1536\"\nr_ulp32 = 9\nulp = 9\nwhy = \"x\"\ncount = \"sampled 1\"";
    const auto u = update_budget(both, read(both), {number(2, "searched 5"), number(3, "searched 6", "r_ulp32")}, false);
    EXPECT_EQ(*read(u.content).limits[0].r_ulp32, 3);
    auto ulp = number(1.3, "searched 7");
    ulp.quantity = "ulp";
    const auto two = update_budget(both, read(both), {number(2, "searched 5"), ulp}, false);
    EXPECT_EQ(two.error, "");
    EXPECT_EQ(*read(two.content).limits[0].r_ulp32, 2);
    EXPECT_EQ(*read(two.content).limits[0].ulp, 1.3125);
    EXPECT_EQ(read(two.content).limits[0].count, "searched 7");
}

// One line holds two limits: the place of an edit is not certain, so nothing is changed and that is said.
TEST(BudgetUpdate, AFormThatCannotBeEditedIsRefused) {
    const std::string one = "schema = \"ulpgate.budget/1\"\nsubject = \"k\"\nlimit = [{case = \"kv_a_layernorm/bf16/512\", r_ulp32 = 9, why = \"x\"}, "
                            "{case = \"q_a_layernorm/bf16/1536\", r_ulp32 = 9, why = \"x\"}]\n";
    const auto u = update_budget(one, read(one), {number(2, "searched 5")}, false);
    EXPECT_NE(u.error.find("ulpgate budget merge b.toml"), std::string::npos) << u.error;
    EXPECT_EQ(u.content, one);
    EXPECT_FALSE(u.changed);
}

TEST(BudgetWrite, ReadsBackSortedAndEscaped) {
    const auto b = read("schema = \"ulpgate.budget/1\"\nsubject = 'a\"b\\c'\n[[limit]]\ncase = \"q_a_layernorm/bf16/1536\"\nulp = 1.5\nwhy = \"\"\"two\nlines\"\"\"\n"
                        "[[limit]]\ncase = \"final_norm/bf16/7168\"\ncontract = \"cast_first\"\ntarget = \"avx2\"\nprofile = \"onehot\"\nr_ulp32 = 2\nwhy = \"x\"\n"
                        "[[known]]\ncase = \"q_a_layernorm/bf16/1536\"\nfinding = \"over\"\nwhy = \"t\"\nuntil = 2026-03-04\n");
    const auto text = write_budget(b);
    EXPECT_LT(text.find("final_norm"), text.find("q_a_layernorm"));
    const auto back = read(text);
    EXPECT_EQ(write_budget(back), text);
    EXPECT_EQ(back.subject, "a\"b\\c");
    EXPECT_EQ(back.limits[1].why, "two\nlines");
    EXPECT_EQ(back.limits[0].key, b.limits[1].key);
    EXPECT_EQ(back.known[0].until, "2026-03-04");
}

}  // namespace
}  // namespace ulpgate
