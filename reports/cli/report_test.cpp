// Outputs of gate and report from end to end.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

std::vector<std::string> small(const std::string& v, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"gate", troubled() + "@" + v, "--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "256", "--rows", "8"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

TEST(Report, RendersFromTheJsonAloneWhatGateRendered) {
    const Folder f;
    const auto g = ulpgate(f, small("swapped", {"--json", "run.json", "--junit", "run.xml", "--markdown", "run.md", "--sarif", "run.sarif"}));
    EXPECT_EQ(g.exit, 1) << g.both();
    const auto r = ulpgate(f, {"report", "run.json", "--json", "again.json", "--junit", "again.xml", "--markdown", "again.md", "--sarif", "again.sarif"});
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_EQ(r.out, g.out);
    for (const std::string ext : {"json", "xml", "md", "sarif"}) EXPECT_EQ(slurp(f / ("again." + ext)), slurp(f / ("run." + ext))) << ext;
}

TEST(Report, OneFormatMayGoToStdoutAndTheTableThenGoesToStderr) {
    const Folder f;
    const auto g = ulpgate(f, small("right", {"--junit", "-", "--json", "run.json"}));
    EXPECT_EQ(g.exit, 0);
    EXPECT_TRUE(g.out.starts_with("<?xml")) << g.out;
    EXPECT_NE(g.err.find("would have seen"), std::string::npos);
    const auto both = ulpgate(f, {"report", "run.json", "--junit", "-", "--markdown", "-"});
    EXPECT_EQ(both.exit, 2);
    EXPECT_NE(both.err.find("--markdown: stdout is taken"), std::string::npos) << both.err;
    EXPECT_EQ(ulpgate(f, {"report", "run.json", "--annotations", "gitlab"}).exit, 2);
}

TEST(Report, AnnotationsFollowTheTable) {
    const Folder f;
    const auto g = ulpgate(f, small("swapped", {"--annotations", "github"}));
    EXPECT_EQ(g.exit, 1);
    EXPECT_LT(g.out.find("is not cast_first"), g.out.find("\n::error title="));
}

// Every other file is written, the old one stays, the message names the flag and the path.
TEST(Report, AFileThatCannotBeWrittenLosesNothingElse) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "run.json"})).exit, 0);
    std::filesystem::create_directory(f / "old.xml");
    const auto r = ulpgate(f, {"report", "run.json", "--junit", "old.xml", "--markdown", "/dev/full", "--sarif", "run.sarif"});
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("--junit: old.xml"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("--markdown: /dev/full: No space left on device"), std::string::npos) << r.err;
    EXPECT_NE(slurp(f / "run.sarif").find("2.1.0"), std::string::npos);
    EXPECT_NE(r.out.find("would have seen"), std::string::npos);
}

TEST(Report, MergesShards) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "a.json"})).exit, 0);
    ASSERT_EQ(ulpgate(f, small("right", {"--seed", "8", "--json", "b.json"})).exit, 0);
    EXPECT_EQ(ulpgate(f, {"report", "a.json", "b.json"}).exit, 2);
    const auto r = ulpgate(f, {"report", "--merge", "a.json", "b.json", "--json", "-"});
    EXPECT_EQ(r.exit, 0) << r.both();
    const auto j = json_of(r.out);
    ASSERT_EQ(j["results"].size(), 1u);
    EXPECT_EQ(j["results"][0]["rows"], 16);
}

TEST(Report, AFileThatIsNoRunIsRefused) {
    const Folder f;
    f.write("cut.json", "{\"schema\": \"ulpgate.run/1\", \"con");
    const auto cut = ulpgate(f, {"report", "cut.json"});
    EXPECT_EQ(cut.exit, 2);
    EXPECT_NE(cut.err.find("cut.json: ends in the middle"), std::string::npos) << cut.err;
    f.write("other.json", "{\"schema\": \"ulpgate.run/9\"}");
    const auto other = ulpgate(f, {"report", "other.json"});
    EXPECT_EQ(other.exit, 2);
    EXPECT_NE(other.err.find("'ulpgate.run/9' is not ulpgate.run/1"), std::string::npos) << other.err;
    EXPECT_EQ(ulpgate(f, {"report", "gone.json"}).exit, 2);
}

TEST(Report, ANameWithControlCharactersNeverReachesTheTerminal) {
    const Folder f;
    const auto r = ulpgate(f, {"gate", "./\x1b[2Jgone.so", "--annotations", "github"});
    EXPECT_EQ(r.exit, 4) << r.both();
    EXPECT_EQ(r.both().find('\x1b'), std::string::npos) << r.both();
    EXPECT_NE(r.out.find("\\x1b[2Jgone.so"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace ulpgate::testing_cli
