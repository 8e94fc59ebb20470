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

// What a shell says of a command: its exit code, then its stderr.
std::string shell(const Folder& f, const std::string& script) {
    f.write("try.sh", script);
    EXPECT_NE(std::system(("sh '" + f / "try.sh" + "' >'" + f / "said.txt" + "' 2>&1 </dev/null").c_str()), -1);
    return slurp(f / "said.txt");
}
constexpr const char* all_formats[] = {"json", "junit", "markdown", "sarif", "html"};

std::string write_all(const std::string& folder) {
    std::string s = std::string(ULPGATE_HOME) + "/ulpgate report run.json";
    for (const std::string format : all_formats) s += " --" + format + " " + folder + "/old." + format;
    return s;
}

// A file that would grow beyond what is allowed: no part of it replaces the old one, and no temporary file stays.
TEST(Report, AWriteThatFailsHalfwayLeavesTheOldFile) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "run.json"})).exit, 0);
    std::filesystem::create_directory(f / "out");
    for (const std::string format : all_formats) f.write("out/old." + format, "old");
    const auto said = shell(f, "cd '" + f.path() + "'\n(trap '' XFSZ; ulimit -f 0; " + write_all("out") + " 2>&1 >/dev/null; echo \"exit $?\") | cat\n");
    EXPECT_NE(said.find("exit 2"), std::string::npos) << said;
    for (const std::string format : all_formats) {
        EXPECT_NE(said.find("--" + format + ": out/old." + format + ": File too large"), std::string::npos) << said;
        EXPECT_EQ(slurp(f / ("out/old." + format)), "old") << format;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(f / "out"), std::filesystem::directory_iterator()), 5);
}

// The same on a disk that is full, where this user may mount a small one.
TEST(Report, AFullDiskLeavesTheOldFile) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "run.json"})).exit, 0);
    std::filesystem::create_directory(f / "disk");
    const auto said = shell(f, "cd '" + f.path() + "'\nunshare -rm sh -c 'mount -t tmpfs -o size=24k none disk && echo mounted && for k in json junit markdown sarif html; do echo old >disk/old.$k; done && " +
                                   write_all("disk") + " >/dev/null; echo exit $?; ls -A disk; cat disk/old.json disk/old.html'\n");
    if (said.find("mounted") == std::string::npos) GTEST_SKIP() << "no file system can be mounted here: " << said;
    EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
    EXPECT_NE(said.find("exit 2\nold.html\nold.json\nold.junit\nold.markdown\nold.sarif\nold\nold\n"), std::string::npos) << said;
}

TEST(Report, APathThatCannotBeWrittenIsNamed) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, small("right", {"--json", "run.json"})).exit, 0);
    for (const std::string format : all_formats) {
        const auto r = ulpgate(f, {"report", "run.json", "--" + format, "no/such/folder"});
        EXPECT_EQ(r.exit, 2) << r.both();
        EXPECT_NE(r.err.find("--" + format + ": no/such/folder: No such file or directory"), std::string::npos) << r.err;
    }
}

// Markup and control characters in a subject's name reach no format as themselves.
TEST(Report, AHostileNameIsEscapedEverywhere) {
    const Folder f;
    const std::string hostile = "./k<script>alert(1)</script>&\"'|`]]>--%0A::error::\x1b[31m\x01\r.so";
    std::vector<std::string> args{"gate", hostile, troubled() + "@swapped", "--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "64", "--rows", "2", "--annotations", "github"};
    for (const std::string format : all_formats) args.insert(args.end(), {"--" + format, "k." + format});
    const auto r = ulpgate(f, args);
    EXPECT_EQ(r.exit, 4) << r.both();
    const auto clean = [](const std::string& text, const std::string& what) {
        for (const char c : text) EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) << what << " holds byte " << int{c};
    };
    clean(r.both(), "the terminal");
    EXPECT_EQ(r.out.find("\n::error::"), std::string::npos);
    for (const std::string format : all_formats) {
        const auto text = slurp(f / ("k." + format));
        clean(text, format);
        if (format == "html" || format == "junit") {
            EXPECT_EQ(text.find("<script"), std::string::npos) << format;
        }
        if (format == "markdown") {
            EXPECT_EQ(text.find("\n::error::"), std::string::npos) << format;
        }
        EXPECT_NE(text.find("alert(1)"), std::string::npos) << format << " does not name it";
    }
    const auto j = json_of(slurp(f / "k.json"));
    EXPECT_EQ(j["not_loaded"][0]["subject"], hostile) << "JSON keeps it as it is";
    EXPECT_EQ(json_of(slurp(f / "k.sarif"))["version"], "2.1.0");
    // What another machine renders from it is no less clean.
    const auto again = ulpgate(f, {"report", "k.json", "--html", "again.html", "--junit", "again.xml"});
    EXPECT_EQ(again.exit, 4);
    clean(again.both(), "report's terminal");
    EXPECT_EQ(slurp(f / "again.html"), slurp(f / "k.html"));
}

// Sampled rows, a searched table and every word of a type on one page.
TEST(Report, ComparesWhatWasSampledSearchedAndExhausted) {
    const Folder f;
    ASSERT_EQ(ulpgate(f, {"gate", "scalar", "byhand/right", "--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "64", "--rows", "2", "--json", "run.json"}).exit, 0);
    f.write("w.toml", "schema = \"ulpgate.worst/1\"\n[[worst]]\nsubject = \"scalar\"\nr_ulp32 = 0.5\ncount = \"searched 9\"\ncase = \"q_a_layernorm/bf16/64/contract=cast_first/fill=0x1p+0/gain=ones\"\n");
    const auto differs = ulpgate(f, {"report", "table", "w.toml", "--json", "table.json"});
    EXPECT_EQ(differs.exit, 1) << "its number is another: " << differs.both();
    EXPECT_FALSE(json_of(slurp(f / "table.json")).contains("maxima"));
    ASSERT_EQ(ulpgate(f, {"search", "scalar", "--exhaustive", "--type", "bf16", "--gain", "1", "-o", "."}).exit, 0);
    const auto r = ulpgate(f, {"report", "--merge", "run.json", "exhaustive-1-of-1.json", "--html", "c.html", "--json", "c.json"});
    EXPECT_EQ(r.exit, 0) << r.both();
    const auto page = slurp(f / "c.html");
    EXPECT_NE(page.find("sampled "), std::string::npos);
    EXPECT_NE(page.find("exhaustive 65,536 words, d 1"), std::string::npos);
    EXPECT_EQ(json_of(slurp(f / "c.json"))["maxima"][0]["count"], "exhaustive 65536");
    EXPECT_EQ(ulpgate(f, {"report", "exhaustive-1-of-1.json", "--junit", "-"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"report", "c.json", "--json", "d.json"}).exit, 0);
    EXPECT_EQ(slurp(f / "d.json"), slurp(f / "c.json"));
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
