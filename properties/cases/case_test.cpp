#include "properties/cases/case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/cases/any_case_test.hpp"

namespace ulpgate {
namespace {

Case read(std::string_view line) {
    Case c;
    const auto bad = parse(line, c);
    EXPECT_FALSE(bad) << line << " column " << bad->at << ": " << bad->what;
    return c;
}

TEST(CaseLine, ReadsInAnyOrderAndPrintsInOne) {
    const std::string printed =
        "kv_a_layernorm/bf16/512/contract=cast_first,residual=rounded/profile=gaussian/gain=pow2/eps=1e-5/"
        "rows=7/ld=576/yld=513/"
        "col=3/offset=2/threads=4/seed=18446744073709551615/h=00000000deadbeef/row=6";
    EXPECT_EQ(print(read(printed)), printed);
    EXPECT_EQ(
        print(read(
            "kv_a_layernorm/bf16/512/row=6/h=00000000deadbeef/col=3/offset=2/seed=18446744073709551615/"
            "yld=513/ld=576/"
            "rows=7/threads=4/eps=0.00001/gain=pow2/profile=gaussian/contract=cast_first,residual=rounded")),
        printed);
}

TEST(CaseLine, LeavesDefaultsOut) {
    EXPECT_EQ(
        print(read(
            "q_a_layernorm/fp16/1536/profile=gaussian/rows=1/seed=0/eps=1e-6/col=0/offset=0/threads=1/g=1")),
        "q_a_layernorm/fp16/1536/profile=gaussian");
    EXPECT_EQ(print(read("q_a_layernorm/bf16/8/profile=gaussian/bt=1x4")),
              "q_a_layernorm/bf16/8/profile=gaussian/rows=4");
    EXPECT_EQ(print(read("q_a_layernorm/bf16/8/profile=gaussian/rows=0")),
              "q_a_layernorm/bf16/8/profile=gaussian/rows=0");
    EXPECT_EQ(print(read("q_a_layernorm/bf16/8/profile=gaussian/bt=0x4")),
              "q_a_layernorm/bf16/8/profile=gaussian/bt=0x4");
}

TEST(CaseLine, EpsIsADecimalWhereThatIsShortAndExact) {
    const auto eps = [](std::string_view text) {
        return print(read("q_a_layernorm/f32/8/profile=gaussian/eps=" + std::string(text))).substr(41);
    };
    EXPECT_EQ(eps("0.00001"), "1e-5");
    EXPECT_EQ(eps("0"), "0");
    EXPECT_EQ(eps("0x1p-20"), "0x1p-20");                // 9.5367431640625e-07
    EXPECT_EQ(eps("0x1.0c6f7ap-20"), "0x1.0c6f7ap-20");  // float(1e-6)
    EXPECT_EQ(eps("1e-100"), "1e-100");
    EXPECT_EQ(eps("0.25"), "0.25");
}

TEST(CaseLine, TheContractIsWhatFollowsTheType) {
    EXPECT_EQ(read("q_a_layernorm/bf16/8/profile=gaussian").claim[0].map, Map::none);
    const Case c = read("q_a_layernorm/bf16/8/contract=cast_first+f32_gain,assoc=x_rw/profile=gaussian");
    ASSERT_EQ(c.claim.size(), 2u);
    EXPECT_EQ(c.claim[1].assoc, Assoc::x_rw);
    EXPECT_EQ(read("q_a_layernorm/bf16/8/contract=w=f32/profile=gaussian").claim[0].y, Type::f32);
}

TEST(CaseLine, ProgramsAreWrittenInFull) {
    const std::string printed =
        "q_a_layernorm/bf16/16/contract=gain=one_plus,residual=rounded/fill=0/"
        "seg=3+1x1:0x1.8p+0,0+2x8:b7fc1,1+1w:3f80ff80,"
        "0+1x16w:3f803f8c/w.fill=-0/w.seg=15+1x1:-inf/residual.fill=inf/residual.seg=0+15x2:0x1p-133";
    const Case c = read(printed);
    EXPECT_EQ(print(c), printed);
    EXPECT_EQ(c.program.segments[1].words[0], 0x7fc1u);
    EXPECT_EQ(c.program.segments[2].count, 2);
    const Made m = make(c);
    ASSERT_EQ(m.error, "");
    const Tensor& x = *m.tensors.find("x");
    for (std::int64_t j = 0; j < 16; ++j) EXPECT_EQ(x.word(j), j % 2 ? 0x3f8cu : 0x3f80u) << j;
    EXPECT_EQ(m.tensors.find("w")->word(0), 0x8000u);
    EXPECT_EQ(m.tensors.find("w")->word(15), 0xff80u);
    EXPECT_EQ(m.tensors.find("residual")->word(15), 1u);
    EXPECT_EQ(m.tensors.find("residual")->word(14), 0x7f80u);
}

TEST(CaseLine, AFileTakesTheRestAndNothingInItNeedsQuotes) {
    Case c = read("q_a_layernorm/bf16/8/seed=4/file=/data/a=b/x.safetensors@blk.0");
    EXPECT_EQ(c.file, "/data/a=b/x.safetensors@blk.0");
    c.file = "it's 100% mine/$x/ä.safetensors";
    EXPECT_EQ(print(c), "q_a_layernorm/bf16/8/seed=4/file=it%27s%20100%25%20mine/%24x/ä.safetensors");
    EXPECT_EQ(read(print(c)), c);
}

struct Bad {
    std::string_view line, at, says;  // at: the text that the place points to
};

TEST(CaseLine, SaysWhereAndWhatIsWrong) {
    const Bad all[] = {
        {"", "", "no operation ''"},
        {"q_a_layernrom/bf16/8/profile=gaussian", "q_a", "did you mean 'q_a_layernorm'?"},
        {"q_a_layernorm", "", "a case is OP/TYPE/D/"},
        {"q_a_layernorm/bf15/8/profile=gaussian", "bf15", "did you mean 'bf16'?"},
        {"q_a_layernorm/bf16,cast_first/8/profile=gaussian", "bf16,cast",
         "the rest of a contract is contract="},
        {"q_a_layernorm/bf16", "", "a case is OP/TYPE/D/"},
        {"q_a_layernorm/bf16/0/profile=gaussian", "0/", "D is a whole number from 1 to 65536"},
        {"q_a_layernorm/bf16/65537/profile=gaussian", "65537", "from 1 to 65536"},
        {"q_a_layernorm/bf16/8", "", "says not what x holds: profile=NAME, fill=VALUE or file=PATH"},
        {"q_a_layernorm/bf16/8/profile=gausian", "gausian", "did you mean 'gaussian'?"},
        {"q_a_layernorm/bf16/8/profil=gaussian", "profil", "did you mean 'profile'?"},
        {"q_a_layernorm/bf16/8/profile", "profile", "needs a value"},
        {"q_a_layernorm/bf16/8/profile=gaussian/", "", "no key ''"},
        {"q_a_layernorm/bf16/8/profile=gaussian/seed=1/seed=1", "seed=1", "seed is given twice"},
        {"q_a_layernorm/bf16/8/profile=gaussian/fill=0", "0", "profile and fill exclude each other"},
        {"q_a_layernorm/bf16/8/profile=gaussian/file=a", "a", "profile and file exclude each other"},
        {"q_a_layernorm/bf16/8/profile=gaussian/rows=2/bt=1x2", "1x2", "rows and bt exclude each other"},
        {"q_a_layernorm/bf16/8/profile=gaussian/seg=0+1x1:0", "0+1", "seg changes columns of fill=VALUE"},
        {"q_a_layernorm/bf16/8/fill=0x1.01p+0", "0x1.01p+0",
         "not exact in bf16; the nearest value is 0x1p+0"},
        {"q_a_layernorm/bf16/8/fill=one", "one", "is not a value"},
        {"q_a_layernorm/bf16/8/fill=nan", "nan", "is not a value"},
        {"q_a_layernorm/bf16/8/fill=b12345", "b12345", "a word of 4 hex digits"},
        {"q_a_layernorm/bf16/8/fill=0/seg=0+1x8:1,7+1x2:1", "7+1x2", "beyond the last column 7"},
        {"q_a_layernorm/bf16/8/fill=0/seg=0+9223372036854775807x9223372036854775807:1", "0+9",
         "beyond the last column"},
        {"q_a_layernorm/bf16/8/fill=0/seg=0+0x8:1", "0+0", "STRIDE and COUNT at least 1"},
        {"q_a_layernorm/bf16/8/fill=0/seg=0+1:1", "0+1:1", "is not START+STRIDExCOUNT:VALUE"},
        {"q_a_layernorm/bf16/8/fill=0/seg=0+1w:123", "123", "4 hex digits each"},
        {"q_a_layernorm/bf16/8/profile=gaussian/gain=rnd", "rnd", "no gain rule 'rnd'"},
        {"q_a_layernorm/bf16/8/contract=gain=none/profile=gaussian/gain=ones", "ones",
         "the contract says gain=none"},
        {"q_a_layernorm/bf16/8/profile=gaussian/residual.fill=0", "0", "the contract has no residual"},
        {"q_a_layernorm/bf16/8/contract=cast_frist/profile=gaussian", "cast_frist",
         "did you mean 'cast_first'?"},
        {"q_a_layernorm/bf16/8/profile=gaussian/eps=-1", "-1", "0 or a positive number"},
        {"q_a_layernorm/bf16/8/profile=gaussian/eps=inf", "inf", "0 or a positive number"},
        {"q_a_layernorm/bf16/8/profile=gaussian/rows=-1", "-1", "from 0 to"},
        {"q_a_layernorm/bf16/8/profile=gaussian/rows=99999999", "99999999", "bytes a case may take"},
        {"q_a_layernorm/bf16/8/profile=gaussian/bt=2147483648x2147483648", "2147483648x",
         "more than 2^31 rows"},
        {"q_a_layernorm/bf16/8/profile=gaussian/bt=4", "4", "BATCHxTOKENS"},
        {"q_a_layernorm/bf16/8/profile=gaussian/ld=7", "7", "a row stride of 7 is below the 8 columns"},
        {"q_a_layernorm/bf16/8/profile=gaussian/ld=8/col=1", "8/col", "below the 9 columns"},
        {"q_a_layernorm/bf16/8/profile=gaussian/col=1", "1", "give ld="},
        {"q_a_layernorm/bf16/8/profile=gaussian/yld=7", "7", "below the 8 columns"},
        {"q_a_layernorm/bf16/8/profile=gaussian/threads=0", "0", "from 1 to 1024"},
        {"q_a_layernorm/bf16/8/profile=gaussian/g=2", "2", "generators are version 1"},
        {"q_a_layernorm/bf16/8/profile=gaussian/h=12", "12", "16 hex digits"},
        {"q_a_layernorm/bf16/8/profile=gaussian/rows=2/row=2", "2", "no row 2: the case has 2"},
        {"q_a_layernorm/bf16/8/file=", "", "needs PATH"},
        {"q_a_layernorm/bf16/8/file=a%2", "%2", "'%' is written %25"},
    };
    for (const Bad& b : all) {
        Case c;
        const auto e = parse(b.line, c);
        ASSERT_TRUE(e) << b.line;
        EXPECT_NE(e->what.find(b.says), std::string::npos) << b.line << "\n  " << e->what;
        ASSERT_LE(e->at, b.line.size());
        EXPECT_TRUE(b.line.substr(e->at).starts_with(b.at))
            << b.line << "\n  column " << e->at << ": " << e->what;
        if (b.at.empty()) {
            EXPECT_EQ(e->at, b.line.empty() ? 0 : b.line.size()) << b.line;
        }
    }
}

RC_GTEST_PROP(CaseLine, WhatIsPrintedReadsBack, ()) {
    const Case c = *any_case();
    const std::string line = print(c);
    Case again;
    const auto bad = parse(line, again);
    RC_LOG() << line << (bad ? "\n" + bad->what : "") << '\n';
    RC_ASSERT(!bad);
    RC_ASSERT(again == c);
    RC_ASSERT(print(again) == line);
    RC_ASSERT(std::all_of(line.begin(), line.end(), [](char b) {
        return std::isalnum(static_cast<unsigned char>(b)) || std::strchr("/=_.,+:-@%", b);
    }));
}

// Any bytes: an error with its place, or a case that prints and reads back.
RC_GTEST_PROP(CaseLine, ReadsAnyText, ()) {
    std::string line = print(*any_case());
    const auto cuts = *rc::gen::container<std::vector<std::pair<std::uint16_t, char>>>(rc::gen::pair(
        rc::gen::arbitrary<std::uint16_t>(), rc::gen::elementOf(std::string("/=+x:,w0b9.-p%naf\xff"))));
    for (const auto& [at, byte] : cuts) line[at % line.size()] = byte;
    Case c;
    const auto bad = parse(line, c);
    RC_LOG() << line << '\n';
    if (bad) {
        RC_ASSERT(bad->at <= line.size());
        RC_ASSERT(!bad->what.empty());
        return;
    }
    Case again;
    RC_ASSERT(!parse(print(c), again));
    RC_ASSERT(again == c);
}

}  // namespace
}  // namespace ulpgate
