// Budgets as a user keeps them: --update-budget, --allow-loosen, budget merge, and what cannot be read.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

const std::string head = "# ours\nschema = \"ulpgate.budget/1\"\nsubject = \"scalar\"\n";
std::string entry(const std::string& limit) { return "[[limit]]\ncase = \"q_a_layernorm/bf16/64\"\n" + limit + "  # mine\nwhy = \"agreed\"\n"; }

Ran gate(const Folder& f, std::vector<std::string> more) {
    std::vector<std::string> args{"gate", "scalar", "--op", "q_a_layernorm", "--type", "bf16", "--d", "64", "--contract", "cast_first", "--budget", "b.toml"};
    args.insert(args.end(), more.begin(), more.end());
    return ulpgate(f, args);
}

TEST(Budget, UpdatingLowersByProofAndNeverBySamples) {
    const Folder f;
    f.write("b.toml", head + entry("r_ulp32 = 20"));
    auto r = gate(f, {"--update-budget"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("only a search, all words or a proof lowers a limit"), std::string::npos) << r.out;
    EXPECT_EQ(slurp(f / "b.toml"), head + entry("r_ulp32 = 20"));

    f.write("b.toml", head + entry("r_ulp32 = 2000"));
    r = gate(f, {"--update-budget"});
    EXPECT_NE(r.out.find("lowered from 2000 to "), std::string::npos) << r.out;
    const auto text = slurp(f / "b.toml");
    EXPECT_NE(text.find("count = \"proven\""), std::string::npos) << text;
    EXPECT_NE(text.find("  # mine\n"), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with("# ours\n"));
    EXPECT_NE(gate(f, {"--update-budget"}).out.find("b.toml: nothing to change"), std::string::npos);
}

TEST(Budget, LooseningIsAskedFor) {
    const Folder f;
    f.write("b.toml", head + entry("r_ulp32 = 0.0625"));
    auto r = gate(f, {"--update-budget"});
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_NE(r.out.find("repair the kernel, or --allow-loosen"), std::string::npos) << r.out;
    EXPECT_EQ(slurp(f / "b.toml"), head + entry("r_ulp32 = 0.0625"));
    r = gate(f, {"--update-budget", "--allow-loosen"});
    EXPECT_EQ(r.exit, 0) << r.both();
    const auto text = slurp(f / "b.toml");
    EXPECT_NE(text.find("count = \"sampled "), std::string::npos) << text;
    const auto at = text.find("witness = \"");
    ASSERT_NE(at, std::string::npos) << text;
    // Its witness replays, and the limit holds exactly from then on.
    const auto witness = text.substr(at + 11, text.find('"', at + 11) - at - 11);
    EXPECT_EQ(ulpgate(f, {"replay", "scalar", witness}).exit, 0) << witness;
    EXPECT_EQ(gate(f, {}).exit, 0);
}

TEST(Budget, FlagsThatNeedAnotherSaySo) {
    const Folder f;
    EXPECT_NE(ulpgate(f, {"gate", "scalar", "--update-budget"}).err.find("give --budget FILE"), std::string::npos);
    f.write("b.toml", head);
    EXPECT_NE(gate(f, {"--allow-loosen"}).err.find("goes with --update-budget"), std::string::npos);
}

TEST(Budget, MergeWritesTheSmallerLimit) {
    const Folder f;
    f.write("a.toml", head + entry("r_ulp32 = 3"));
    f.write("b.toml", head + entry("r_ulp32 = 2.6"));
    auto r = ulpgate(f, {"budget", "merge", "a.toml", "b.toml"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("r_ulp32 = 2.625\n"), std::string::npos) << r.out;
    EXPECT_NE(r.err.find("a.toml: its comments are not carried over"), std::string::npos) << r.err;
    r = ulpgate(f, {"budget", "merge", "a.toml", "b.toml", "-o", "a.toml"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(slurp(f / "a.toml").find("r_ulp32 = 2.625\n"), std::string::npos);
    EXPECT_EQ(gate(f, {"--budget", "a.toml"}).exit, 0);
}

TEST(Budget, WhatCannotBeReadIsToldWithWhatToDo) {
    const Folder f;
    f.write("new.toml", "schema = \"ulpgate.budget/2\"\nsubject = \"scalar\"\n");
    f.write("other.toml", "schema = \"ulpgate.budget/1\"\nsubject = \"avx2\"\n");
    f.write("a.toml", head);
    const auto expect = [&](const std::vector<std::string>& args, const char* part) {
        const auto r = ulpgate(f, args);
        EXPECT_EQ(r.exit, 2) << r.both();
        EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
        EXPECT_EQ(r.out, "");
    };
    expect({"budget", "merge", "a.toml", "new.toml"}, "new.toml:1: schema 'ulpgate.budget/2': this program reads ulpgate.budget/1; judge with the ulpgate that wrote it");
    expect({"budget", "merge", "a.toml", "none.toml"}, "none.toml: No such file or directory: a budget is a TOML file that begins with schema");
    expect({"budget", "merge", "a.toml", "other.toml"}, "one budget has one subject");
    expect({"budget", "merge"}, "which budgets?");
    expect({"budget", "mrege", "a.toml"}, "did you mean 'merge'?");
    expect({"budget", "merge", "a.toml", "-o", "nowhere/x.toml"}, "nowhere/x.toml: No such file or directory");
    expect({"gate", "scalar", "--budget", "new.toml"}, "judge with the ulpgate that wrote it");
    expect({"gate", "scalar", "--budget", "none.toml"}, "none.toml: No such file or directory");
}

}  // namespace
}  // namespace ulpgate::testing_cli
