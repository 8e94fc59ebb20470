#include "fuzz/campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/campaign/state.hpp"
#include "reference/base/file.hpp"
#include "reference/base/sha1.hpp"

namespace ulpgate::fuzzing {
namespace {

CampaignOptions options(const std::string& subject, std::int64_t count) {
    CampaignOptions o;
    o.subject = subject;
    o.subject_options.home = ULPGATE_HOME;
    o.seconds = 1e6;
    o.count = count;
    o.types = {"bf16"};
    o.probes = false;
    o.tries = 80;
    return o;
}

CampaignResult run(const CampaignOptions& o) {
    CampaignWatcher quiet;
    auto r = run_campaign(o, quiet);
    EXPECT_EQ(r.what, "");
    return r;
}

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ulpgate_fuzz_XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

TEST(Campaign, FindsNothingInAKernelThatKeepsItsContract) {
    const auto r = run(options("byhand/right", 600));
    EXPECT_TRUE(r.state.findings.empty()) << r.state.findings[0].line;
    EXPECT_EQ(r.state.cases, 600);
    EXPECT_GT(r.state.features.size(), 100u);
    EXPECT_GT(r.state.corpus.size(), 20u);
    EXPECT_GT(r.state.records.at("bf16,cast_first").ulp, 1);
}

TEST(Campaign, NamesWhatItFindsOnceAndReducesIt) {
    const auto r = run(options("byhand/gain_before_cast", 200));
    ASSERT_EQ(r.state.findings.size(), 1u);
    const Finding& f = r.state.findings[0];
    EXPECT_EQ(f.diagnosis, "bf16,cast_first f32_gain");
    EXPECT_GT(f.times, 1);
    Case c;
    ASSERT_FALSE(parse(f.line, c));
    EXPECT_LE(c.d, 16) << f.line;  // drawn with some thousands
    EXPECT_EQ(f.file(), f.kind + "-" + sha1(f.line));
    const auto nan = run(options("byhand/nan_output", 100));
    ASSERT_EQ(nan.state.findings.size(), 1u);
    EXPECT_EQ(nan.state.findings[0].kind, "nan");
}

// What a state holds, less the times.
void strip(State& s) {
    s.seconds = 0;
    for (auto& f : s.findings) f.seconds = f.named_after = 0;
}

void expect_same(State a, State b) {
    strip(a);
    strip(b);
    EXPECT_EQ(a.cases, b.cases);
    EXPECT_EQ(a.generation, b.generation);
    EXPECT_EQ(a.features, b.features);
    EXPECT_EQ(a.seen, b.seen);
    ASSERT_EQ(a.corpus.size(), b.corpus.size());
    for (std::size_t k = 0; k < a.corpus.size(); ++k) EXPECT_EQ(print(a.corpus[k].input), print(b.corpus[k].input));
    ASSERT_EQ(a.findings.size(), b.findings.size());
    for (std::size_t k = 0; k < a.findings.size(); ++k) EXPECT_EQ(text_of(a.findings[k], "", 0), text_of(b.findings[k], "", 0));
    for (const auto& [contract, r] : a.records) {
        EXPECT_EQ(r.r_line, b.records[contract].r_line);
        EXPECT_EQ(r.ulp, b.records[contract].ulp);
    }
}

TEST(Campaign, IsTheSameOnAnyNumberOfThreads) {
    auto o = options("byhand/eps_outside", 400);
    const auto one = run(o);
    o.jobs = 5;
    expect_same(one.state, run(o).state);
    o.seed = 8;
    EXPECT_NE(run(o).state.features, one.state.features);
}

class StopsAfter final : public CampaignWatcher {
  public:
    explicit StopsAfter(int generations) : left_(generations) {}
    void progress(const State&, double) override { --left_; }
    bool stop() override { return left_ <= 0; }

  private:
    int left_;
};

TEST(Campaign, GoesOnWhereItWasStopped) {
    const Folder folder;
    auto o = options("byhand/eps_outside", 500);
    const auto whole = run(o);
    o.folder = folder.path;
    StopsAfter early(3);
    const auto first = run_campaign(o, early);
    EXPECT_TRUE(first.interrupted);
    EXPECT_GT(first.state.cases, 0);
    EXPECT_LT(first.state.cases, 500);
    State saved;
    bool found = false;
    ASSERT_EQ(read_state(folder.path, saved, found), "");
    ASSERT_TRUE(found);
    EXPECT_EQ(saved.cases, first.state.cases);
    const auto second = run(o);
    EXPECT_EQ(second.cases_before, first.state.cases);
    expect_same(whole.state, second.state);
    for (const auto& f : second.state.findings) EXPECT_TRUE(std::filesystem::exists(folder.path + "/" + f.file()));
    o.seed = 9;
    CampaignWatcher quiet;
    EXPECT_EQ(run_campaign(o, quiet).how, CampaignResult::How::other_campaign);
    ASSERT_EQ(write_file(folder.path + "/state.json", "{\"schema\": 3"), "");
    EXPECT_EQ(run_campaign(o, quiet).how, CampaignResult::How::bad_folder);
}

// A library that is replaced between two runs, by one that is right and back.
TEST(Campaign, NoticesThatTheKernelWasBuiltAgain) {
    const Folder folder;
    const std::string library = folder.path + "/k.so";
    const auto built = [&](const char* kernel) {
        std::filesystem::copy_file(std::string(ULPGATE_HOME "/kernels/byhand/") + kernel + ".so", library, std::filesystem::copy_options::overwrite_existing);
    };
    auto o = options(library, 200);
    o.folder = folder.path;
    built("gain_before_cast");
    const auto first = run(o);
    ASSERT_EQ(first.state.findings.size(), 1u);
    EXPECT_EQ(first.rebuilt, "");
    o.count = 400;
    EXPECT_EQ(run(o).rebuilt, "") << "the same build";
    o.count = 600;
    built("right");
    const auto right = run(o);
    EXPECT_NE(right.rebuilt.find("of 1 findings 0 fail still and 1 no longer"), std::string::npos) << right.rebuilt;
    EXPECT_TRUE(right.state.findings.empty());
    ASSERT_EQ(right.state.mended.size(), 1u);
    EXPECT_EQ(right.state.mended[0].line, first.state.findings[0].line);
    EXPECT_GT(right.state.corpus.size(), 20u);
    EXPECT_NE(regression_text(right.state.findings, right.state.mended, "k").find(first.state.findings[0].line), std::string::npos);
    o.count = 800;
    built("gain_before_cast");
    const auto back = run(o);
    EXPECT_NE(back.rebuilt.find("of 1 findings 1 fail still and 0 no longer"), std::string::npos) << back.rebuilt;
    EXPECT_EQ(back.state.findings.size(), 1u);
    EXPECT_GT(back.state.findings[0].times, 1);
}

TEST(Campaign, SaysWhatItCannotRun) {
    CampaignWatcher quiet;
    EXPECT_EQ(run_campaign(options("nobody", 10), quiet).how, CampaignResult::How::not_loaded);
    auto o = options("byhand/right", 10);
    o.types = {"f32"};
    EXPECT_EQ(run_campaign(o, quiet).how, CampaignResult::How::nothing_to_fuzz);
}

}  // namespace
}  // namespace ulpgate::fuzzing
