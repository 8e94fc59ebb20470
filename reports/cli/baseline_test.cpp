// --against, --baseline, --fail-on, report history, end to end.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

std::vector<std::string> small(const std::string& v, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"gate", troubled() + "@" + v, "--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "256", "--rows", "8"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
}
std::string variant(const std::string& v) { return troubled() + "@" + v; }

TEST(Baseline, AgainstJudgesBothInOneRun) {
    const Folder f;
    const auto worse = ulpgate(f, small("swapped", {"--against", variant("right"), "--json", "run.json"}));
    EXPECT_EQ(worse.exit, 1) << worse.both();
    EXPECT_NE(worse.out.find("computed T(w·T(x·r))"), std::string::npos) << worse.out;
    EXPECT_NE(worse.out.find("WORSE"), std::string::npos);
    EXPECT_EQ(json_of(slurp(f / "run.json"))["results"].size(), 1u) << "the old one is what it is compared with, no result";
    const auto better = ulpgate(f, small("right", {"--against", variant("swapped"), "--fail-on", "new"}));
    EXPECT_EQ(better.exit, 0) << better.both();
    EXPECT_NE(better.out.find("better"), std::string::npos) << better.out;
}

TEST(Baseline, OnlyWhatIsNewFails) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("swapped", {"--json", "main.json"})).exit, 1);
    EXPECT_EQ(ulpgate(f, small("swapped", {"--baseline", "main.json"})).exit, 1) << "any failure, by default";
    EXPECT_EQ(ulpgate(f, small("swapped", {"--baseline", "main.json", "--fail-on", "new"})).exit, 0);
    EXPECT_EQ(ulpgate(f, small("swapped", {"--fail-on", "never"})).exit, 0);
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "right.json"})).exit, 0);
    EXPECT_EQ(ulpgate(f, small("crash", {"--fail-on", "never"})).exit, 4) << "a crash is no matter of accuracy";
}

TEST(Baseline, SaysWhatItCannotCompareWith) {
    const Folder f;
    f.write("cut.json", "{\"schema\": \"ulp");
    const auto says = [&](std::vector<std::string> more, std::string_view part) {
        const auto r = ulpgate(f, small("right", std::move(more)));
        EXPECT_EQ(r.exit, 2) << r.both();
        EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    };
    says({"--baseline", "cut.json"}, "cut.json: ends in the middle");
    says({"--baseline", "gone.json"}, "gone.json: No such file");
    says({"--fail-on", "new"}, "'new' needs --against OLD or --baseline FILE.json");
    says({"--fail-on", "sometimes"}, "'sometimes' is none of over, new, never");
    says({"--against", variant("right")}, "is the subject itself");
    says({"--against", "x", "--baseline", "y"}, "one of them");
}

TEST(History, ALineARunWhereSomethingChanged) {
    const Folder f;
    std::filesystem::create_directory(f / "runs");
    for (const auto* name : {"1", "2", "3", "4"}) ASSERT_EQ(ulpgate(f, small("right", {"--json", std::string("runs/") + name + ".json"})).exit, 0);
    ASSERT_EQ(ulpgate(f, {"gate", variant("swapped"), "--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "256", "--rows", "8", "--json", "runs/5.json"}).exit, 1);
    f.write("runs/6.json", "{");
    const auto r = ulpgate(f, {"report", "history", "runs"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("2 the same"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("inadmissible"), std::string::npos);
    EXPECT_NE(r.err.find("6.json: ends in the middle"), std::string::npos) << r.err;
    EXPECT_EQ(ulpgate(f, {"report", "history", "nowhere"}).exit, 2);
}

}  // namespace
}  // namespace ulpgate::testing_cli
