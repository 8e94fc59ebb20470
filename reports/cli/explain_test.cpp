// explain and diff from end to end.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(Explain, AGoodKernelGetsItsArithmetic) {
    const Folder f;
    const auto r = ulpgate(f, {"explain", "scalar", "--type", "bf16", "--contract", "cast_first", "-d", "64", "--reruns", "3", "--json", "a.json"});
    EXPECT_EQ(r.exit, 0) << r.both();
    for (const char* what : {"claims cast_first (pass)", "T(w·T(x·r))", "r = 1 / sqrtf(v)", "one serial sum, in the order of the columns", "every one of 64 columns", "order=sequential",
                             "same bits  rerun (3 runs of 64 rows", "ulpgate replay scalar q_a_layernorm/bf16/64/"})
        EXPECT_TRUE(has(r.out, what)) << what << "\n" << r.out;
    EXPECT_TRUE(has(slurp(f / "a.json"), "\"schema\": \"ulpgate.explain/1\""));
    const auto same = ulpgate(f, {"diff", "a.json", "a.json"});
    EXPECT_EQ(same.exit, 0) << same.both();
    EXPECT_TRUE(has(same.out, "0 worse, 0 better, 0 changed, 1 the same")) << same.out;
}

TEST(Explain, AFailingKernelGetsItsSmallestRowWhichReplays) {
    const Folder f;
    const auto r = ulpgate(f, {"explain", "byhand/gain_before_cast", "--type", "bf16", "-d", "64", "--no-behaviour", "--json", "e.json"});
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_TRUE(has(r.out, "claims cast_first (inadmissible)") && has(r.out, "T((x·r)·w)") && has(r.out, "  smallest   x = ")) << r.out;
    const auto at = r.out.find("/fill=0/seg=");
    ASSERT_NE(at, std::string::npos) << r.out;
    const auto begin = r.out.rfind(' ', at) + 1;
    const auto line = r.out.substr(begin, r.out.find('\n', at) - begin);
    EXPECT_TRUE(has(slurp(f / "e.json"), "\"case\": \"" + line + "\"")) << slurp(f / "e.json");
    const auto again = ulpgate(f, {"replay", "byhand/gain_before_cast", line});
    EXPECT_EQ(again.exit, 1) << line << "\n" << again.both();
}

TEST(Explain, RecoveredOrdersGiveRandomRowsBitForBit) {
    const Folder f;
    for (const auto& [subject, order] : {std::pair("scalar", "order=sequential"), std::pair("avx2", "order=lanes"), std::pair("model/bf16,cast_first,order=pairwise", "order=pairwise")}) {
        const auto r = ulpgate(f, {"explain", subject, "--type", "bf16", "--contract", "cast_first", "-d", "192", "--no-behaviour"});
        if (has(r.both(), "SKIPPED")) continue;
        const auto model = r.out.find("  model ");
        ASSERT_NE(model, std::string::npos) << r.both();
        const auto line = r.out.substr(model, r.out.find('\n', model) - model);
        EXPECT_TRUE(has(line, order) && has(line, "random rows bit for bit")) << line;
        EXPECT_FALSE(has(line, "is not given") || has(line, "no restatement")) << line;
    }
}

TEST(GateExplains, WhatFailsUnlessToldNotTo) {
    const Folder f;
    const auto r = ulpgate(f, {"gate", "byhand/out_two_eps_and_tail", "--type", "bf16", "--op", "q_a_layernorm", "-d", "385", "--quick"});
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_TRUE(has(r.out, "eps.outside") && has(r.out, "; and lane.") && has(r.out, "smallest: x = ") && has(r.out, "replay")) << r.out;
    const auto quiet = ulpgate(f, {"gate", "byhand/out_two_eps_and_tail", "--type", "bf16", "--op", "q_a_layernorm", "-d", "385", "--quick", "--no-explain"});
    EXPECT_EQ(quiet.exit, 1) << quiet.both();
    EXPECT_FALSE(has(quiet.out, "eps.outside") || has(quiet.out, "smallest")) << quiet.out;
}

TEST(GateExplains, WhatIsNotListedIsUnknownWithTheRelationsItBreaks) {
    const Folder f;
    const auto r = ulpgate(f, {"gate", "byhand/out_square_saturated", "--type", "bf16", "--op", "q_a_layernorm", "-d", "385", "--quick", "--json", "g.json"});
    EXPECT_EQ(r.exit, 1) << r.both();
    const auto json = slurp(f / "g.json");
    const auto smallest = json.find("\"smallest\": {");
    ASSERT_NE(smallest, std::string::npos) << json;
    EXPECT_LT(json.find("\"columns\": ", smallest) - smallest, 400u) << json.substr(smallest, 600);
    EXPECT_TRUE(has(r.out, "unknown: ") && has(r.out, "smallest failing row: d 385") && has(r.out, "it breaks M1")) << r.out;
}

TEST(Explain, OrdersAreCompared) {
    const Folder f;
    const auto parted = ulpgate(f, {"explain", "--order", "scalar", "avx2", "--type", "bf16", "--contract", "cast_first", "-d", "96"});
    EXPECT_EQ(parted.exit, 1) << parted.both();
    EXPECT_TRUE(has(parted.out, "the orders part\n  over columns 0 to 95: scalar adds {0 to 94} + {95}; avx2 adds")) << parted.out;
    const auto same = ulpgate(f, {"explain", "--order", "avx2", "model/bf16,cast_first,order=masked:8x4", "--type", "bf16", "--contract", "cast_first", "-d", "96"});
    EXPECT_EQ(same.exit, 0) << same.both();
    EXPECT_TRUE(has(same.out, "the same order: 32 partial sums")) << same.out;
    EXPECT_EQ(ulpgate(f, {"explain", "--order", "scalar"}).exit, 2);
}

TEST(Explain, ASubjectThatDoesNotLoadIsSaid) {
    const Folder f;
    const auto r = ulpgate(f, {"explain", "./none.so"});
    EXPECT_EQ(r.exit, 4) << r.both();
    EXPECT_TRUE(has(r.out, "DID NOT LOAD")) << r.out;
}

TEST(DiffCommand, ExitsTwoForWhatItCannotRead) {
    const Folder f;
    const auto r = ulpgate(f, {"diff", "none.json", "none.json"});
    EXPECT_EQ(r.exit, 2) << r.both();
    EXPECT_TRUE(has(r.err, "none.json")) << r.err;
}

}  // namespace
}  // namespace ulpgate::testing_cli
