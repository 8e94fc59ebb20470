// --changed-list: paths to subjects, on their own and end to end.
#include "reports/cli/changed.hpp"

#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

struct GlobCase {
    const char *pattern, *path;
    bool matches;
};
class Glob : public testing::TestWithParam<GlobCase> {};
TEST_P(Glob, IsReadAsGitignoreDoes) { EXPECT_EQ(cli::glob_matches(GetParam().pattern, GetParam().path), GetParam().matches) << GetParam().pattern << " on " << GetParam().path; }
// Each line was held against `git check-ignore --no-index` of git 2.39.
INSTANTIATE_TEST_SUITE_P(Patterns, Glob,
                         testing::Values(GlobCase{"src/norm.cu", "src/norm.cu", true}, GlobCase{"src/*.cu", "src/norm.cu", true}, GlobCase{"src/*.cu", "src/a/norm.cu", false},
                                         GlobCase{"src/**/*.cu", "src/norm.cu", true}, GlobCase{"src/**/*.cu", "src/a/b/norm.cu", true}, GlobCase{"src/**", "src/a/b", true},
                                         GlobCase{"src/**", "srcs/a", false}, GlobCase{"**/norm.h", "norm.h", true}, GlobCase{"**/norm.h", "a/b/norm.h", true},
                                         GlobCase{"*.md", "README.md", true}, GlobCase{"*.md", "docs/a.md", true}, GlobCase{"/*.md", "docs/a.md", false}, GlobCase{"/*.md", "README.md", true},
                                         GlobCase{"docs", "docs/a/b.md", true}, GlobCase{"docs/", "docs/a/b.md", true}, GlobCase{"docs/", "docs", false}, GlobCase{"docs/", "a/docs/b", true},
                                         GlobCase{"a?c", "abc", true}, GlobCase{"a?c", "a/c", false}, GlobCase{"src/norm", "src/norm/x.c", true}, GlobCase{"src/norm", "src/norms.c", false},
                                         GlobCase{"a/**/b", "a/b", true}, GlobCase{"a/**/b", "a/x/y/b", true}, GlobCase{"a/**/b", "ab", false}));

TEST(ChangedPaths, AreReadAsGitWritesThem) {
    EXPECT_EQ(cli::read_paths("a.c\r\n./b c.c\n\n\"k\\303\\244se \\\"1\\\".c\"\n"), (std::vector<std::string>{"a.c", "b c.c", "k\xc3\xa4se \"1\".c"}));
    EXPECT_EQ(cli::read_paths(std::string_view("a\nb\0\"c\"\0", 8)), (std::vector<std::string>{"a\nb", "\"c\""}));
    EXPECT_TRUE(cli::read_paths("").empty());
}

TEST(Concerned, APathThatNoEntryKnowsConcernsAll) {
    const std::vector<cli::ChangeRule> rules{{{"a/"}, {"scalar", "avx2"}, ""}, {{"b/"}, {"avx2", "ptx"}, ""}, {{"*.md"}, {}, ""}};
    const auto of = [&](std::vector<std::string> paths) { return cli::concerned(rules, paths, "list").subjects; };
    EXPECT_EQ(of({"b/1"}), (std::vector<std::string>{"avx2", "ptx"}));
    EXPECT_EQ(of({"b/1", "a/1"}), (std::vector<std::string>{"scalar", "avx2", "ptx"}));
    EXPECT_EQ(of({"a/x.md"}), (std::vector<std::string>{"scalar", "avx2"})) << "every entry that matches counts, not the first alone";
    EXPECT_EQ(of({"x.md"}), std::vector<std::string>{});
    EXPECT_EQ(of({"x.md", "Makefile"}), (std::vector<std::string>{"scalar", "avx2", "ptx"}));
}

const char* const settings = "op = [\"q_a_layernorm\"]\ntype = [\"bf16\"]\nd = [64]\nrows = 2\n[[changed]]\npaths = [\"src/scalar/**\"]\nsubjects = [\"scalar\"]\n"
                             "[[changed]]\npaths = [\"src/hand/\"]\nsubjects = [\"byhand/right\"]\n[[changed]]\npaths = [\"*.md\", \"LICENSE\"]\nsubjects = []\n";

TEST(ChangedList, JudgesWhatThePathsConcern) {
    const Folder f;
    f.write("ulpgate.toml", settings);
    const auto subjects = [&](const std::string& paths) {
        f.write("changed.txt", paths);
        const auto r = ulpgate(f, {"gate", "--changed-list", "changed.txt", "--json", "run.json"});
        EXPECT_EQ(r.exit, 0) << r.both();
        std::string s;
        const auto run = json_of(slurp(f / "run.json"));
        for (const auto& k : run["subjects"]) s += k["subject"].get<std::string>() + " ";
        return std::pair(s, r.out);
    };
    EXPECT_EQ(subjects("src/scalar/a/b.c\nREADME.md\n").first, "scalar ");
    EXPECT_EQ(subjects("src/hand/b.c\n").first, "byhand/right ");
    const auto [all, says] = subjects("CMakeLists.txt\nREADME.md\n");
    EXPECT_EQ(all, "scalar byhand/right ");
    EXPECT_NE(says.find("no [[changed]] entry knows CMakeLists.txt: every subject"), std::string::npos) << says;
}

TEST(ChangedList, WhatConcernsNoSubjectIsSaidAndNoFailure) {
    const Folder f;
    f.write("ulpgate.toml", settings);
    f.write("changed.txt", "docs/a.md\nLICENSE\n");
    const auto r = ulpgate(f, {"gate", "--changed-list", "changed.txt", "--json", "run.json", "--junit", "run.xml"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("docs/a.md, LICENSE concern no subject: nothing to judge"), std::string::npos) << r.out;
    const auto j = json_of(slurp(f / "run.json"));
    EXPECT_EQ(j["exit"], 0);
    EXPECT_TRUE(j["results"].empty());
    EXPECT_EQ(ulpgate(f, {"report", "run.json"}).exit, 0);

    f.write("changed.txt", "\n");
    const auto empty = ulpgate(f, {"gate", "--changed-list", "changed.txt"});
    EXPECT_EQ(empty.exit, 5) << empty.both();
    EXPECT_NE(empty.out.find("holds no path: nothing to judge"), std::string::npos) << empty.out;
}

TEST(ChangedList, SaysWhatItCannotUse) {
    const Folder f;
    const auto says = [&](const std::string& toml, std::vector<std::string> args, std::string_view part) {
        f.write("ulpgate.toml", toml);
        const auto r = ulpgate(f, std::move(args));
        EXPECT_EQ(r.exit, 2) << r.both();
        EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    };
    f.write("changed.txt", "a\n");
    const std::vector<std::string> gate{"gate", "--changed-list", "changed.txt"};
    says("seed = 1\n", gate, "--changed-list: ./ulpgate.toml has no [[changed]] entry");
    says(settings, {"gate", "scalar", "--changed-list", "changed.txt"}, "'scalar' is too much");
    says(settings, {"gate", "--changed-list", "gone.txt"}, "gone.txt: No such file");
    says("changed = 3\n", gate, "ulpgate.toml:1: 'changed' is an integer, entries [[changed]] are needed");
    says("[[changed]]\npaths = [\"a\"]\n", gate, "ulpgate.toml:1: a [[changed]] entry needs paths");
    says("\n[[changed]]\npaths = []\nsubjects = []\n", gate, "ulpgate.toml:2: paths is empty");
    says("[[changed]]\npath = [\"a\"]\nsubjects = []\n", gate, "unknown key 'path' in [[changed]], did you mean 'paths'?");
    says("[[changed]]\npaths = [3]\nsubjects = []\n", gate, "paths holds an integer");
    says("[[changed]]\npaths = [\"!a\"]\nsubjects = []\n", gate, "'!a': a pattern that takes others back");
    says("[[changed]]\npaths = [\"a\"]\nsubjects = [\"faulty/eps.nonne\"]\n", gate, "did you mean 'eps.none'?");
}

}  // namespace
}  // namespace ulpgate::testing_cli
