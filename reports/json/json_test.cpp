#include "reports/json/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ulpgate {
namespace {

TEST(RunJson, ContextFirstAndNoBareNaN) {
    Result r;
    Group g;
    g.subject = "k\xff";  // what came from outside need not be UTF-8
    g.op = "final_norm";
    g.type = Type::bf16;
    g.verdict = Verdict::inadmissible;
    g.whole.measure.rows = g.whole.measure.elements = 3;
    g.whole.measure.worst_ulp = std::numeric_limits<double>::infinity();
    g.whole.measure.sum_ulp = std::numeric_limits<double>::quiet_NaN();
    Failure f;
    f.types = default_contract(Type::bf16, Map::cast_first);
    f.witness = {215, 346, 1.09375f, 1.5859375f, 0x3fd4, 0x3fd5, 0x3fd5};
    f.line = "final_norm/bf16/7168/profile=outlier/row=215";
    f.replay = {"ulpgate", "replay", "k", f.line};
    g.failures.push_back(f);
    r.groups.push_back(g);
    r.skipped.push_back({"avx512", "no AVX-512", true});
    r.exit = 1;
    const auto text = to_json(r);
    const auto j = nlohmann::ordered_json::parse(text);
    EXPECT_EQ(j.begin().key(), "schema");
    EXPECT_EQ(std::next(j.begin()).key(), "context");
    EXPECT_EQ(j["schema"], "ulpgate.run/1");
    const auto& o = j["results"][0];
    EXPECT_EQ(o["error"]["ulp"]["worst"], "inf");
    EXPECT_EQ(o["error"]["ulp"]["bias"], "nan");
    EXPECT_EQ(o["error"]["count"], "sampled 3");
    EXPECT_EQ(o["verdict"], "inadmissible");
    EXPECT_EQ(o["witness"]["x"], "0x1.18p+0");
    EXPECT_EQ(o["witness"]["got"], "3fd4");
    EXPECT_EQ(o["witness"]["allowed"], nlohmann::json::array({"3fd5", "3fd5"}));
    EXPECT_EQ(o["replay"], nlohmann::json::array({"ulpgate", "replay", "k", f.line}));
    EXPECT_EQ(o["would_have_seen"]["r_relative"], "inf");
    EXPECT_TRUE(j["skipped"][0]["required"]);
    EXPECT_EQ(j["totals"]["inadmissible"], 1);
    EXPECT_EQ(j["totals"]["skipped"], 1);
    EXPECT_EQ(j["exit"], 1);
}

}  // namespace
}  // namespace ulpgate
