#include "reports/sarif/sarif.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

using nlohmann::json;

TEST(Sarif, AResultAFailureWithItsRuleAndPlace) {
    const auto j = json::parse(to_sarif(example::run()));
    EXPECT_EQ(j["version"], "2.1.0");
    const auto& run = j["runs"][0];
    const auto& rules = run["tool"]["driver"]["rules"];
    std::set<std::string> ids;
    for (const auto& r : rules) EXPECT_TRUE(ids.insert(r["id"]).second);
    std::set<std::string> prints;
    int over = 0, suppressed = 0;
    for (const auto& r : run["results"]) {
        EXPECT_EQ(rules[r["ruleIndex"].get<std::size_t>()]["id"], r["ruleId"]);
        prints.insert(r["partialFingerprints"]["ulpgate/v1"]);
        suppressed += r.contains("suppressions");
        if (r["ruleId"] != "over") continue;
        ++over;
        const auto& place = r["locations"][0]["physicalLocation"];
        EXPECT_EQ(place["artifactLocation"]["uri"], "budgets/a%20b.toml");
        EXPECT_EQ(place["region"]["startLine"], 12);
    }
    EXPECT_EQ(run["results"].size(), 8u);
    EXPECT_EQ(prints.size(), 8u) << "a fingerprint each";
    EXPECT_EQ(over, 1);
    EXPECT_EQ(suppressed, 1);
    EXPECT_EQ(run["invocations"][0]["exitCode"], 4);
    EXPECT_EQ(to_sarif(example::run()).find('\x1b'), std::string::npos);
}

// The fingerprint is that of what was found, not of the numbers of the day.
TEST(Sarif, AFingerprintSurvivesOtherNumbers) {
    auto other = example::run();
    for (auto& g : other.groups) g.whole.measure.worst_ulp *= 2, g.seconds = 9;
    for (auto& g : other.groups)
        for (auto& f : g.failures) f.what = "row 9 col 9", f.line += "9";
    const auto a = json::parse(to_sarif(example::run())), b = json::parse(to_sarif(other));
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(a["runs"][0]["results"][k]["partialFingerprints"], b["runs"][0]["results"][k]["partialFingerprints"]);
    other.groups[2].names = {"eps.none"};
    EXPECT_NE(json::parse(to_sarif(other))["runs"][0]["results"][0]["partialFingerprints"], a["runs"][0]["results"][0]["partialFingerprints"]);
}

}  // namespace
}  // namespace ulpgate
