#include "fuzz/exhaustive/exhaustive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "fuzz/exhaustive/decide.hpp"
#include "properties/judge/judge.hpp"
#include "properties/cases/case.hpp"
#include "reference/base/file.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::fuzzing {
namespace {

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ulpgate_exhaustive_XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

ExhaustiveOptions options(const std::string& subject, const std::string& contract) {
    ExhaustiveOptions o;
    o.subject = subject;
    o.subject_options.home = ULPGATE_HOME;
    o.contract = contract;
    return o;
}

ExhaustiveRun run(const ExhaustiveOptions& o) {
    ExhaustiveWatcher quiet;
    auto r = run_exhaustive(o, quiet);
    EXPECT_EQ(r.error, "");
    return r;
}

// Every word of the 16-bit types, five gains: the kernels of this repository.
TEST(Exhaustive, EveryWordOfBf16AndFp16AtOneColumn) {
    for (const auto& [subject, contract] : {std::pair{"scalar", "bf16,cast_first"}, {"scalar", "fp16,cast_first"}, {"scalar", "fp16,f32_gain"},
                                            {"avx2", "bf16,cast_first,inplace=may,holds=rerun.batch.align.stride"},
                                            {"avx512_portable", "fp16,f32_gain,assoc=xr_w,inplace=may,holds=rerun.batch.align.stride"}}) {
        auto o = options(subject, contract);
        if (subject != std::string("scalar")) o.gains = {1, 0x1.96p+0};
        ExhaustiveWatcher quiet;
        const auto r = run_exhaustive(o, quiet);
        if (r.skipped) continue;
        ASSERT_EQ(r.error, "") << subject << " " << contract;
        EXPECT_TRUE(r.complete());
        EXPECT_EQ(r.inadmissible(), 0) << text_of(r);
        for (const auto& u : r.done) EXPECT_EQ(u.words, 65536);
        EXPECT_GT(r.done[0].worst_ulp, 0.4);
        EXPECT_LT(r.done[0].worst_ulp, 1.5);
    }
}

TEST(Exhaustive, FindsTheWordsThatAFaultChanges) {
    auto o = options("byhand/eps_outside", "bf16,cast_first");
    o.gains = {1};
    const auto r = run(o);
    EXPECT_GT(r.inadmissible(), 100);
    EXPECT_LT(r.inadmissible(), 60000) << "large x hide eps";
    const auto text = text_of(r);
    EXPECT_NE(text.find("ulpgate replay byhand/eps_outside q_a_layernorm/bf16/1/contract=cast_first/fill="), std::string::npos) << text;
}

// The sufficient test against the judge: on words of every exponent and at the edges, with outputs that are right, and that are
// off by one to four steps. What it allows, the judge allows; few right ones are left open.
TEST(Decide, AllowsNothingThatTheJudgeDoesNot) {
    for (const char* text : {"f32,cast_first", "f32,cast_first,rsqrt=0", "f32,f32_gain,assoc=xw_r"}) {
        Claim claim;
        ASSERT_FALSE(parse(text, claim));
        ASSERT_TRUE(can_decide(claim[0], 1e-6));
        for (const float w : {1.0f, 0x1.96p+0f, -0.75f, 0x1p-149f, 0x1.fffffep+127f}) {
            Case c;
            c.claim = claim;
            c.d = 1;
            c.tokens = 3000;
            c.program.fill = 0;
            c.w_program.fill = encode(Type::f32, w);
            Tensors t = make(c).tensors;
            Rng rng(11, 0, 0);
            std::vector<float> x(static_cast<std::size_t>(c.tokens)), y(x.size());
            for (std::size_t j = 0; j < x.size(); ++j) {
                auto word = static_cast<std::uint32_t>(rng.next() >> 32);
                if (j % 50 == 0) word = 0x5f800000u - 8 + static_cast<std::uint32_t>(j / 50 % 16);  // about 2^64
                if (j % 50 == 1) word = 0x7f800000u - 2 + static_cast<std::uint32_t>(j / 50 % 4);   // about inf
                x[j] = decode(Type::f32, word);
                t.all[0].set_word(static_cast<std::int64_t>(j), word);
                const float r = static_cast<float>(1 / std::sqrt(static_cast<double>(x[j]) * static_cast<double>(x[j]) + 1e-6));
                const bool over = std::fabs(x[j]) >= 0x1p64f;
                y[j] = claim[0].assoc == Assoc::xw_r ? (x[j] * w) * (over ? 0.0f : r) : w * (x[j] * (over ? 0.0f : r));
                const auto off = static_cast<std::uint32_t>(j % 3 == 0 ? rng.below(9) - 4 : 0);
                y[j] = decode(Type::f32, encode(Type::f32, y[j]) + off);
            }
            Decided d;
            decide(claim[0], 1e-6, w, x, y, d);
            std::vector<bool> open(x.size());
            for (const auto k : d.open) open[k] = true;
            std::size_t open_but_right = 0;
            Case one = c;
            one.tokens = 1;
            for (std::size_t j = 0; j < x.size(); ++j) {
                one.program.fill = encode(Type::f32, x[j]);
                const Tensors row = make(one).tensors;
                Outcome o;
                o.out.resize(row.all.size());
                o.out.back().resize(4);
                std::memcpy(o.out.back().data(), &y[j], 4);
                const bool allowed = judge(row, o, claim).verdict != Verdict::inadmissible;
                EXPECT_TRUE(open[j] || allowed) << text << " x " << std::hexfloat << x[j] << " w " << w << " y " << y[j];
                open_but_right += open[j] && allowed;
            }
            if (w != 0x1.fffffep+127f) {
                EXPECT_LT(open_but_right, x.size() / 20) << text << " w " << w;
            }
        }
    }
}

class StopsAfter final : public ExhaustiveWatcher {
  public:
    explicit StopsAfter(int units) : left_(units) {}
    void progress(std::int64_t, std::int64_t, double) override { --left_; }
    bool stop() override { return left_ <= 0; }

  private:
    int left_;
};

TEST(Exhaustive, GoesOnAndMerges) {
    const Folder folder;
    auto o = options("byhand/eps_outside", "bf16,cast_first");
    o.gains = {1, 2, 3, 4};
    const auto whole = run(o);
    o.folder = folder.path;
    StopsAfter two(2);
    const auto first = run_exhaustive(o, two);
    EXPECT_TRUE(first.interrupted);
    EXPECT_FALSE(first.complete());
    const auto second = run(o);
    EXPECT_EQ(second.before, static_cast<std::int64_t>(first.done.size()));
    EXPECT_TRUE(second.complete());
    EXPECT_EQ(second.inadmissible(), whole.inadmissible());
    std::vector<std::string> paths;
    o.shards = 3;
    for (o.shard = 0; o.shard < 3; ++o.shard) {
        EXPECT_FALSE(run(o).complete());
        paths.push_back(exhaustive_file(o));
        EXPECT_TRUE(is_exhaustive(paths.back()));
    }
    const auto merged = merge_exhaustive(paths);
    ASSERT_EQ(merged.error, "");
    EXPECT_TRUE(merged.complete());
    EXPECT_EQ(merged.inadmissible(), whole.inadmissible());
    EXPECT_NE(merge_exhaustive({paths[0], paths[1], paths[1]}).error.find("in two files"), std::string::npos);
    EXPECT_FALSE(merge_exhaustive({paths[0]}).complete());
    o.shard = 0;
    o.eps = 1e-5;
    ExhaustiveWatcher quiet;
    EXPECT_NE(run_exhaustive(o, quiet).error.find("another run"), std::string::npos);
    ASSERT_EQ(write_file(paths[1], "{}"), "");
    EXPECT_NE(merge_exhaustive(paths).error, "");
}

}  // namespace
}  // namespace ulpgate::fuzzing
