// What a user can get wrong: each a message with what, where and what to do, and exit code 2.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

struct Wrong {
    std::vector<std::string> args;
    std::string part;
};
std::ostream& operator<<(std::ostream& o, const Wrong& w) {
    for (const auto& a : w.args) o << a << ' ';
    return o;
}

class Usage : public testing::TestWithParam<Wrong> {};
TEST_P(Usage, IsToldAndExits2) {
    const Folder f;
    const auto r = ulpgate(f, GetParam().args);
    EXPECT_EQ(r.exit, 2) << r.both();
    EXPECT_NE(r.err.find(GetParam().part), std::string::npos) << r.err;
    EXPECT_EQ(r.out, "");
}
INSTANTIATE_TEST_SUITE_P(
    CommandLine, Usage,
    testing::Values(
        Wrong{{}, "ulpgate VERB --help"}, Wrong{{"gaet"}, "unknown verb 'gaet', did you mean 'gate'?"},
        Wrong{{"gate", "scalar", "--sed", "3"}, "unknown flag --sed, did you mean '--seed'?"},
        Wrong{{"gate", "scalar", "--sed=3"}, "did you mean '--seed'?"},
        Wrong{{"gate", "scalar", "--type", "bf61"}, "--type: no type 'bf61', did you mean 'bf16'?"},
        Wrong{{"gate", "scalar", "--op", "final_nrom"}, "did you mean 'final_norm'?"},
        Wrong{{"gate", "scalar", "--profile", "gaussain"}, "--profile: no profile 'gaussain', did you mean 'gaussian'?"},
        Wrong{{"gate", "scalar", "--d", "0"}, "--d: '0' is not a width"}, Wrong{{"gate", "scalar", "--d", "70000"}, "from 1 to 65536"},
        Wrong{{"gate", "scalar", "--seed", "x"}, "--seed: 'x' is not a whole number"},
        Wrong{{"gate", "scalar", "--rows", "0"}, "--rows: '0' is not a whole number from 1"},
        Wrong{{"gate", "scalar", "--seed"}, "--seed"}, Wrong{{"gate", "scalar", "--timeout", "nan"}, "--timeout: 'nan' is not a number"},
        Wrong{{"gate", "scalar", "--color", "red"}, "--color: 'red' is none of auto, always, never"},
        Wrong{{"gate", "scalar", "--contract", "bf16,cast_frist"}, "--contract: 'bf16,cast_frist', column"},
        Wrong{{"gate", "scalar", "--child-env", "ASAN"}, "--child-env: 'ASAN' is not K=V"},
        Wrong{{"gate", "scalar", "--budget", "none.toml"}, "none.toml: No such file"},
        Wrong{{"gate", "scalar", "--activations", "none.safetensors"}, "none.safetensors"},
        Wrong{{"gate", "@none.cases"}, "none.cases: No such file"},
        Wrong{{"replay", "scalar"}, "needs SUBJECT CASE"}, Wrong{{"replay", "scalar", "a", "b"}, "'b' is too much"},
        Wrong{{"replay", "scalar", "q_a_layernorm/bf16"}, "case, column"},
        Wrong{{"replay", "scalar", "q_a_layernorm/bf16/0/profile=gaussian"}, "case, column 20"},
        Wrong{{"replay", "scalar", "q_a_layernorm/bf16/64/profile=gaussian/sed=3"}, "case, column"},
        Wrong{{"gate", "faulty/eps.nonne"}, "did you mean 'eps.none'?"}, Wrong{{"gate", "model/bf16,cast_frist"}, "subject 'model/bf16,cast_frist', column"},
        Wrong{{"replay", "faulty/eps.nonne", "q_a_layernorm/bf16/64/profile=gaussian"}, "did you mean 'eps.none'?"},
        Wrong{{"export", "q_a_layernrom", "out"}, "did you mean 'q_a_layernorm'?"}, Wrong{{"export", "q_a_layernorm"}, "needs OP DIR"},
        Wrong{{"export", "q_a_layernorm", "out", "--type", "i8"}, "--type: no type 'i8'"},
        Wrong{{"list", "falts"}, "no list 'falts', did you mean 'faults'?"}, Wrong{{"doctor", "x"}, "'x' is too much"}));

TEST(CommandLine, HelpAndVersionGoToStdout) {
    const Folder f;
    for (const auto& args : std::vector<std::vector<std::string>>{{"--help"}, {"help"}, {"-h"}}) {
        const auto r = ulpgate(f, args);
        EXPECT_EQ(r.exit, 0);
        for (const char* verb : {"gate", "replay", "list", "new", "doctor", "demo", "export"}) EXPECT_NE(r.out.find("  " + std::string(verb)), std::string::npos);
        EXPECT_EQ(r.err, "");
    }
    for (const char* verb : {"gate", "replay", "list", "new", "doctor", "demo", "export"}) {
        const auto r = ulpgate(f, {verb, "--help"});
        EXPECT_EQ(r.exit, 0);
        EXPECT_TRUE(r.out.starts_with(std::string("ulpgate ") + verb)) << r.out;
        EXPECT_EQ(ulpgate(f, {"help", verb}).out, r.out);
    }
    EXPECT_TRUE(ulpgate(f, {"--version"}).out.starts_with("ulpgate "));
}

TEST(CommandLine, AFileOfCasesThatCannotBeRead) {
    const Folder f;
    f.write("a.cases", "# only a comment\n\n");
    f.write("b.cases", "q_a_layernorm/bf16/64/profile=gaussian\nscalar q_a_layernorm/bf16/64/profle=gaussian\n");
    f.write("c.cases", "scalar q_a_layernorm/bf16/64/profile=gaussian again\n");
    for (const auto& [file, part] : {std::pair("a.cases", "a.cases: holds no case"), std::pair("b.cases", "b.cases:2: case, column"),
                                     std::pair("c.cases", "c.cases:1: 'again' is too much")}) {
        const auto r = ulpgate(f, {"gate", "scalar", std::string("@") + file});
        EXPECT_EQ(r.exit, 2);
        EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    }
}

TEST(CommandLine, AnEmptyValueIsNotTakenForNone) {
    const Folder f;
    for (const char* flag : {"--json", "--activations", "--budget", "--op"}) {
        const auto r = ulpgate(f, {"gate", "scalar", flag, ""});
        EXPECT_EQ(r.exit, 2) << r.both();
        EXPECT_NE(r.err.find(std::string(flag) + " is empty: it needs"), std::string::npos) << r.err;
    }
}

// Streams that the caller closed: an exit code all the same, of the result or of the output that went nowhere.
TEST(CommandLine, ClosedStreamsChangeNoExitCode) {
    const Folder f;
    const auto exit_of = [&](const std::string& args) {
        const int status = std::system(("cd " + f.path() + " && exec " + ULPGATE_HOME + "/ulpgate " + args).c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    };
    const std::string gate = "gate scalar --op q_a_layernorm --type bf16 --d 64 --rows 2 --json r.json";
    EXPECT_EQ(exit_of(gate + " <&- 2>&- >/dev/null"), 0);
    EXPECT_EQ(exit_of(gate + " <&- 2>&- >&-"), 2);
    EXPECT_TRUE(json_of(slurp(f / "r.json"))["complete"]);
    EXPECT_EQ(exit_of("frob 2>/dev/full"), 2);
}

TEST(CommandLine, ABudgetThatCannotBeRead) {
    const Folder f;
    f.write("b.toml", "schema = \"ulpgate.budget/1\"\nsubject = \"scalar\"\n[[limit]]\ncase = \"q_a_layernorm/bf16/64\"\nr_ulp32 = nan\nwhy = \"x\"\n");
    const auto r = ulpgate(f, {"gate", "scalar", "--budget", "b.toml"});
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("b.toml:5: 'r_ulp32' is NaN"), std::string::npos) << r.err;
}

TEST(Settings, AMisspeltKeyIsAnError) {
    const Folder f;
    f.write("ulpgate.toml", "seed = 3\nrequierd = [\"avx512\"]\n");
    const auto r = ulpgate(f, {"gate", "scalar"});
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("ulpgate.toml:2: unknown key 'requierd', did you mean 'required'?"), std::string::npos) << r.err;
}

TEST(Settings, AMisspeltVariableIsNoted) {
    const Folder f;
    const auto r = ulpgate(f, {"list", "types"}, {{"ULPGATE_BUGDET", "x"}});
    EXPECT_EQ(r.exit, 0);
    EXPECT_NE(r.err.find("ULPGATE_BUGDET is no flag, did you mean 'ULPGATE_BUDGET'?"), std::string::npos) << r.err;
}

TEST(Settings, ABadValueSaysWhereItCameFrom) {
    const Folder f;
    auto r = ulpgate(f, {"gate", "scalar"}, {{"ULPGATE_ROWS", "many"}});
    EXPECT_EQ(r.exit, 2);
    EXPECT_NE(r.err.find("ULPGATE_ROWS: 'many'"), std::string::npos) << r.err;
    f.write("ulpgate.toml", "\nrows = \"some\"\n");
    r = ulpgate(f, {"gate", "scalar"});
    EXPECT_NE(r.err.find("ulpgate.toml:2: 'some'"), std::string::npos) << r.err;
    f.write("ulpgate.toml", "quick = \"yes\"\n");
    EXPECT_NE(ulpgate(f, {"gate", "scalar"}).err.find("'quick' is a string, true or false is needed"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate::testing_cli
