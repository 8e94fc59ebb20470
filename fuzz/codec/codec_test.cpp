#include "fuzz/codec/codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "fuzz/codec/any_fuzz_case_test.hpp"
#include "fuzz/codec/version1.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"
#include "reference/base/file.hpp"
#include "reference/base/rng.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {
namespace {

RC_GTEST_PROP(Codec, EveryByteStringIsASmallCaseThatReadsBack, ()) {
    const FuzzCase f = *any_fuzz_case();
    const Case& c = f.input;
    RC_LOG() << print(c) << " of " << f.model << '\n';
    RC_ASSERT(c.d * c.tokens <= case_elements);
    Case again;
    RC_ASSERT(!parse(print(c), again));
    RC_ASSERT(again == c);
    RC_ASSERT(make(c).error.empty());
    Model m;
    RC_ASSERT(!parse(f.model, m));
    // What bytes say, bytes can say again, and so can text.
    const auto bytes = encode_case(c);
    RC_ASSERT(bytes.has_value());
    RC_ASSERT(decode_case(*bytes).input == c);
    const auto text = hard_case_text(c, "drawn by a test\nof the codec");
    RC_ASSERT(read_hard_case(text) == c);
    const FuzzCase read = decode_case({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    RC_ASSERT(read.input == c);
}

TEST(Codec, NothingIsACaseToo) {
    EXPECT_EQ(print(decode_case({}).input), "q_a_layernorm/bf16/8/contract=cast_first/fill=0");
    EXPECT_EQ(decode_case({}).model, "bf16,cast_first,order=sequential,mean=div");
}

// A corpus keeps its meaning: bytes of version 1 as they were read when it was written.
TEST(Codec, Version1StaysWhatItWas) {
    const std::vector<std::uint8_t> program{1, 0, 0, 0, 0, 2, 3, 10, 0, 0, 0, 0, 0, 0, 13, 0, 2, 0x80, 0x39, 0, 0, 0, 31, 0, 0x80, 0x3f, 5, 0, 3, 2, 0, 0xc0, 0xbf};
    const FuzzCase p = decode_case(program);
    EXPECT_EQ(print(p.input), "q_a_layernorm/bf16/64/contract=cast_first/fill=0x1p-12/seg=0+1x32:0x1p+0,5+8x3:-0x1.8p+0/gain=random");
    EXPECT_EQ(p.model, "bf16,cast_first,order=lanes,mean=recip,fma");
    const std::vector<std::uint8_t> profile{1, 1, 5, 1, 9, 6, 4, 255, 99, 0, 3, 2, 7, 0x35, 0, 19, 42, 0, 0, 0};
    const FuzzCase q = decode_case(profile);
    EXPECT_EQ(print(q.input), "q_a_layernorm/fp16/100/contract=f32_gain,assoc=xr_w,residual=rounded,mean=recip,rsqrt=0/profile=outlier/eps=1e-5/rows=4/ld=106/yld=106/offset=3/seed=42");
    std::vector<std::uint8_t> unknown = program;
    unknown[0] = 200;
    EXPECT_EQ(decode_case(unknown), p) << "a version that is not known is read as the newest";
}

TEST(Codec, ReadsHardCasesAsPeopleWriteThem) {
    const std::string line = "q_a_layernorm/bf16/8/contract=cast_first/fill=1/seg=3+1x1:0x1.8p+0/eps=0";
    Case c;
    ASSERT_FALSE(parse(line, c));
    for (const auto& text : {line, "# from a bug report\n\n" + line + "\n", "# two words a line\nscalar " + line + "\r\n"}) EXPECT_EQ(read_hard_case(text), c) << text;
    EXPECT_FALSE(read_hard_case("# nothing\n"));
    EXPECT_FALSE(read_hard_case(line + "\n" + line));
    EXPECT_FALSE(read_hard_case("no case"));
    EXPECT_FALSE(encode_case([] {
        Case words;
        words.program.fill = 0;
        words.program.segments.push_back({0, 1, 2, {1, 2}});
        return words;
    }())) << "words in a row are text alone";
    const std::string large = "q_a_layernorm/bf16/7168/profile=gaussian/rows=512", file = "q_a_layernorm/bf16/8/file=x.safetensors";
    for (const auto& text : {large, file}) EXPECT_LE(decode_case({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).input.d, case_elements);
}

// Names of the tables are names that exist; a version that lost one would read its corpora otherwise.
TEST(Codec, TheTablesHoldWhatThereIs) {
    for (const auto name : version1::gain_rules) EXPECT_TRUE(find_gain_rule(name)) << name;
    for (const auto name : version1::orders) EXPECT_TRUE(find_order(name)) << name;
    for (const auto name : version1::ops) EXPECT_TRUE(find_op(name)) << name;
    std::set<std::string_view> reached(version1::profiles.begin(), version1::profiles.end());
    std::size_t known = 0;
    for (const auto name : reached) known += find_profile(name) != nullptr;
    EXPECT_GE(known + 1, reached.size());
}

TEST(Codec, OfASubjectTheCaseClaimsWhatItClaims) {
    std::vector<Claim> claims(3);
    for (std::size_t k = 0; k < 3; ++k) ASSERT_FALSE(parse(std::vector<const char*>{"bf16,cast_first", "fp16,f32_gain", "f32,cast_first,residual=rounded"}[k], claims[k]));
    std::set<std::size_t> seen;
    Rng r(5, 0, 0);
    for (int n = 0; n < 200; ++n) {
        std::vector<std::uint8_t> bytes(r.below(60));
        for (auto& b : bytes) b = static_cast<std::uint8_t>(r.next());
        const FuzzCase f = decode_case(bytes, claims);
        const auto at = std::find(claims.begin(), claims.end(), f.input.claim);
        ASSERT_NE(at, claims.end());
        seen.insert(static_cast<std::size_t>(at - claims.begin()));
        EXPECT_EQ(make(f.input).error, "");
    }
    EXPECT_EQ(seen.size(), 3u);
}

TEST(Codec, ReachesEveryChoice) {
    std::set<std::string> contracts, models, seen_profiles, gains;
    std::set<std::int64_t> widths;
    std::map<std::size_t, int> segments;
    int strided = 0, with_gain = 0, residual = 0, inferred = 0;
    Rng r(1, 0, 0);
    for (int n = 0; n < 20000; ++n) {
        std::vector<std::uint8_t> bytes(r.below(110));
        for (auto& b : bytes) b = static_cast<std::uint8_t>(r.next());
        if (!bytes.empty()) bytes[0] = codec_version;
        const FuzzCase f = decode_case(bytes);
        contracts.insert(print(f.input.claim));
        models.insert(f.model);
        widths.insert(f.input.d);
        ++segments[f.input.program.segments.size()];
        strided += f.input.ld > 0;
        with_gain += f.input.w_program.fill.has_value();
        residual += f.input.residual_program.fill.has_value();
        inferred += f.input.claim[0].map == Map::none;
        seen_profiles.insert(f.input.profile);
        gains.insert(f.input.gain);
    }
    EXPECT_GT(contracts.size(), 1000u);
    EXPECT_GT(models.size(), 3000u);
    EXPECT_GT(widths.size(), 100u);
    EXPECT_GE(seen_profiles.size(), 13u);
    EXPECT_EQ(gains.size(), 9u);
    for (std::size_t k = 0; k <= 8; ++k) EXPECT_GT(segments[k], 100) << k;
    for (const int count : {strided, with_gain, residual, inferred}) EXPECT_GT(count, 500);
}

// Every hard case of the corpus is text with its provenance, reads, and is small enough to be run by every target.
TEST(Codec, HardCasesSayWhereTheyComeFrom) {
    int seen = 0;
    for (const auto& e : std::filesystem::directory_iterator(std::string(ULPGATE_SOURCE) + "/fuzz/corpus/rms_norm_contract")) {
        if (e.path().extension() != ".case") continue;
        std::string text;
        ASSERT_EQ(read_file(e.path(), text), "");
        EXPECT_TRUE(text.starts_with("# ")) << e.path();
        const auto c = read_hard_case(text);
        ASSERT_TRUE(c) << e.path();
        EXPECT_EQ(decode_case({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).input, *c) << e.path();
        ++seen;
    }
    EXPECT_GE(seen, 8);
}

}  // namespace
}  // namespace ulpgate
