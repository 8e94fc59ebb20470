// The form of `ulpgate bench`, never its numbers.
#include <map>

#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

bool built() { return std::filesystem::exists(std::string(ULPGATE_HOME) + "/ulpgate-bench"); }
#define BUILT_OR_SKIP() \
    if (!built()) GTEST_SKIP() << "ulpgate-bench is not built here: libbenchmark-dev or libmpfr-dev is missing"

TEST(Bench, MeasuresEveryKindOfCellBesideItsPeersAndSaysWithWhat) {
    BUILT_OR_SKIP();
    const Folder f;
    const auto r = ulpgate(f, {"bench", "--quick", "--json", "bench.json"});
    ASSERT_EQ(r.exit, 0) << r.both();
    for (const char* part : {"quick: the numbers mean nothing", "Boost ", "MPFR ", "oracle/ideal/bf16/512", "cpp_bin_float_100", "floors: "})
        EXPECT_NE(r.out.find(part), std::string::npos) << part << r.out;
    const auto j = nlohmann::json::parse(slurp(f / "bench.json"));
    EXPECT_EQ(j["schema"], "ulpgate.bench/1");
    for (const char* key : {"version", "compiler", "flags", "cpu", "isa", "date", "system"}) EXPECT_FALSE(j["context"][key].get<std::string>().empty()) << key;
    for (const char* key : {"boost", "mpfr", "gmp", "benchmark"}) EXPECT_FALSE(j["context"]["peers"][key].get<std::string>().empty()) << key;
    std::map<std::string, int> kinds;
    for (const auto& cell : j["results"]) {
        const auto name = cell["cell"].get<std::string>();
        if (!cell["skipped"].is_null()) {
            EXPECT_FALSE(cell["skipped"].get<std::string>().empty()) << name;
            continue;
        }
        ++kinds[name.substr(0, name.find('/'))];
        EXPECT_GT(cell["rate"].get<double>(), 0) << name;
        EXPECT_FALSE(cell["peers"].empty()) << name;
        for (const auto& p : cell["peers"]) {
            EXPECT_LE(p["low"], p["ratio"]) << name;
            EXPECT_LE(p["ratio"], p["high"]) << name;
            EXPECT_EQ(p["floor"].is_null(), p["met"].is_null()) << name;
        }
    }
    EXPECT_GE(kinds["isolation"], 1);
    EXPECT_EQ(kinds["memory"], 1);
    if (j["context"]["isa"] != "sse2") {
        EXPECT_EQ(kinds["oracle"], 6);
        EXPECT_EQ(kinds["judge"], 3);
        EXPECT_EQ(kinds["kernel"], 3);
    }
}

TEST(Bench, FiltersAndRefusesWhatItDoesNotKnow) {
    BUILT_OR_SKIP();
    const Folder f;
    const auto one = ulpgate(f, {"bench", "--quick", "--filter", "ideal/f32", "--json", "-"});
    ASSERT_EQ(one.exit, 0) << one.err;
    EXPECT_EQ(nlohmann::json::parse(one.out)["results"].size(), 1u) << one.out;
    const auto none = ulpgate(f, {"bench", "--quick", "--filter", "e5m2"});
    EXPECT_EQ(none.exit, 2);
    EXPECT_NE(none.err.find("oracle/ideal/bf16/512"), std::string::npos) << none.err;
    EXPECT_EQ(ulpgate(f, {"bench", "--quick", "--filter", "ideal/f32", "--json", "nowhere/x.json"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"bench", "--fast"}).exit, 2);
}

}  // namespace
}  // namespace ulpgate::testing_cli
