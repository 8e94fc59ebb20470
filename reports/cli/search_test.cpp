// search, as a user runs it.
#include <thread>

#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

std::string after(const std::string& text, const std::string& what) {
    const auto at = text.find(what);
    if (at == text.npos) return "";
    return text.substr(at + what.size(), text.find('\n', at) - at - what.size());
}

TEST(Search, PrintsTheNumberItsWitnessAndTheBound) {
    const Folder f;
    const auto r = ulpgate(f, {"search", "scalar", "--type", "f32", "--d", "64", "--count", "4000", "--jobs", "1"});
    EXPECT_EQ(r.exit, 0) << r.both();
    for (const char* part : {"searched 4", "allowed ", "found / allowed ", "of the bare kernel call", "on any"}) EXPECT_NE(r.out.find(part), std::string::npos) << r.out;
    const auto replay = after(r.out, "ulpgate replay scalar ");
    EXPECT_EQ(ulpgate(f, {"replay", "scalar", replay}).exit, 0) << replay;
}

TEST(Search, ALibraryRunsInItsOwnProcessUnlessAskedOtherwise) {
    const Folder f;
    const auto r = ulpgate(f, {"search", troubled() + "@crash", "--objective", "outside", "--count", "3"});
    EXPECT_EQ(r.exit, 0) << r.both();
    EXPECT_NE(r.out.find("no row showed anything"), std::string::npos) << r.both();
    EXPECT_EQ(ulpgate(f, {"search", troubled() + "@swapped", "--objective", "ulp", "--d", "16", "--count", "200", "--in-process"}).exit, 0);
}

TEST(Search, SaysWhatItCannotDo) {
    const Folder f;
    EXPECT_EQ(ulpgate(f, {"search", "nobody"}).exit, 4);
    EXPECT_EQ(ulpgate(f, {"search", troubled()}).exit, 5) << "bf16 outputs hide r";
    EXPECT_EQ(ulpgate(f, {"search", "scalar", "--objective", "most"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"search", "scalar", "--gain", "1"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"search", "scalar", "--exhaustive", "--shard", "3/2", "-o", "d"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"search", "scalar", "--exhaustive", "--shard", "1/2"}).exit, 2) << "no folder";
    EXPECT_EQ(ulpgate(f, {"search", "faulty/eps.outside,f32", "--objective", "outside", "--d", "8", "--count", "50"}).exit, 1);
}

TEST(Search, EveryWordInShardsKilledAndMerged) {
    const Folder f;
    const std::vector<std::string> args{"search", "scalar", "--exhaustive", "--contract", "bf16,cast_first"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), args.begin(), args.end());
        return more;
    };
    const auto whole = ulpgate(f, with({"-o", "whole"}));
    EXPECT_EQ(whole.exit, 0) << whole.both();
    EXPECT_NE(whole.out.find("5 of 5 units"), std::string::npos) << whole.out;
    {
        const Process p(f, with({"-o", "parts", "--shard", "1/2", "--jobs", "1"}));
        for (int wait = 0; wait < 1000 && !std::filesystem::exists(f / "parts/exhaustive-1-of-2.json"); ++wait)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        p.signal(SIGKILL);
        p.wait();
    }
    for (const char* shard : {"1/2", "2/2"}) EXPECT_EQ(ulpgate(f, with({"-o", "parts", "--shard", shard})).exit, 0);
    const auto merged = ulpgate(f, {"report", "--merge", "parts/exhaustive-2-of-2.json", "parts/exhaustive-1-of-2.json"});
    EXPECT_EQ(merged.exit, 0) << merged.both();
    const auto rows = [](const std::string& s) { return s.substr(0, s.find(" of 5 units")); };
    EXPECT_EQ(rows(merged.out), rows(whole.out));
    EXPECT_EQ(ulpgate(f, {"report", "--merge", "parts/exhaustive-2-of-2.json", "parts/exhaustive-2-of-2.json"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"search", "byhand/eps_outside", "--exhaustive", "--gain", "1"}).exit, 1);
}

}  // namespace
}  // namespace ulpgate::testing_cli
