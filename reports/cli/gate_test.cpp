// gate from end to end: small cases, kernels built here, every exit code that a subject can cause.
#include "reports/cli/process_test.hpp"

#include <chrono>
#include <thread>

namespace ulpgate::testing_cli {
namespace {

// Narrow and few rows: what is judged does not depend on it.
std::vector<std::string> small(std::vector<std::string> subjects, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"gate"};
    args.insert(args.end(), subjects.begin(), subjects.end());
    for (const char* a : {"--op", "q_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--d", "256", "--rows", "8"}) args.emplace_back(a);
    args.insert(args.end(), more.begin(), more.end());
    return args;
}
std::string variant(const std::string& v) { return troubled() + "@" + v; }

std::string replay_in(const std::string& out) {
    const auto at = out.find("ulpgate replay ");
    if (at == out.npos) return "";
    return out.substr(at, out.find('\n', at) - at);
}
std::vector<std::string> words(const std::string& s) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < s.size();) {
        const auto end = std::min(s.find(' ', at), s.size());
        if (end > at) out.push_back(s.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

TEST(Gate, ARightKernelPasses) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("right")}));
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("q_a_layernorm"), std::string::npos);
    EXPECT_NE(r.out.find("pass"), std::string::npos);
    EXPECT_NE(r.out.find("would have seen"), std::string::npos) << r.out;
    EXPECT_NE(r.err.find("self-check 4,096/4,096"), std::string::npos) << r.err;
    EXPECT_EQ(r.both().find('\x1b'), std::string::npos) << "no colour away from a terminal";
    EXPECT_NE(ulpgate(f, small({variant("right")}, {"--color", "always"})).out.find('\x1b'), std::string::npos);
}

TEST(Gate, ASwappedGainIsNamedAndItsReplayReproducesIt) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("swapped")}));
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_NE(r.out.find("q_a_layernorm bf16 is not cast_first"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("it computes f32_gain"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("fix"), std::string::npos);
    auto argv = words(replay_in(r.out));
    ASSERT_EQ(argv.size(), 4u) << r.out;
    EXPECT_NE(argv[3].find("/h="), std::string::npos);
    EXPECT_NE(argv[3].find("/row="), std::string::npos);
    const Folder elsewhere;
    const auto again = ulpgate(elsewhere, {argv[1], argv[2], argv[3]});
    EXPECT_EQ(again.exit, 1) << again.both();
    EXPECT_NE(again.out.find("allowed"), std::string::npos);
    EXPECT_NE(again.out.find(argv[3]), std::string::npos) << "a replay prints the same replay";

    auto wrong = argv[3];
    auto& digit = wrong[wrong.find("/h=") + 3];
    digit = digit == '0' ? '1' : '0';
    const auto refused = ulpgate(elsewhere, {"replay", argv[2], wrong});
    EXPECT_EQ(refused.exit, 3) << refused.both();
    EXPECT_NE(refused.err.find("the case says h="), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");

    f.write("lines.cases", "# one line\n" + argv[2] + " " + argv[3] + "\n");
    EXPECT_EQ(ulpgate(f, {"gate", "@lines.cases"}).exit, 1);
    f.write("bare.cases", argv[3] + "  # for any subject\n");
    EXPECT_EQ(ulpgate(f, {"gate", variant("right"), "@bare.cases"}).exit, 0);
    f.write("wrong.cases", wrong + "\n");
    const auto hash = ulpgate(f, {"gate", variant("right"), "@wrong.cases"});
    EXPECT_EQ(hash.exit, 3) << hash.both();
}

// Every faulty kernel by hand: what the JSON says to replay gives the same verdict and the same inputs in another folder.
TEST(Gate, EveryFailureByHandReplays) {
    const Folder f, elsewhere;
    const auto run = ulpgate(f, {"gate", "byhand/gain_before_cast", "byhand/rstd_bf16", "byhand/eps_outside", "byhand/dropped_tail", "byhand/nan_output",
                                 "--op", "kv_a_layernorm", "--type", "bf16", "--d", "512", "--json", "-"});
    EXPECT_EQ(run.exit, 1) << run.err;
    const auto j = json_of(run.out);
    ASSERT_EQ(j["results"].size(), 5u);
    for (const auto& result : j["results"]) {
        ASSERT_EQ(result["verdict"], "inadmissible") << result["subject"];
        const auto line = result["replay"][3].get<std::string>();
        EXPECT_NE(line.find("/h="), std::string::npos) << line;
        const auto again = ulpgate(elsewhere, {"replay", result["replay"][2], line, "--json"});
        EXPECT_EQ(again.exit, 1) << again.both();
        const auto r = json_of(again.out)["results"][0];
        EXPECT_EQ(r["case"], line);
        EXPECT_EQ(r["verdict"], result["verdict"]);
        EXPECT_EQ(r["witness"], result["witness"]);
    }
}

TEST(Gate, RealActivationsAreAProfile) {
    const Folder f;
    const auto file = std::string(ULPGATE_SOURCE) + "/properties/activations/smollm2-135m.safetensors";
    const auto r = ulpgate(f, {"gate", variant("right"), "--op", "q_a_layernorm", "--activations", file, "--profile", "activations", "--json", "-"});
    EXPECT_EQ(r.exit, 0) << r.both();
    const auto j = json_of(r.out);
    ASSERT_EQ(j["results"].size(), 1u);
    EXPECT_EQ(j["results"][0]["d"], nlohmann::json::array({576}));
    EXPECT_EQ(j["context"]["share"], 1.0);
    f.write("bad.safetensors", "junk");
    EXPECT_EQ(ulpgate(f, {"gate", variant("right"), "--activations", "bad.safetensors"}).exit, 2);
}

TEST(Gate, NoClaimIsInferredAndPinned) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("silent")}));
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("pin it with --contract bf16,f32_gain"), std::string::npos) << r.out;
    EXPECT_EQ(ulpgate(f, small({variant("silent")}, {"--contract", "f32_gain"})).exit, 0);
    EXPECT_EQ(ulpgate(f, small({variant("silent")}, {"--contract", "bf16,cast_first"})).exit, 1);
    EXPECT_EQ(ulpgate(f, small({variant("silent")}, {"--require-claim"})).exit, 2);
    EXPECT_EQ(ulpgate(f, small({variant("right")}, {"--require-claim"})).exit, 0);
}

TEST(Gate, WhatEndsItsProcessIsAVerdictAndTheRestIsJudged) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("crash"), variant("right"), variant("exit")}, {"--json", "-"}));
    EXPECT_EQ(r.exit, 4) << r.both();
    const auto j = json_of(r.out);
    ASSERT_EQ(j["results"].size(), 3u);
    EXPECT_EQ(j["results"][0]["verdict"], "crashed");
    EXPECT_EQ(j["results"][1]["verdict"], "pass");
    EXPECT_EQ(j["results"][2]["verdict"], "crashed");
    EXPECT_NE(j["results"][2]["what"].get<std::string>().find("exit"), std::string::npos);
    EXPECT_EQ(j["totals"]["crashed"], 2);
    EXPECT_EQ(j["totals"]["pass"], 1);
    EXPECT_EQ(j["exit"], 4);
    EXPECT_TRUE(j["complete"]);
}

TEST(Gate, AJsonFileThatCannotBeWrittenLosesNothingOfTheTable) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("right")}, {"--json", "no/such/folder.json"}));
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("no/such/folder.json: No such file"), std::string::npos) << r.err;
    EXPECT_NE(r.out.find("1 pass"), std::string::npos) << r.out;
}

TEST(Gate, CasesLeftOutAfterCrashesAreSaidOnce) {
    const Folder f;
    const auto r = ulpgate(f, {"gate", variant("crash"), "--op", "kv_a_layernorm", "--type", "bf16", "--quick", "--json", "-"});
    const auto j = json_of(r.out);
    ASSERT_EQ(j["results"].size(), 1u);
    ASSERT_EQ(j["results"][0]["findings"].size(), 1u) << j["results"][0]["findings"];
    EXPECT_NE(j["results"][0]["findings"][0].get<std::string>().find("cases left out after 3"), std::string::npos);
}

// On the rows that fail, rows of zeros, a missing eps would give the same NaN; the rows that pass say that it is not that.
TEST(Gate, ANameMustGiveTheRowsThatPassedToo) {
    const Folder f;
    const auto r = ulpgate(f, {"gate", "byhand/nan_output", "--op", "q_a_layernorm", "--type", "bf16", "--quick"});
    EXPECT_EQ(r.exit, 1);
    EXPECT_NE(r.out.find("unknown: "), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("it computes"), std::string::npos) << r.out;
}

TEST(Gate, AHangIsAVerdict) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("hang"), variant("right")}, {"--timeout", "0.2"}));
    EXPECT_EQ(r.exit, 4) << r.both();
    EXPECT_NE(r.out.find("HUNG"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("pass"), std::string::npos) << r.out;
}

TEST(Gate, WritingPastTheOutputIsCorrupted) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("past")}));
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_NE(r.out.find("CORRUPTED"), std::string::npos) << r.out;
}

TEST(Gate, WhatDoesNotLoadIsToldAndTheRestRuns) {
    const Folder f;
    f.write("text.so", "not an ELF file");
    const auto r = ulpgate(f, small({f / "none.so", f / "text.so", variant("mumbling"), variant("right")}));
    EXPECT_EQ(r.exit, 4) << r.both();
    EXPECT_NE(r.out.find("none.so: DID NOT LOAD"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("text.so: DID NOT LOAD"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("'cast_frist' is not"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("1 pass, 3 not loaded"), std::string::npos) << r.out;
}

TEST(Gate, SkippedIsCountedAndFatalWhereRequired) {
    const Folder f;
    const auto alone = ulpgate(f, small({variant("elsewhere")}));
    EXPECT_EQ(alone.exit, 5) << alone.both();
    EXPECT_NE(alone.out.find("SKIPPED: needs a machine that nobody has"), std::string::npos) << alone.out;
    EXPECT_EQ(ulpgate(f, small({variant("elsewhere"), variant("right")})).exit, 0);
    f.write("ulpgate.toml", "required = [\"" + variant("elsewhere") + "\"]\n");
    const auto required = ulpgate(f, small({variant("elsewhere"), variant("right")}));
    EXPECT_EQ(required.exit, 5) << required.both();
    EXPECT_NE(required.out.find("(required)"), std::string::npos);
    EXPECT_EQ(ulpgate(f, small({variant("right")})).exit, 0) << "a run of other subjects owes it nothing";
}

TEST(Gate, ARefusalIsCountedAndNotHeldAgainst) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("refuse")}));
    EXPECT_EQ(r.exit, 5) << r.both();
    EXPECT_NE(r.out.find("refused"), std::string::npos) << r.out;
}

TEST(Gate, AFailureThatNeedsEarlierCallsIsUnstableAndItsSequenceReplays) {
    const Folder f;
    auto args = small({variant("later")});
    for (const char* d : {"17", "18", "19", "20", "21"}) args.insert(args.end(), {"--d", d});
    const auto r = ulpgate(f, args);
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_NE(r.out.find("UNSTABLE"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("depends on earlier calls"), std::string::npos) << r.out;
    const auto at = r.out.find("ulpgate gate @");
    ASSERT_NE(at, std::string::npos) << r.out;
    const auto argv = words(r.out.substr(at, r.out.find('\n', at) - at));
    EXPECT_EQ(ulpgate(f, {argv[1], argv[2]}).exit, 1);
}

TEST(Gate, EachSequenceHasAFileOfItsOwn) {
    const Folder f;
    const std::string same = f / "other.so";
    std::filesystem::copy_file(troubled(), same);
    auto args = small({variant("later"), same + "@later"});
    for (const char* d : {"17", "18", "19", "20", "21"}) args.insert(args.end(), {"--d", d});
    const auto r = ulpgate(f, args);
    std::vector<std::string> files;
    for (auto at = r.out.find("gate @"); at != std::string::npos; at = r.out.find("gate @", at + 1))
        files.push_back(r.out.substr(at + 6, r.out.find('\n', at) - at - 6));
    ASSERT_EQ(files.size(), 4u) << "one a subject and verdict: unstable, inadmissible\n" << r.out;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NE(slurp(f / files[k]).find(k < 2 ? troubled() : same), std::string::npos) << files[k];
}

TEST(Gate, ABudgetIsASecondGate) {
    const Folder f;
    const auto budget = [&](const std::string& rest) {
        f.write("b.toml", "schema = \"ulpgate.budget/1\"\nsubject = \"" + variant("right") + "\"\n" + rest);
        return ulpgate(f, small({variant("right"), variant("swapped")}, {"--budget", "b.toml", "--json", "-"}));
    };
    const std::string limit = "[[limit]]\ncase = \"q_a_layernorm/bf16/256\"\nwhy = \"agreed\"\nulp = ";
    auto j = json_of(budget(limit + "1.5\n").out);
    EXPECT_EQ(j["results"][0]["verdict"], "pass");
    EXPECT_FALSE(j["results"][0]["limits"][0]["over"]);
    j = json_of(budget(limit + "0.5\n").out);
    EXPECT_EQ(j["results"][0]["verdict"], "over");
    EXPECT_TRUE(j["results"][0]["limits"][0]["over"]);
    EXPECT_EQ(j["exit"], 1);
    j = json_of(budget(limit + "9\n").out);
    EXPECT_NE(j["results"][0]["limits"][0]["note"].get<std::string>().find("cannot fire"), std::string::npos);
}

TEST(Gate, AKnownFindingIsNotFatalUntilItChanges) {
    const Folder f;
    const auto with = [&](const std::string& finding, const std::string& until = "2999-12-31") {
        f.write("b.toml", "schema = \"ulpgate.budget/1\"\nsubject = \"" + variant("swapped") + "\"\n[[known]]\ncase = \"q_a_layernorm/bf16/256\"\nfinding = \"" +
                              finding + "\"\nwhy = \"ticket 12\"\nuntil = " + until + "\n");
        return ulpgate(f, small({variant("swapped")}, {"--budget", "b.toml"}));
    };
    const auto known = with("inadmissible");
    EXPECT_EQ(known.exit, 0) << known.both();
    EXPECT_NE(known.out.find("ticket 12"), std::string::npos);
    EXPECT_NE(known.out.find("1 known"), std::string::npos);
    const auto changed = with("corrupted");
    EXPECT_EQ(changed.exit, 1) << changed.both();
    EXPECT_NE(changed.out.find("changed"), std::string::npos);
    EXPECT_EQ(with("inadmissible", "2020-01-01").exit, 2);
}

TEST(Gate, FlagsThenVariablesThenTheFileThenDefaults) {
    const Folder f;
    f.write("ulpgate.toml", "seed = 11\njson = \"from-file.json\"\n");
    const auto seed = [&](std::vector<std::string> more, const Environment& env) {
        const auto r = ulpgate(f, small({variant("right")}, std::move(more)), env);
        EXPECT_EQ(r.exit, 0) << r.both();
        const auto path = f / "from-file.json";
        const auto j = json_of(slurp(path));
        std::filesystem::remove(path);
        return j["context"]["seed"].get<int>();
    };
    EXPECT_EQ(seed({}, {}), 11);
    EXPECT_EQ(seed({}, {{"ULPGATE_SEED", "12"}}), 12);
    EXPECT_EQ(seed({"--seed", "13"}, {{"ULPGATE_SEED", "12"}}), 13);
    std::filesystem::remove(f / "ulpgate.toml");
    EXPECT_EQ(json_of(ulpgate(f, small({variant("right")}, {"--json", "-"})).out)["context"]["seed"], 7);
}

TEST(Gate, TheJsonSaysWhatTheTableSays) {
    const Folder f;
    const auto args = small({variant("right"), variant("swapped"), variant("elsewhere"), f / "none.so"}, {"--json", f / "r.json"});
    const auto r = ulpgate(f, args);
    const auto j = json_of(slurp(f / "r.json"));
    EXPECT_EQ(j["exit"], r.exit);
    EXPECT_EQ(j.begin().key(), "schema");
    std::string line;
    for (const auto& [what, n] : j["totals"].items()) line += (line.empty() ? "" : ", ") + std::to_string(n.get<int>()) + " " + what;
    EXPECT_NE(r.out.find(line + " in "), std::string::npos) << line << "\n" << r.out;
    const auto& failing = j["results"][1];
    EXPECT_EQ(failing["replay"][2], variant("swapped"));
    const auto again = ulpgate(f, {"replay", failing["replay"][2], failing["replay"][3]});
    EXPECT_EQ(again.exit, 1);
    for (const auto& entry : std::filesystem::directory_iterator(f.path()))
        EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << "a temporary file stayed";
}

TEST(Gate, AResultThatCannotBeWrittenIsTold) {
    const Folder f;
    const auto r = ulpgate(f, small({variant("right")}, {"--json", f / "no/such/folder.json"}));
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("folder.json"), std::string::npos);
}

TEST(Gate, CtrlCKeepsWhatIsDone) {
    const Folder f;
    f.write("old.json", "the last run's");
    std::vector<std::string> args{"gate", variant("right"), variant("hang"), "--op", "q_a_layernorm", "--type", "bf16", "--d", "256", "--rows", "4",
                                  "--jobs", "1", "--timeout", "100", "--progress", "counter", "--json", f / "old.json"};
    const Process p(f, args);
    // The hang sits in its first case for ever; the first subject is done by then.
    std::string err;
    for (int k = 0; k < 600; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const auto now = p.err_so_far();
        if (!now.empty() && now == err && now.find("1/") != now.npos && k > 20) break;
        err = now;
    }
    EXPECT_EQ(slurp(f / "old.json"), "the last run's") << "nothing is replaced before the end";
    p.signal(SIGINT);
    const auto r = p.wait();
    EXPECT_EQ(r.exit, 130) << r.both();
    const auto j = json_of(slurp(f / "old.json"));
    EXPECT_FALSE(j["complete"]);
    EXPECT_EQ(j["exit"], 130);
    ASSERT_GE(j["results"].size(), 1u);
    EXPECT_EQ(j["results"][0]["verdict"], "pass");
    EXPECT_NE(r.out.find("interrupted"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace ulpgate::testing_cli
