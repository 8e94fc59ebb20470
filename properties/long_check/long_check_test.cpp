// A sample of the long check, and that it would see a model that breaks its contract.
#include <gtest/gtest.h>

#include <set>

#include "properties/judge/judge.hpp"
#include "properties/long_check/draw.hpp"
#include "properties/long_check/record.hpp"

namespace ulpgate::long_check {
namespace {

TEST(LongCheck, TheFirstTasksFindNothing) {
    Record r;
    while (r.tasks < 160) r.step();
    for (const Finding& f : r.findings) ADD_FAILURE() << "task " << f.task << "\n" << f.line << "\n" << f.model << "\n" << f.what;
    EXPECT_GT(r.elements, 5'000'000);
    EXPECT_EQ(r.by_type.size(), 3u);
    EXPECT_GE(r.by_profile.size(), 10u);
    for (const char* field : {"ftz", "stat_width", "residual", "gain", "acc", "order", "mean", "rsqrt", "by", "w"}) EXPECT_GT(r.by_field[field], 0) << field;
}

Judgement judged(const Task& t) {
    const Made made = make(t.input);
    Outcome o;
    o.out = t.subject.run(made.tensors);
    return judge(made.tensors, o, t.input.claim);
}

// r a part in a thousand off is beyond every bound on a dense row.
TEST(LongCheck, SeesAModelThatBreaksItsContract) {
    int seen = 0, tried = 0, wide = 0;
    for (std::uint64_t index = 0; index < 2000 && (tried < 20 || wide < 5); ++index) {
        Task t = draw(index);
        if (t.input.profile != "gaussian" || t.input.d < 256 || t.input.d > 2000) continue;
        ++tried;
        wide += t.input.claim[0].acc == Accumulate::f64;
        t.subject.scale = [](const Model&, float r) { return r * 1.01f; };
        seen += judged(t).verdict == Verdict::inadmissible;
    }
    EXPECT_GE(wide, 5) << "sums claimed in f64 among them";
    EXPECT_EQ(seen, tried);
}

// The models stand at the edge: two ulp32 less in the claim's rsqrt, and rows whose sum has no error show it.
TEST(LongCheck, TheEdgeOfARootIsReached) {
    int outside = 0;
    for (std::uint64_t index = 0; index < 1500; ++index) {
        Task t = draw(index);
        Contract& c = t.input.claim[0];
        if (t.input.profile != "integer" || c.rsqrt < 2 || t.input.d > 1600) continue;
        c.rsqrt -= 2;
        outside += judged(t).verdict == Verdict::inadmissible;
    }
    EXPECT_GE(outside, 3);
}

TEST(LongCheck, TasksFollowFromTheirNumberAndDiffer) {
    std::set<std::string> models, lines;
    for (std::uint64_t index = 0; index < 300; ++index) {
        const Task t = draw(index);
        EXPECT_EQ(t.line, draw(index).line);
        EXPECT_EQ(t.model, draw(index).model);
        models.insert(t.model);
        lines.insert(t.line);
        Case back;
        EXPECT_FALSE(parse(t.line, back)) << t.line;
    }
    EXPECT_EQ(lines.size(), 300u);
    EXPECT_GT(models.size(), 250u);
}

TEST(LongCheck, TheRecordIsReadBack) {
    Record r;
    r.step();
    stamp(r, "abc");
    r.findings.push_back({7, "a case", "a model", "what"});
    Record back;
    EXPECT_EQ(from_json(to_json(r), back), "");
    EXPECT_EQ(to_json(back), to_json(r));
    EXPECT_NE(from_json("{}", back), "");
    EXPECT_NE(from_json("", back), "");
}

}  // namespace
}  // namespace ulpgate::long_check
