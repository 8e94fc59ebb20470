// The score by the sidecars, on explanations made up for it; and a sample of the kernels by hand.
#include "properties/explain/unlisted.hpp"

#include <gtest/gtest.h>

#include "reference/formats/format.hpp"

namespace ulpgate {
namespace {

const Claim cast_first{default_contract(Type::bf16, Map::cast_first)};

Finding finding(std::vector<std::string> kinds, Map map = Map::cast_first) {
    Finding f;
    f.computes = cast_first[0];
    f.computes.map = map;
    for (auto& k : kinds) f.lines.push_back({std::move(k), "", "", "", 0, 0});
    return f;
}

Explanation explanation(std::vector<Finding> findings) {
    Explanation e;
    e.as_claimed = findings.size() == 1 && findings[0].lines.empty() && findings[0].computes.map == Map::cast_first;
    e.findings = std::move(findings);
    return e;
}

Truth truth(std::vector<std::vector<std::string>> names) {
    Truth t;
    t.names = std::move(names);
    return t;
}

std::vector<ScoredKernel> scored(const std::string& stem, std::int64_t d) {
    const Truth t = read_truth(ULPGATE_HOME "/kernels/byhand/" + stem + ".toml");
    EXPECT_EQ(t.error, "");
    SubjectOptions options;
    options.home = ULPGATE_HOME;
    return score_kernel(t, *open_subject(t.subject, options), d);
}

TEST(Unlisted, ScoresByTheSidecar) {
    const Truth eps = truth({{"eps.max"}}), two = truth({{"eps.outside"}, {"lane.tail"}});
    EXPECT_EQ(score(eps, cast_first, 512, explanation({finding({"eps.max"})})), Scored::right);
    EXPECT_EQ(score(eps, cast_first, 512, explanation({finding({"eps.none"})})), Scored::misnamed);
    EXPECT_EQ(score(eps, cast_first, 512, explanation({finding({"eps.none"}), finding({"eps.max"})})), Scored::tied);
    EXPECT_EQ(score(eps, cast_first, 512, explanation({finding({"eps.max", "rstd.low"})})), Scored::misnamed);
    EXPECT_EQ(score(eps, cast_first, 512, explanation({})), Scored::unknown);
    EXPECT_EQ(score(eps, cast_first, 512, explanation({finding({})})), Scored::unseen);
    EXPECT_EQ(score(two, cast_first, 512, explanation({finding({"eps.outside", "lane.tail"})})), Scored::right);
    EXPECT_EQ(score(two, cast_first, 512, explanation({finding({}, Map::f32_gain)})), Scored::misnamed);
}

TEST(Unlisted, SomeNamesAreRightAtSomeWidths) {
    Truth t = truth({{}});
    t.also = {{{"order.gain_then_cast"}, 1024, 0}, {{"rstd.low"}, 0, 8}};
    const Explanation e = explanation({finding({}, Map::f32_gain)}), low = explanation({finding({"rstd.low"})});
    EXPECT_EQ(score(t, cast_first, 1023, e), Scored::right);
    EXPECT_EQ(score(t, cast_first, 1024, e), Scored::misnamed);
    EXPECT_EQ(score(t, cast_first, 512, low), Scored::right);
    EXPECT_EQ(score(t, cast_first, 513, low), Scored::misnamed);
}

TEST(Unlisted, SomeNamesAreRightOnlyTogether) {
    Truth t = truth({{}});
    t.same_function = {{"rstd.low", "order.gain_then_cast"}};
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({"rstd.low"}, Map::f32_gain)})), Scored::right);
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({}, Map::f32_gain)})), Scored::misnamed);
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({"rstd.low"})})), Scored::misnamed);
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({"rstd.low", "eps.max"}, Map::f32_gain)})), Scored::misnamed);
}

// T(x / s) and T(x * fl(1/s)) are one function of x and s in T, scaling by powers of two aside: second_stored_rms computes the
// second, and the name of the first is no misnaming.
template <class F>
void expect_quotient_is_product() {
    const std::uint32_t one = F::encode(1.0f), two = F::encode(2.0f);
    for (std::uint32_t a = one; a < two; ++a)
        for (std::uint32_t b = one; b < two; ++b) {
            const float x = F::decode(static_cast<typename F::Word>(a)), s = F::decode(static_cast<typename F::Word>(b));
            ASSERT_EQ(F::encode(x / s), F::encode(x * (1.0f / s))) << x << " / " << s;
        }
}
TEST(Unlisted, AQuotientByALowRmsIsTheProduct) {
    expect_quotient_is_product<Bf16>();
    expect_quotient_is_product<Fp16>();
}
TEST(Unlisted, ALowRmsIsSaidAsOne) {
    for (const auto& k : scored("second_stored_rms", 385)) {
        EXPECT_EQ(k.scored, Scored::right) << k.contract << ": " << k.said;
        EXPECT_NE(k.said.find("by=div; rstd.low: s = T(s), the rms"), std::string::npos) << k.said;
    }
}

TEST(Unlisted, WithoutAFaultAnyNameIsAMisnaming) {
    Truth t = truth({{}});
    t.honest = true;
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({})})), Scored::right);
    EXPECT_EQ(score(t, cast_first, 512, explanation({finding({"eps.max"})})), Scored::misnamed);
    EXPECT_EQ(score(t, cast_first, 512, explanation({})), Scored::unknown);
}

// A line in one of two casts is not the line in both: rows whose first cast is a tie tell.
TEST(Unlisted, OneCastOfTwoIsNotBoth) {
    for (const auto& k : scored("out_half_away_body", 512)) EXPECT_EQ(k.scored, Scored::unknown) << k.contract << ": " << k.said;
}

// Bits below the eighth of x, and rows whose largest magnitude is a power of two: both show.
TEST(Unlisted, LowBitsAndPowersOfTwoShow) {
    for (const auto& k : scored("out_split_square", 385)) EXPECT_EQ(k.scored, Scored::unknown) << k.contract << ": " << k.said;
    for (const auto& k : scored("out_pow2_eps", 385)) EXPECT_EQ(k.scored, Scored::unknown) << k.contract << ": " << k.said;
}

TEST(Unlisted, TwoFaultsAreBothNamed) {
    for (const auto& k : scored("out_two_eps_and_tail", 385)) {
        EXPECT_EQ(k.scored, Scored::right) << k.contract << ": " << k.said;
        EXPECT_TRUE(k.both) << k.contract << ": " << k.said;
    }
}

TEST(Unlisted, UnknownComesWithARowThatFailsByItself) {
    for (const auto& k : scored("out_square_saturated", 385)) {
        EXPECT_EQ(k.scored, Scored::unknown) << k.contract;
        EXPECT_NE(k.said.find("smallest: d 385"), std::string::npos) << k.said;
        EXPECT_NE(k.said.find("M1 ("), std::string::npos) << k.said;  // a limit on squares does not scale; signs and rows do
        EXPECT_EQ(k.said.find("M2 ("), std::string::npos) << k.said;
        EXPECT_EQ(k.said.find("M3 ("), std::string::npos) << k.said;
    }
}

TEST(Unlisted, ASidecarThatIsNoneSaysSo) {
    EXPECT_NE(read_truth(ULPGATE_HOME "/kernels/byhand/none.toml").error, "");
}

}  // namespace
}  // namespace ulpgate
