// fuzz, as a user runs it.
#include <thread>

#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

// Everything but the times.
nlohmann::ordered_json state_of(const std::string& folder) {
    auto j = json_of(slurp(folder + "/state.json"));
    j.erase("seconds");
    for (auto& f : j["findings"]) f.erase("seconds"), f.erase("named_after");
    return j;
}

TEST(Fuzz, FindsReplaysAndWritesATest) {
    const Folder f;
    const auto r = ulpgate(f, {"fuzz", "byhand/gain_before_cast", "--count", "64", "--no-probes", "-o", "out", "--for-regression"});
    EXPECT_EQ(r.exit, 1) << r.both();
    EXPECT_NE(r.out.find("it computes f32_gain"), std::string::npos) << r.out;
    const auto file = r.out.substr(0, r.out.find('\n'));
    EXPECT_EQ(ulpgate(f, {"gate", "@out/" + file}).exit, 1) << slurp(f / ("out/" + file));
    const auto right = ulpgate(f, {"gate", "scalar", "@out/regression.cases"});
    EXPECT_TRUE(right.exit == 0 || right.exit == 6) << right.both();  // 6: nothing but rows that eps dominates, which tell little
    EXPECT_EQ(ulpgate(f, {"gate", "byhand/gain_before_cast", "@out/regression.cases"}).exit, 1);
    const auto at = r.out.find("ulpgate replay ") + 15;
    const auto replay = r.out.substr(at, r.out.find('\n', at) - at);
    const auto space = replay.find(' ');
    EXPECT_EQ(ulpgate(f, {"replay", replay.substr(0, space), replay.substr(space + 1)}).exit, 1) << replay;
}

TEST(Fuzz, SeesWhatAKernelDoesToItsProcess) {
    const Folder f;
    for (const auto& [variant, kind] : {std::pair{"crash", "crashed-"}, {"past", "corrupted-"}, {"exit", "crashed-"}}) {
        const auto r = ulpgate(f, {"fuzz", troubled() + "@" + variant, "--count", "32", "-o", variant, "--findings", "1"});
        EXPECT_EQ(r.exit, 1) << r.both();
        EXPECT_EQ(r.out.find(kind), 0u) << r.out;
    }
    const auto hung = ulpgate(f, {"fuzz", troubled() + "@hang", "--count", "2", "-o", "h", "--timeout", "0.2", "--jobs", "1"});
    EXPECT_EQ(hung.exit, 1) << hung.both();
    EXPECT_EQ(hung.out.find("hung-"), 0u) << hung.out;
    EXPECT_EQ(ulpgate(f, {"fuzz", troubled() + "@refuse", "--count", "32", "-o", "r"}).exit, 5);
    EXPECT_EQ(ulpgate(f, {"fuzz", "./none.so", "--count", "32"}).exit, 4);
    EXPECT_EQ(ulpgate(f, {"fuzz", troubled() + "@elsewhere", "--count", "32"}).exit, 5);
    EXPECT_EQ(ulpgate(f, {"fuzz", "scalar", "--count", "many"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"fuzz", "scalar", "--count", "32", "-o", "r"}).exit, 2) << "another campaign lies there";
}

TEST(Fuzz, SaysThatTheKernelWasBuiltAgain) {
    const Folder f;
    const auto built = [&](const char* kernel) {
        std::filesystem::copy_file(std::string(ULPGATE_HOME "/kernels/byhand/") + kernel + ".so", f / "k.so", std::filesystem::copy_options::overwrite_existing);
    };
    built("gain_before_cast");
    EXPECT_EQ(ulpgate(f, {"fuzz", "./k.so", "--count", "64", "-o", "out"}).exit, 1);
    built("right");
    const auto r = ulpgate(f, {"fuzz", "./k.so", "--count", "200", "-o", "out", "--for-regression"});
    EXPECT_EQ(r.exit, 0) << r.both();
    for (const char* part : {"failed in an earlier build, not in this one", "was built again since the last run", "no entry takes"}) EXPECT_NE(r.out.find(part), std::string::npos) << r.out;
    EXPECT_EQ(ulpgate(f, {"gate", "./k.so", "@out/regression.cases"}).exit, 0);
    built("gain_before_cast");
    EXPECT_EQ(ulpgate(f, {"gate", "./k.so", "@out/regression.cases"}).exit, 1);
}

// Killed in the middle, twice, and started again: as if it had never been.
TEST(Fuzz, IsNotHurtByKill) {
    const Folder f;
    const std::vector<std::string> args{"fuzz", "byhand/eps_outside", "--count", "3000", "--no-probes", "--progress", "none", "-o"};
    const auto with = [&](const char* folder) {
        auto a = args;
        a.emplace_back(folder);
        return a;
    };
    EXPECT_EQ(ulpgate(f, with("whole")).exit, 1);
    std::int64_t killed_at = 0;
    for (int k = 0; k < 2; ++k) {
        const Process p(f, with("killed"));
        const auto cases = [&] { return std::filesystem::exists(f / "killed/state.json") ? state_of(f / "killed")["cases"].get<std::int64_t>() : 0; };
        for (int wait = 0; wait < 2000 && cases() <= killed_at; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        p.signal(SIGKILL);
        p.wait();
        killed_at = cases();
    }
    EXPECT_GT(killed_at, 0);
    EXPECT_EQ(ulpgate(f, with("killed")).exit, 1);
    EXPECT_EQ(state_of(f / "killed"), state_of(f / "whole"));
}

}  // namespace
}  // namespace ulpgate::testing_cli
