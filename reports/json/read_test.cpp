#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reports/json/json.hpp"
#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Every field that can be set, at a value of its own.
Result full() {
    Result r;
    r.context = {"0.1.0", "g++ 12.2", "-O3", "x86-64 avx2", "avx2", "some <cpu> & co", "Linux", 2, true, 7, 4096, 1, "row 3", 0.125};
    r.subjects.push_back({"./k.so", "k", "1.2", "ftz+daz on"});
    Group g;
    g.subject = "./k.so";
    g.op = "q_a_layernorm";
    g.type = Type::bf16;
    g.claim = {default_contract(Type::bf16, Map::cast_first)};
    g.verdict = Verdict::inadmissible;
    g.d = {1, 1536};
    g.cases = 5, g.passed_cases = 3, g.failing_cases = 2, g.refused_cases = 1, g.unreadable_cases = 4, g.other_tensors_cases = 6;
    auto& m = g.whole.measure;
    m.rows = 12, m.elements = 49, m.worst_ulp = inf, m.worst_steps = 7, m.sum_ulp = 1, m.worst_r_ulp32 = 1.9, m.outside = 3;
    m.spec_limit_rows = 1, m.eps_dominated_rows = 2;
    m.worst = {2, 3, 1.5f, -0.0f, 0x3fd4, 0x3fd5, 0x3fd6};
    m.errors.put(3, 90), m.errors.put(ErrorHistogram::not_finite, 10);
    m.by_rms[zero_row] = {1, 0, 0};
    m.by_rms[-10] = {11, 0.5, 1.9};
    g.worst_line = "q_a_layernorm/bf16/1536/profile=outlier/row=2";
    auto& s = g.whole.sight;
    s.rows = 12, s.r_high = 4e-8, s.r_low = inf, s.eps_high = 0.03, s.eps_low = 0.02, s.cast_order = true, s.rows_cast_order = 11;
    s.column[1536] = std::vector<bool>(1536, true);
    for (int k : {0, 3, 4, 5, 1535}) s.column[1536][static_cast<std::size_t>(k)] = false;
    s.count();
    g.whole.candidates.push_back({default_contract(Type::bf16, Map::f32_gain), true, -1, -1, 12, 100});
    g.whole.candidates.push_back({default_contract(Type::bf16, Map::cast_first), false, 2, 3, 2, 30});
    Cell c{1536, "outlier", {}, g.worst_line};
    c.measure.rows = 12, c.measure.elements = 100, c.measure.worst_ulp = inf, c.measure.worst_r_ulp32 = 1.9, c.measure.outside = 3;
    g.cells.push_back(c);
    g.failures.push_back({Verdict::inadmissible, true, "what", "reason", m.worst, g.worst_line, {"ulpgate", "replay", "./k.so", g.worst_line}, g.claim[0]});
    g.failures.push_back({Verdict::crashed, false, "signal 11", "", {}, "", {}, g.claim[0]});
    g.whole.stages.push_back({"q_a", 10, 9, 1, 0, 2.5});
    g.whole.shares = {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {0.1, 0.2, 0.3, 0.4, 0.5}, 15, 40};
    g.findings = {"bits depend on the address"};
    g.names = {"rstd.low"};
    g.explained = {"rstd.low: r rounded to T"};
    g.unknown = "row factor within 1e-6";
    g.smallest = SmallestRow{"x = 0x1p+0 at 4, 0x0p+0 elsewhere", 1, "q_a_layernorm/bf16/1536/fill=0/seg=4+1x1:0x1p+0"};
    g.excluded.push_back({"eps.none", 1, 2, "got 3f80"});
    g.fix = "keep r in f32";
    g.limits.push_back({"r_ulp32", 2, 1.9, "b.toml:3", "agreed", g.worst_line, false, "cannot fire: x"});
    g.known = Known{"inadmissible", "ticket", "2030-01-01", "b.toml:9", true};
    g.seconds = 0.25;
    r.groups.push_back(g);
    r.skipped.push_back({"avx512", "no AVX-512", true});
    r.not_loaded.push_back({"./x.so", "not an ELF file"});
    r.notes = {"a note"};
    r.stages = example::run().stages;
    r.eps = example::run().eps;
    r.maxima = example::run().maxima;
    r.complete = false, r.claim_missing = true, r.seconds = 2.5, r.exit = 130;
    return r;
}

// What a reader loses shows as a difference in what is written again.
TEST(ReadRun, WhatIsReadWritesTheSameBytes) {
    const auto text = to_json(full());
    const auto back = parse_run(text, "run.json");
    ASSERT_EQ(back.error, "");
    EXPECT_EQ(to_json(back.result), text);
    const auto& g = back.result.groups.at(0);
    EXPECT_EQ(g.whole.sight.text(), full().groups[0].whole.sight.text());
    EXPECT_EQ(g.whole.measure.errors.count(ErrorHistogram::not_finite), 10);
    EXPECT_TRUE(std::signbit(g.whole.measure.worst.w));
    EXPECT_EQ(exit_of(back.result), exit_of(full()));
    EXPECT_EQ(finding_of(g), finding_of(full().groups[0]));
}

std::string error_of(std::string text) { return parse_run(text, "run.json").error; }

TEST(ReadRun, SaysWhatIsWrongAndWhere) {
    auto text = to_json(full());
    EXPECT_EQ(error_of(""), "run.json: ends in the middle (after 0 bytes): it was cut off; write it again");
    for (const auto cut : {text.size() / 3, text.size() - 3})
        EXPECT_NE(error_of(text.substr(0, cut)).find("ends in the middle"), std::string::npos) << cut;
    EXPECT_NE(error_of("<html>").find("not JSON at byte 1"), std::string::npos);
    EXPECT_EQ(error_of("[]"), "run.json: an object is needed");
    EXPECT_EQ(error_of("{}"), "run.json: 'schema' is missing");
    EXPECT_EQ(error_of(R"({"schema":"ulpgate.run/2"})"),
              "run.json: schema: 'ulpgate.run/2' is not ulpgate.run/1: read it with the ulpgate that wrote it, or run again with this one");
    const auto with = [&](std::string_view from, std::string_view to) {
        auto t = text;
        t.replace(t.find(from), from.size(), to);
        return error_of(t);
    };
    EXPECT_EQ(with(R"("verdict": "inadmissible")", R"("verdict": "fine")"), "run.json: results[0].verdict: 'fine' is no verdict");
    EXPECT_EQ(with(R"("rows": 12)", R"("rows": "12")"), "run.json: results[0].rows: a whole number is needed");
    EXPECT_EQ(with(R"("unseen": "0,3-5,1535")", R"("unseen": "0,3-1536")"),
              "run.json: results[0].would_have_seen.by_d[0].unseen: column ranges as 3-15,1024 are needed");
    EXPECT_NE(with(R"("claim": "bf16,cast_first")", R"("claim": "bf16,cast_furst")").find("results[0].claim: 'bf16,cast_furst' is no contract"), std::string::npos);
}

TEST(ReadRun, AFileThatIsNotThere) { EXPECT_EQ(read_run("/nonexistent/run.json").error, "/nonexistent/run.json: No such file or directory"); }

}  // namespace
}  // namespace ulpgate
