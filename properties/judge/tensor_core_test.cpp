// Sums on tensor cores: what they give is what their claim allows, in every profile, with and without taps; and it is not what
// another claim allows.
#include <gtest/gtest.h>

#include "properties/cases/query_cases.hpp"
#include "properties/judge/query_judge.hpp"
#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate {
namespace {

struct Judged {
    Verdict verdict;
    std::string what;
};
// Outputs of `computes` held to `claims`; both without the type's name.
Judged judged(const std::string& type, const std::string& profile, const std::string& sizes, const std::string& computes, const std::string& claims) {
    Case c;
    const auto bad = parse("mla_query/" + type + sizes + "/contract=" + computes + "/profile=" + profile + "/seed=17", c);
    EXPECT_FALSE(bad) << (bad ? bad->what : "");
    Made made = make(c);
    EXPECT_EQ(made.error, "");
    QueryPath path(made.tensors, {c.claim[0], {}, ""});
    Outcome o;
    o.out = path.run();
    Claim claim;
    EXPECT_FALSE(parse(type + "," + claims, claim));
    const Judgement j = judge(made.tensors, o, claim);
    return {j.verdict, j.what};
}
std::string cores(const std::string& text) { return ",a.order=" + text + ",b.order=" + text; }
constexpr const char *small = "/64/bt=2x3/rank=16/heads=2/nope=8/rope=4", *deep = "/1024/rows=3/rank=256/heads=2/nope=8/rope=4";

TEST(QueryTensorCore, ItsOwnClaimHolds) {
    for (const std::string type : {"bf16", "fp16"})
        for (const std::string core : {"mma:8x24", "mma:16x25", "mma:16x25x4", "mma:4x24"})
            for (const std::string fields : {"cast_first", "cast_first,taps=out", "cast_first,bias=before,taps=out", "cast_first,bias=after,taps=out"})
                for (const char* sizes : {small, deep})
                    for (const QueryProfile* p : query_profiles::all()) {
                        const auto j = judged(type, std::string(p->name), sizes, fields + cores(core), fields + cores(core));
                        EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted) << type << " " << core << " " << fields << " " << p->name << sizes << ": " << j.what;
                    }
}

// Sums in the type itself are not what a tensor core gives; and a tensor core's sums are not those of rounded additions in halves, which
// keep what the tensor core cuts beside a large product. (The other way round nothing can be seen: additions in halves stay within
// what a tensor core may give.)
TEST(QueryTensorCore, AnotherClaimDoesNot) {
    const std::string taps = "cast_first,taps=out";
    EXPECT_EQ(judged("bf16", "random", deep, taps + ",a.part=t,b.part=t", taps + cores("mma:16x25")).verdict, Verdict::inadmissible);
    EXPECT_EQ(judged("fp16", "random", deep, taps + ",a.part=t,b.part=t", taps + cores("mma:8x24")).verdict, Verdict::inadmissible);
    for (const std::string type : {"bf16", "fp16"})
        for (const std::string core : {"mma:8x24", "mma:16x25", "mma:16x25x4"}) {
            const auto of_halves = judged(type, "absorbed", deep, taps + cores(core), taps + cores("pairwise"));
            EXPECT_EQ(of_halves.verdict, Verdict::inadmissible) << type << " " << core << ": " << of_halves.what;
            EXPECT_EQ(judged(type, "absorbed", deep, taps + cores("pairwise"), taps + cores(core)).verdict, Verdict::pass) << type << " " << core;
            EXPECT_EQ(judged(type, "absorbed", deep, taps + cores("pairwise"), taps + cores("pairwise")).verdict, Verdict::pass) << type;
        }
}

TEST(QueryTensorCore, NeedsFactorsThatItTakes) {
    const auto j = judged("f32", "random", small, "cast_first,taps=out", "cast_first,taps=out,a.order=mma:16x25");
    EXPECT_EQ(j.verdict, Verdict::unsupported);
    EXPECT_NE(j.what.find("factors of bf16 or fp16"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
