#include "reports/result/result.hpp"

#include <gtest/gtest.h>

#include "reports/result/example_test.hpp"
#include "reports/result/printable.hpp"

namespace ulpgate {
namespace {

Group group(Verdict v, std::string op = "q_a_layernorm") {
    Group g;
    g.op = std::move(op);
    g.type = Type::bf16;
    g.verdict = v;
    if (fails(v)) {
        g.failures.emplace_back();
        g.failures.back().verdict = v;
    }
    return g;
}
Result run(std::vector<Group> groups) {
    Result r;
    r.groups = std::move(groups);
    return r;
}

// Each code alone.
TEST(ExitCode, EachVerdictAlone) {
    EXPECT_EQ(exit_of(run({group(Verdict::pass)})), 0);
    for (auto v : {Verdict::over, Verdict::inadmissible, Verdict::corrupted, Verdict::unstable}) EXPECT_EQ(exit_of(run({group(v)})), 1);
    EXPECT_EQ(exit_of(run({group(Verdict::crashed)})), 4);
    EXPECT_EQ(exit_of(run({group(Verdict::hung)})), 4);
    for (auto v : {Verdict::mistrusted, Verdict::unsupported}) EXPECT_EQ(exit_of(run({group(v)})), 6);
    for (auto v : {Verdict::refused, Verdict::skipped}) EXPECT_EQ(exit_of(run({group(v)})), 5);
    EXPECT_EQ(exit_of(run({})), 5);
}

TEST(ExitCode, TheGravestWins) {
    auto r = run({group(Verdict::pass), group(Verdict::mistrusted, "final_norm")});
    EXPECT_EQ(exit_of(r), 6);
    r.skipped.push_back({"avx512", "no AVX-512", true});
    EXPECT_EQ(exit_of(r), 6);
    r.groups.push_back(group(Verdict::inadmissible));
    EXPECT_EQ(exit_of(r), 1);
    r.groups.push_back(group(Verdict::hung));
    EXPECT_EQ(exit_of(r), 4);
    r.context.self_check_failed = 1;
    EXPECT_EQ(exit_of(r), 3);
    r.claim_missing = true;
    EXPECT_EQ(exit_of(r), 2);
    r.complete = false;
    EXPECT_EQ(exit_of(r), 130);
}

TEST(ExitCode, MistrustedCountsOnlyWhereNothingElseTestedTheOpAndType) {
    EXPECT_EQ(exit_of(run({group(Verdict::pass), group(Verdict::mistrusted)})), 0);
    auto other = group(Verdict::pass);
    other.type = Type::fp16;
    EXPECT_EQ(exit_of(run({other, group(Verdict::mistrusted)})), 6);
}

TEST(ExitCode, SkippingIsFatalOnlyWhereRequired) {
    auto r = run({group(Verdict::pass)});
    r.skipped.push_back({"avx512", "no AVX-512", false});
    EXPECT_EQ(exit_of(r), 0);
    r.skipped.back().required = true;
    EXPECT_EQ(exit_of(r), 5);
    r.not_loaded.push_back({"./x.so", "not an ELF file"});
    EXPECT_EQ(exit_of(r), 4);
}

TEST(ExitCode, AKnownFindingIsYellowAndAChangedOneRed) {
    auto r = run({group(Verdict::inadmissible)});
    r.groups[0].known = Known{"inadmissible", "ticket", "2030-01-01", "b.toml:3", false};
    EXPECT_EQ(exit_of(r), 0);
    r.groups[0].known->changed = true;
    EXPECT_EQ(exit_of(r), 1);
}

TEST(ExitCode, ACrashBesideAnotherFailureOfTheSameGroup) {
    auto g = group(Verdict::inadmissible);
    g.failures.push_back({});
    g.failures.back().verdict = Verdict::crashed;
    EXPECT_EQ(exit_of(run({g})), 4);
}

TEST(ExitCode, ACaseThatCannotBeMadeOrComesOutOtherwise) {
    auto r = run({group(Verdict::crashed), group(Verdict::pass)});
    r.groups[1].other_tensors_cases = 1;
    EXPECT_EQ(exit_of(r), 3);
    r.groups[1].unreadable_cases = 1;
    EXPECT_EQ(exit_of(r), 2);
}

TEST(Totals, CountGroupsByVerdictAndWhatDidNotRun) {
    auto r = run({group(Verdict::pass), group(Verdict::pass), group(Verdict::over)});
    r.skipped.push_back({"avx512", "no AVX-512", false});
    r.not_loaded.push_back({"./x.so", "not an ELF file"});
    const auto t = totals(r);
    ASSERT_EQ(t.size(), 4u);
    EXPECT_EQ(t[0], (std::pair<std::string, std::int64_t>("over", 1)));
    EXPECT_EQ(t[1], (std::pair<std::string, std::int64_t>("pass", 2)));
    EXPECT_EQ(t[2], (std::pair<std::string, std::int64_t>("skipped", 1)));
    EXPECT_EQ(t[3], (std::pair<std::string, std::int64_t>("not loaded", 1)));
}

// Names that come in through a file reach a terminal as little as those of the command line.
TEST(Printable, TablesOfAnalysesAreCleanToo) {
    auto r = example::run();
    r.stages[0].subject = r.stages[0].how = r.stages[0].lines[0].line = r.eps[0].source = "a\x1b[2J";
    const auto p = printable(r);
    for (const auto& s : {p.stages[0].subject, p.stages[0].how, p.stages[0].lines[0].line, p.eps[0].source, p.eps[1].subject, p.maxima[1].subject})
        EXPECT_EQ(s.find('\x1b'), s.npos) << s;
}

}  // namespace
}  // namespace ulpgate
