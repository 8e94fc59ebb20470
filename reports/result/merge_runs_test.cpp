#include "reports/result/merge_runs.hpp"

#include <gtest/gtest.h>

#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

Result of(std::vector<Group> groups) {
    Result r;
    r.groups = std::move(groups);
    r.exit = exit_of(r);
    return r;
}

TEST(MergeRuns, ShardsOfOneGroupBecomeOne) {
    auto a = of({example::group("k", Verdict::pass)});
    auto b = of({example::group("k", Verdict::inadmissible)});
    b.groups[0].whole.measure.worst_ulp = 3;
    b.groups[0].worst_line = "the worse";
    merge_runs(a, b);
    ASSERT_EQ(a.groups.size(), 1u);
    const auto& g = a.groups[0];
    EXPECT_EQ(g.verdict, Verdict::inadmissible);
    EXPECT_EQ(g.whole.measure.rows, 8);
    EXPECT_EQ(g.whole.measure.errors.total(), 2 * 6144);
    EXPECT_EQ(g.whole.measure.worst_ulp, 3);
    EXPECT_EQ(g.worst_line, "the worse");
    EXPECT_EQ(g.cells.size(), 1u);
    EXPECT_EQ(g.failures.size(), 1u);
    EXPECT_EQ(g.cases, 2);
    EXPECT_EQ(a.exit, 1);
}

TEST(MergeRuns, OrderChangesNoVerdict) {
    for (auto v : {Verdict::pass, Verdict::mistrusted, Verdict::over, Verdict::crashed, Verdict::skipped})
        for (auto w : {Verdict::pass, Verdict::mistrusted, Verdict::over, Verdict::crashed, Verdict::skipped}) {
            auto a = of({example::group("k", v)}), b = of({example::group("k", w)});
            auto ab = a, ba = b;
            merge_runs(ab, b);
            merge_runs(ba, a);
            EXPECT_EQ(ab.groups[0].verdict, ba.groups[0].verdict) << name(v) << ' ' << name(w);
            EXPECT_EQ(ab.exit, ba.exit);
        }
}

TEST(MergeRuns, OtherGroupsStandSideBySide) {
    auto a = of({example::group("k", Verdict::pass)});
    a.context.machine = "x86-64 avx2";
    auto b = of({example::group("k", Verdict::pass, Type::f32), example::group("l", Verdict::pass)});
    b.context.machine = "x86-64 avx512";
    b.complete = false;
    merge_runs(a, b);
    EXPECT_EQ(a.groups.size(), 3u);
    EXPECT_EQ(a.notes.size(), 1u);
    EXPECT_EQ(a.exit, 130) << "a part that was interrupted";
}

// Tables of analyses stand one after another; the same maximum twice is one.
TEST(MergeRuns, TablesAndMaximaAreKept) {
    Result a, b;
    a.stages = example::run().stages, a.maxima = example::run().maxima;
    b.stages = a.stages, b.eps = example::run().eps, b.maxima = a.maxima;
    b.maxima.push_back(b.maxima[0]);
    b.maxima.back().line = "another contract's";
    merge_runs(a, b);
    EXPECT_EQ(a.stages.size(), 4u);
    EXPECT_EQ(a.eps.size(), 2u);
    EXPECT_EQ(a.maxima.size(), 3u);
    EXPECT_EQ(a.exit, 0);
    Result analysis;
    analysis.eps = b.eps;
    EXPECT_EQ(exit_of(analysis), 0);
}

}  // namespace
}  // namespace ulpgate
