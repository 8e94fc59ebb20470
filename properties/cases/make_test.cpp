// The tensors of a case: layout, gaps, gains, residuals, and hashes that every compiler must give.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "properties/cases/case.hpp"
#include "properties/cases/gate_cases.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

Tensors made(const std::string& line) {
    Case c;
    const auto bad = parse(line, c);
    EXPECT_FALSE(bad) << line << ": " << bad->what;
    Made m = make(c);
    EXPECT_EQ(m.error, "") << line;
    return std::move(m.tensors);
}

TEST(Make, GapsAreFiniteLiveAndHashed) {
    const std::string line = "kv_a_layernorm/bf16/5/profile=gaussian/rows=4/ld=9/col=2";
    Tensors t = made(line);
    Tensor& x = *t.find("x");
    ASSERT_EQ(x.extent(), 3 * 9 + 5);
    const auto whole = t.hash();
    int zero = 0;
    for (std::int64_t row = 0; row + 1 < 4; ++row)
        for (std::int64_t k = 5; k < 9; ++k) {
            const std::int64_t at = row * 9 + k;
            EXPECT_TRUE(std::isfinite(decode(x.type, x.word(at))));
            zero += x.word(at) == 0;
            x.set_word(at, x.word(at) ^ 1);
            EXPECT_NE(t.hash(), whole) << at;
            x.set_word(at, x.word(at) ^ 1);
        }
    EXPECT_EQ(zero, 0);
    EXPECT_EQ(t.hash(), whole);
}

TEST(Make, RowsAreTheSameWhateverLiesBetweenThem) {
    const Tensors tight = made("q_a_layernorm/f32/6/profile=outlier/rows=3/seed=9"),
                  wide = made("q_a_layernorm/f32/6/profile=outlier/rows=3/seed=9/ld=20/yld=7");
    for (std::int64_t i = 0; i < 18; ++i) EXPECT_EQ(tight.find("x")->value(i), wide.find("x")->value(i));
    EXPECT_EQ(wide.find("y")->stride[0], 7);
    EXPECT_EQ(tight.find("y")->stride[0], 6);
}

// A row of the wider buffer, gaps included, depends on its number alone.
TEST(Make, TheColumnOfASliceMovesTheGap) {
    const std::string line = "kv_a_layernorm/bf16/4/profile=gaussian/rows=3/ld=10";
    const Tensors left = made(line), right = made(line + "/col=6"), middle = made(line + "/col=2");
    EXPECT_EQ(right.offset, 6);
    const auto word = [](const Tensors& t, std::int64_t at) { return t.find("x")->word(at); };
    for (std::int64_t k = 0; k < 4; ++k) EXPECT_EQ(word(left, 4 + k), word(middle, 4 + k)) << "behind row 0";
    for (std::int64_t k = 0; k < 2; ++k) EXPECT_EQ(word(right, 4 + k), word(middle, 8 + k)) << "before row 1";
    EXPECT_NE(word(right, 4), word(left, 4));
}

TEST(Make, AnOptionalTensorMovesNoOther) {
    const Tensors with = made("q_a_layernorm/bf16/7/contract=residual=rounded/profile=gaussian/rows=2"),
                  without = made("q_a_layernorm/bf16/7/profile=gaussian/rows=2");
    EXPECT_EQ(with.find("x")->storage, without.find("x")->storage);
    EXPECT_EQ(with.find("w")->storage, without.find("w")->storage);
    EXPECT_NE(with.find("residual")->storage, with.find("x")->storage);
}

TEST(Make, TheContractDecidesTypesAndGains) {
    const Tensors t =
        made("q_a_layernorm/bf16/64/contract=w=f32,gain=one_plus,residual=rounded,res=f32/profile=gaussian");
    EXPECT_EQ(t.find("w")->type, Type::f32);
    EXPECT_EQ(t.find("y")->type, Type::f32);
    EXPECT_EQ(t.find("residual")->type, Type::f32);
    double sum = 0;
    for (std::int64_t j = 0; j < 64; ++j) sum += static_cast<double>(t.find("w")->value(j));
    EXPECT_LT(std::fabs(sum), 16) << "gains about 0 where the kernel adds 1";
    EXPECT_FALSE(made("q_a_layernorm/bf16/8/contract=gain=none/profile=gaussian").find("w"));
}

TEST(Make, AFileGivesRowsCyclicallyGainsAndTheNextRowAsResidual) {
    const std::string line =
        "final_norm/bf16/576/contract=residual=rounded/rows=80/file=smollm2-135m.safetensors@";
    Case c;
    c.file = "nowhere.safetensors";
    EXPECT_NE(make(c).error.find("nowhere.safetensors"), std::string::npos);
    c.file = std::string(ULPGATE_SOURCE) + "/properties/activations/smollm2-135m.safetensors";
    EXPECT_NE(make(c).error.find("name one"), std::string::npos);
    const auto at = make(c).error.find('@');
    ASSERT_NE(at, std::string::npos);
    c.file += make(c).error.substr(at);
    EXPECT_NE(make(c).error.find("576 columns, the case says 1536"), std::string::npos) << make(c).error;
    c.d = 576;
    c.tokens = 80;
    c.claim[0].residual = Residual::rounded;
    const Made m = make(c);
    ASSERT_EQ(m.error, "");
    const Tensor &x = *m.tensors.find("x"), &residual = *m.tensors.find("residual");
    for (std::int64_t j = 0; j < 576; ++j) {
        EXPECT_EQ(x.value(72 * 576 + j), x.value(j)) << "row 72 is row 0 again";
        EXPECT_EQ(residual.value(j), x.value(576 + j));
    }
    EXPECT_NE(m.tensors.find("w")->value(0), m.tensors.find("w")->value(1));
    c.gain = "ones";
    EXPECT_EQ(make(c).tensors.find("w")->value(1), 1.0f);
}

TEST(Make, WhatCannotBeMadeIsSaid) {
    Case c;
    EXPECT_EQ(make(c).error, "says not what x holds");
    c.profile = "gaussian";
    c.tokens = std::int64_t{1} << 40;
    EXPECT_EQ(make(c).error, "rows: more than 2^31 rows");
    c.tokens = 1 << 20;
    EXPECT_NE(make(c).error.find("more than the 2147483648 bytes"), std::string::npos);
    c.tokens = 1;
    c.profile = "gaussish";
    EXPECT_EQ(make(c).error, "no profile 'gaussish'");
}

struct Pin {
    const char* line;
    std::uint64_t hash;
};
constexpr Pin pins[] = {
#include "properties/cases/pinned_hashes.inc"
};

// Every line of the table, by g++ and clang alike; a change of a generator changes its version g, or its
// lines here.
TEST(Make, AlwaysTheSameBits) {
    std::map<std::string, int> pinned;
    for (const Pin& p : pins) {
        const auto hash = made(p.line).hash();
        EXPECT_EQ(hash, p.hash) << "    {\"" << p.line << "\", 0x" << std::hex << hash << "},";
        Case c;
        if (!parse(p.line, c)) ++pinned[c.profile];
    }
    for (const Profile* p : profiles::all())
        EXPECT_GE(pinned[std::string(p->name)], 3) << p->name << " has no pinned lines";
}

TEST(GateCases, HoldEveryProfileOnTheModelsShapeAndTheEdges) {
    std::int64_t all = 0;
    for (const Op* op : ops::all())
        for (const Type t : {Type::bf16, Type::fp16, Type::f32}) {
            if (op->abi != Abi::rmsnorm) continue;  // query_cases
            const Claim claim{default_contract(t, Map::cast_first)};
            Sizes sizes;
            op->defaults(sizes);
            std::int64_t elements = 0, strided = 0, empty = 0, offset = 0;
            std::map<std::string, int> seen;
            for (const Case& c : gate_cases(*op, claim, 0, {})) {
                Case again;
                const auto bad = parse(print(c), again);
                ASSERT_FALSE(bad) << print(c) << ": " << bad->what;
                EXPECT_EQ(again, c);
                elements += c.batch * c.tokens * c.d;
                strided += c.ld > c.d;
                empty += c.batch * c.tokens == 0;
                offset += c.offset > 0;
                if (c.d == sizes[op->d]) ++seen[c.profile];
                if (c.d == sizes[op->d] && op->ld && c.profile == "ties") {
                    EXPECT_EQ(c.ld, op->ld);
                }
            }
            for (const Profile* p : profiles::all()) EXPECT_GT(seen[std::string(p->name)], 0) << p->name;
            EXPECT_TRUE(strided && empty && offset);
            EXPECT_LT(elements, 9'000'000) << op->name;
            all += elements;
        }
    EXPECT_LT(3 * all, 110'000'000) << "three kernels are judged in a third of a minute at 10 M elements/s";
}

TEST(GateCases, OptionsChoose) {
    const Op& op = *find_op("kv_a_layernorm");
    const Claim claim{default_contract(Type::bf16)};
    const auto rows = [](const std::vector<Case>& cases) {
        std::int64_t n = 0;
        for (const Case& c : cases) n += c.batch * c.tokens;
        return n;
    };
    const auto whole = gate_cases(op, claim, 0, {});
    for (const Case& c : gate_cases(op, claim, 0, {.probes = false}))
        EXPECT_FALSE(find_profile(c.profile)->probe) << c.profile;
    EXPECT_LT(rows(gate_cases(op, claim, 0, {.quick = true})), rows(whole) / 8);
    const auto one = gate_cases(op, claim, 0, {.profiles = {"spike"}, .seed = 77, .rows = 5});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(print(one[0]), "kv_a_layernorm/bf16/512/profile=spike/rows=5/ld=576/seed=77");
    for (const Case& c : gate_cases(op, claim, 100, {})) EXPECT_EQ(c.d, 100);
    // Many rows are many cases: no call holds more than 1,024.
    const auto many = gate_cases(op, claim, 0, {.profiles = {"spike"}, .seed = 77, .rows = 2500});
    ASSERT_EQ(many.size(), 3u);
    EXPECT_EQ(rows(many), 2500);
    for (std::size_t k = 0; k < many.size(); ++k) {
        EXPECT_LE(many[k].tokens, 1024);
        EXPECT_EQ(many[k].seed, 77 + k);
    }
}

}  // namespace
}  // namespace ulpgate
