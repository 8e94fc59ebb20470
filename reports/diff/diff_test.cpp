#include "reports/diff/diff.hpp"

#include <gtest/gtest.h>

#include "reports/json/json.hpp"

namespace ulpgate {
namespace {

Group group(const char* verdict_map, Verdict v) {
    Group g;
    g.subject = "./k.so";
    g.op = "q_a_layernorm";
    g.type = Type::bf16;
    EXPECT_FALSE(parse(std::string("bf16,") + verdict_map, g.claim));
    g.verdict = v;
    g.d = {1536};
    g.whole.measure.rows = 10;
    g.whole.measure.worst_ulp = 1.44;
    g.whole.measure.worst_r_ulp32 = 2;
    return g;
}

std::string json(std::vector<Group> groups) {
    Result r;
    r.groups = std::move(groups);
    r.exit = exit_of(r);
    return to_json(r);
}

TEST(Diff, OfTheSameRunIsNothing) {
    const auto a = json({group("cast_first", Verdict::pass)});
    const auto d = diff_runs(a, "a", a, "b");
    EXPECT_EQ(d.error, "");
    EXPECT_FALSE(d.worse);
    EXPECT_EQ(diff_text(d, "a", "b"), "a to b: 0 worse, 0 better, 0 changed, 1 the same\n");
}

TEST(Diff, NamesTheArithmeticThatChanged) {
    auto bad = group("cast_first", Verdict::inadmissible);
    Claim f;
    ASSERT_FALSE(parse("bf16,f32_gain,assoc=xr_w", f));
    Candidate c{f[0]};
    c.rows = 10;
    bad.whole.candidates = {c};
    const auto d = diff_runs(json({group("cast_first", Verdict::pass)}), "main", json({bad}), "change");
    EXPECT_TRUE(d.worse) << d.error;
    const auto s = diff_text(d, "main", "change");
    EXPECT_NE(s.find("main computed T(w·T(x·r)) (cast_first), change computes T((x·r)·w) (f32_gain,assoc=xr_w)"), std::string::npos) << s;
    EXPECT_NE(s.find("verdict: main was pass, change is inadmissible"), std::string::npos) << s;
    EXPECT_FALSE(diff_runs(json({bad}), "main", json({group("cast_first", Verdict::pass)}), "change").worse);
}

TEST(Diff, ALargerErrorAndALostResultAreWorse) {
    auto wider = group("cast_first", Verdict::pass);
    wider.whole.measure.worst_r_ulp32 = 3;
    const auto a = json({group("cast_first", Verdict::pass)});
    const auto d = diff_runs(a, "a", json({wider}), "b");
    EXPECT_TRUE(d.worse);
    EXPECT_NE(diff_text(d, "a", "b").find("r ulp32 2.000 to 3.000"), std::string::npos) << diff_text(d, "a", "b");
    EXPECT_TRUE(diff_runs(a, "a", json({}), "b").worse);
    EXPECT_FALSE(diff_runs(json({}), "a", a, "b").worse);
}

TEST(Diff, SaysWhatItCannotRead) {
    const auto a = json({group("cast_first", Verdict::pass)});
    EXPECT_NE(diff_runs(a, "a", a.substr(0, a.size() / 2), "b.json").error.find("b.json: not JSON, or cut short"), std::string::npos);
    EXPECT_NE(diff_runs("{\"schema\": \"ulpgate.run/9\"}", "a.json", a, "b").error.find("a.json: schema 'ulpgate.run/9'"), std::string::npos);
    EXPECT_NE(diff_runs("[]", "a.json", a, "b").error.find("schema ''"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
