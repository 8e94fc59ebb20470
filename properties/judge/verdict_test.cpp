// Verdicts without rows, whole runs, exit codes, the sight line in words.
#include <gtest/gtest.h>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

using namespace kit;

TEST(Verdict, OfEveryEvent) {
    const Tensors t = make_case({.d = 8, .rows = 1});
    const auto verdict = [&](Event e) {
        Outcome o;
        o.event = e;
        o.what = "in words";
        o.findings = {"a finding"};
        const Judgement j = judge(t, o, claim("bf16,cast_first"));
        EXPECT_EQ(j.what, "in words");
        EXPECT_EQ(j.findings, o.findings);
        return j.verdict;
    };
    EXPECT_EQ(verdict(Event::refused), Verdict::refused);
    EXPECT_EQ(verdict(Event::failed), Verdict::crashed);
    EXPECT_EQ(verdict(Event::corrupted), Verdict::corrupted);
    EXPECT_EQ(verdict(Event::unstable), Verdict::unstable);
    EXPECT_EQ(verdict(Event::crashed), Verdict::crashed);
    EXPECT_EQ(verdict(Event::hung), Verdict::hung);
    EXPECT_EQ(verdict(Event::not_loaded), Verdict::crashed);
    EXPECT_EQ(verdict(Event::unavailable), Verdict::skipped);
}

TEST(Verdict, OutputsOfTheWrongSizeAreCorrupted) {
    const Tensors t = make_case({.d = 8, .rows = 2});
    Outcome o = run(t, kernel(Type::bf16));
    y_of(t, o).pop_back();
    const Judgement j = judge(t, o, claim("bf16,cast_first"));
    EXPECT_EQ(j.verdict, Verdict::corrupted);
    EXPECT_EQ(j.what, "y came back with 31 bytes, 32 were asked for");
}

TEST(Verdict, UnprovenStatisticIsUnsupportedWithTheErrorOfR) {
    const Tensors t = make_case({.type = Type::f32, .d = 64, .rows = 4});
    Kernel k = kernel(Type::f32);
    k.scale = [](float r) { return std::nextafter(std::nextafter(r, 2 * r), 2 * r); };
    const Judgement j = judge(t, run(t, k), claim("f32,cast_first,stat=mean_m2"));
    EXPECT_EQ(j.verdict, Verdict::unsupported);
    EXPECT_EQ(j.what.rfind("r off by ", 0), 0u) << j.what;
    EXPECT_GT(j.measure.worst_r_ulp32, 1.4);
    EXPECT_LT(j.measure.worst_r_ulp32, 10);
    EXPECT_FALSE(j.reason.empty());
}

TEST(Verdict, ClaimsWithoutAMapAreUnsupported) {
    const Tensors t = make_case({.d = 8, .rows = 1});
    const Outcome o = run(t, kernel(Type::bf16));
    for (const char* c :
         {"bf16,cast_first,beta=given", "bf16,cast_first,rstd=out", "bf16,cast_first,residual=rounded"}) {
        const Judgement j = judge(t, o, claim(c));
        EXPECT_EQ(j.verdict, Verdict::unsupported) << c;
        EXPECT_FALSE(j.what.empty());
    }
}

TEST(Verdict, NoRowsPass) {
    const Tensors t = make_case({.d = 8, .rows = 0});
    const Judgement j = judge(t, run(t, kernel(Type::bf16)), claim("bf16,cast_first"));
    EXPECT_EQ(j.verdict, Verdict::pass);
    EXPECT_EQ(j.sight.text(), "nothing");
}

TEST(Verdict, ExitCodes) {
    using V = Verdict;
    EXPECT_EQ(exit_code({}), 5);
    EXPECT_EQ(exit_code({V::skipped, V::refused}), 5);
    EXPECT_EQ(exit_code({V::pass, V::skipped}), 0);
    EXPECT_EQ(exit_code({V::pass, V::mistrusted}), 6);
    EXPECT_EQ(exit_code({V::unsupported}), 6);
    for (const V bad : {V::over, V::inadmissible, V::corrupted, V::unstable})
        EXPECT_EQ(exit_code({V::pass, V::mistrusted, bad}), 1) << name(bad);
    for (const V bad : {V::crashed, V::hung})
        EXPECT_EQ(exit_code({V::inadmissible, bad, V::pass}), 4) << name(bad);
}

Judgement of(const Tensors& t, const Kernel& k, std::string_view c) { return judge(t, run(t, k), claim(c)); }

TEST(Merge, KeepsTheWorseVerdictAndItsFirstFailure) {
    const Tensors a = make_case({.d = 64, .rows = 3, .seed = 1}),
                  b = make_case({.d = 64, .rows = 5, .seed = 2});
    Kernel bad = kernel(Type::bf16);
    bad.mean = [](float s, float) { return s; };
    const Judgement pass = of(a, kernel(Type::bf16), "bf16,cast_first"), fail = of(b, bad, "bf16,cast_first");
    for (const bool pass_first : {true, false}) {
        Judgement j = pass_first ? pass : fail;
        merge(j, pass_first ? fail : pass);
        conclude(j);
        EXPECT_EQ(j.verdict, Verdict::inadmissible);
        EXPECT_EQ(j.what, fail.what);
        EXPECT_EQ(j.witness.row, fail.witness.row);
        EXPECT_EQ(j.measure.rows, 8);
        EXPECT_EQ(j.measure.elements, 8 * 64);
        EXPECT_EQ(j.measure.outside, fail.measure.outside);
        EXPECT_EQ(j.measure.worst_ulp, std::max(pass.measure.worst_ulp, fail.measure.worst_ulp));
        EXPECT_FALSE(j.candidates[0].fits);
    }
    Judgement crash;
    crash.verdict = Verdict::crashed;
    crash.what = "SIGSEGV";
    Judgement j = fail;
    merge(j, crash);
    EXPECT_EQ(j.verdict, Verdict::crashed);
    EXPECT_EQ(j.what, "SIGSEGV");
    Judgement refused;
    refused.verdict = Verdict::refused;
    merge(refused, pass);
    EXPECT_EQ(refused.verdict, Verdict::pass);
}

TEST(Merge, ACandidateFitsIffItFitsEveryCase) {
    const Tensors a = make_case({.d = 512, .rows = 3, .seed = 1}),
                  b = make_case({.d = 512, .rows = 3, .seed = 2});
    Kernel swapped = kernel(Type::bf16);
    swapped.element = [](float x, float w, float r) { return x * r * w; };
    Judgement j = of(a, kernel(Type::bf16), "bf16"), other = of(b, swapped, "bf16");
    EXPECT_EQ(j.verdict, Verdict::pass);
    EXPECT_EQ(other.verdict, Verdict::pass);
    Judgement same = j;
    merge(same, of(b, kernel(Type::bf16), "bf16"));
    conclude(same);
    EXPECT_EQ(same.verdict, Verdict::pass);
    EXPECT_EQ(explanations(same)[0], "cast_first: one r a row reproduces 3,072 of 3,072 outputs");
    merge(j, other);
    EXPECT_TRUE(explaining(j).empty());
    conclude(j);
    EXPECT_EQ(j.verdict, Verdict::inadmissible);
    EXPECT_EQ(j.what, "no contract explains it: each fits some cases and none all");
}

TEST(Merge, EpsDominatedRunsAreMistrusted) {
    const Tensors tiny = make_case({.d = 64, .rows = 40, .scale = 1e-6}),
                  plain = make_case({.d = 64, .rows = 2});
    Judgement j = of(tiny, kernel(Type::bf16), "bf16,cast_first");
    EXPECT_EQ(j.verdict, Verdict::mistrusted);
    EXPECT_EQ(j.measure.eps_dominated_rows, 40);
    Judgement alone = j;
    conclude(alone);
    EXPECT_EQ(alone.verdict, Verdict::mistrusted);
    EXPECT_EQ(alone.what, "eps dominates 40 of 40 rows: r is nearly eps^-1/2 whatever the kernel sums");
    merge(j, of(plain, kernel(Type::bf16), "bf16,cast_first"));
    Judgement mixed = j;
    conclude(mixed);
    EXPECT_EQ(mixed.verdict, Verdict::mistrusted) << "40 of 42 is more than 95 %";
    merge(j, of(plain, kernel(Type::bf16), "bf16,cast_first"));
    conclude(j);
    EXPECT_EQ(j.verdict, Verdict::pass) << "40 of 44 is not";
    EXPECT_EQ(j.what, "");
}

TEST(SightText, SaysWhatWasSeenAndWhatNot) {
    Sight s;
    EXPECT_EQ(s.text(), "nothing");
    s.rows = 512;
    s.column[4] = {false, false, false, false};
    s.count();
    EXPECT_EQ(s.text(), "r unseen · eps unseen · no dropped column");
    s.r_high = 3.2e-8;
    s.r_low = 3.9e-8;
    s.eps_high = 0.0291;
    s.eps_low = 0.022;
    s.cast_order = true;
    s.rows_cast_order = 512;
    s.column[4] = {true, true, true, true};
    s.count();
    EXPECT_EQ(s.text(),
              "r off by 4e-8 · eps off by 3 % · any dropped column · cast order in 512 of 512 rows");
    EXPECT_TRUE(s.any_column);
    s.eps_low = Sight::unseen;
    s.column[4][1] = false;
    s.rows_cast_order = 0;
    s.count();
    EXPECT_EQ(s.text(), "r off by 4e-8 · eps high by 3 % · 3 of 4 dropped columns · cast order unseen");
    Sight o = s;
    o.column[4] = {false, true, false, false};
    o.r_high = 1e-9;
    o.r_low = 1;
    o.eps_high = 2.5;
    o.rows_cast_order = 7;
    s.merge(o);
    EXPECT_EQ(s.text(),
              "r off by 4e-8 · eps high by 3 % · any dropped column · cast order in 7 of 1,024 rows");
    o.eps_high = 0.00012;
    o.eps_low = 0.999;
    s.merge(o);
    EXPECT_EQ(s.text(),
              "r off by 4e-8 · eps off by 100 % · any dropped column · cast order in 14 of 1,536 rows");
}

}  // namespace
}  // namespace ulpgate
