// The query path's error budget on subjects whose arithmetic is known.
#include "reports/stages/query_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/cli/process_test.hpp"

namespace ulpgate {
namespace {

std::vector<StageTable> tables(std::string subject, std::string contract, std::string op = "mla_query", std::string type = "bf16") {
    RunRequest r;
    r.options.home = ULPGATE_HOME;
    r.subjects.push_back({std::move(subject), {}});
    r.contracts = {std::move(contract)};
    r.filter.ops = {std::move(op)};
    r.filter.types = {std::move(type)};
    r.filter.profiles = {"random"};
    r.filter.d = {200};
    r.filter.seed = 7;
    Result result;
    auto s = stage_tables(r, "", result);
    EXPECT_EQ(s.error, "");
    EXPECT_FALSE(s.tables.empty()) << (result.notes.empty() ? "" : result.notes[0]);
    return std::move(s.tables);
}

// Shares add up to 1, each line stays within what its contract allows, and the whole is no more than the lines together.
void hold(const StageTable& t) {
    double share = 0, most = 0, bias = 0;
    for (const auto& l : t.lines) {
        share += l.share, most += l.worst_ulp, bias += l.bias_ulp;
        EXPECT_LE(l.worst_ulp, l.allowed_ulp) << l.stage;
        std::int64_t counted = 0;
        for (const auto& [octave, n] : l.by_size) counted += n;
        EXPECT_EQ(counted, t.elements) << l.stage;
        EXPECT_NE(l.line.find("profile=random"), std::string::npos) << l.stage;
    }
    EXPECT_NEAR(share, 1, 1e-12);
    EXPECT_NEAR(bias, t.bias_ulp, 1e-12);
    EXPECT_LE(t.worst_ulp, most);
    EXPECT_GT(t.worst_ulp, 0);
}

TEST(QueryTable, TheScalarKernelIsTakenApart) {
    const auto all = tables("scalar_query", "bf16,cast_first");
    ASSERT_EQ(all.size(), 2u) << "with a rank and without";
    const auto& t = all[0];
    hold(t);
    hold(all[1]);
    ASSERT_EQ(t.lines.size(), 11u);
    EXPECT_NE(t.how.find("sequential"), std::string::npos) << t.how;
    // In bf16 the four roundings to T are the error: each uniform in half an ulp, those before a sum carried by many terms.
    EXPECT_GT(t.lines[1].share + t.lines[7].share + t.lines[8].share + t.lines[10].share, 0.999);
    EXPECT_LE(t.lines[10].worst_ulp, 0.5);
    EXPECT_NEAR(t.lines[10].rms_ulp, 0.2, 0.1);
    EXPECT_GT(t.lines[2].worst_ulp32, 0);
    EXPECT_LE(t.lines[2].worst_ulp32, t.lines[2].allowed_ulp32);
    ASSERT_EQ(all[1].lines.size(), 2u);
}

TEST(QueryTable, AHeadHasASumAndACast) {
    const auto all = tables("scalar_query", "bf16,cast_first", "head");
    ASSERT_EQ(all.size(), 1u);
    hold(all[0]);
    ASSERT_EQ(all[0].lines.size(), 2u);
    EXPECT_EQ(all[0].lines[0].stage, "sum");
    EXPECT_GT(all[0].lines[1].share, 0.99);
}

// Sums in partials of an order that no candidate has: from its taps each projection and the norm are one line.
TEST(QueryTable, AnUnknownOrderIsReadFromTheTaps) {
    const auto all = tables("model/f32,cast_first,a.order=lanes:5x3,b.order=lanes:3x2,taps=out", "f32,cast_first,taps=out", "mla_query", "f32");
    ASSERT_FALSE(all.empty());
    hold(all[0]);
    ASSERT_EQ(all[0].lines.size(), 3u) << all[0].how;
    EXPECT_EQ(all[0].lines[1].stage, "norm");
}

// The rotary embedding comes after the stages: the outputs that it leaves alone tell the restatement.
TEST(QueryTable, StopsAtTheRotaryEmbedding) {
    const auto all = tables("model/bf16,cast_first,rope=one_cast", "bf16,cast_first,rope=one_cast");
    ASSERT_FALSE(all.empty());
    hold(all[0]);
    EXPECT_EQ(all[0].lines.size(), 11u);
    EXPECT_NE(all[0].how.find("up to the rotary embedding"), std::string::npos) << all[0].how;
}

TEST(QueryTable, AbsorbedOutputsAreSaidNotToBeTakenApart) {
    RunRequest r;
    r.options.home = ULPGATE_HOME;
    r.subjects.push_back({"scalar_query", {}});
    r.filter.ops = {"mla_query"}, r.filter.types = {"bf16"}, r.filter.profiles = {"random"}, r.filter.d = {64};
    Result result;
    stage_tables(r, "", result);
    EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& n) { return n.find("only q_nope and q_pe are taken apart") != n.npos; }));
}

TEST(QueryTable, TheVerbPrintsThem) {
    const testing_cli::Folder f;
    const auto r = testing_cli::ulpgate(f, {"report", "budget", "scalar_query", "--op", "mla_query", "--type", "bf16", "--contract", "cast_first", "--d", "64", "--json", "b.json", "--html", "b.html"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("q_a cast"), std::string::npos) << r.out;
    EXPECT_NE(testing_cli::slurp(f / "b.html").find("class=\"multiples\""), std::string::npos);
    const auto again = testing_cli::ulpgate(f, {"report", "b.json", "--json", "c.json", "--html", "c.html"});
    EXPECT_EQ(again.exit, 0) << again.both();
    EXPECT_EQ(again.out, r.out) << "the table too, from the JSON alone";
    EXPECT_EQ(testing_cli::slurp(f / "c.json"), testing_cli::slurp(f / "b.json"));
    EXPECT_EQ(testing_cli::slurp(f / "c.html"), testing_cli::slurp(f / "b.html"));
    EXPECT_EQ(testing_cli::ulpgate(f, {"report", "budget", "scalar_query", "--op", "head", "--type", "bf16", "--d", "64", "--model", "bf16,cast_first"}).exit, 2);
}

}  // namespace
}  // namespace ulpgate
