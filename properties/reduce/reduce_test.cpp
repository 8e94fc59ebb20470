#include "properties/reduce/reduce.hpp"

#include <gtest/gtest.h>

#include "properties/judge/judge.hpp"
#include "properties/order/in_process_test.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

StillFails holds(std::size_t d, std::function<bool(std::span<const float>)> p) {
    return [=](std::span<const float> x, std::span<const float>) {
        std::vector<bool> out;
        for (std::size_t i = 0; i * d < x.size(); ++i) out.push_back(p(x.subspan(i * d, d)));
        return out;
    };
}

TEST(Reduce, FindsTheOnlyPairThatMatters) {
    std::vector<float> x(300), w(300, 0.75f);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1.0f + static_cast<float>(j % 100) * 0x1p-7f;
    const auto r = reduce({}, x, w, holds(300, [](std::span<const float> v) { return v[17] > 0 && v[250] >= 1.375f; }));
    ASSERT_TRUE(r.failed);
    EXPECT_EQ(r.nonzero, 2);
    EXPECT_EQ(r.x[17], 1.0f);
    EXPECT_LE(r.calls, 200);
    EXPECT_EQ(r.w, std::vector<float>(300, 1.0f));
    EXPECT_NE(r.text.find("0x1p+0 at 17"), std::string::npos) << r.text;
}

TEST(Reduce, WhatDoesNotFailIsSaid) { EXPECT_FALSE(reduce({}, {1, 2, 3}, {}, holds(3, [](auto) { return false; })).failed); }

// Each fault of the bank: where a row of these fails, the reduced row fails too, has no more columns, and its line makes it.
TEST(Reduce, EveryFaultKeepsFailing) {
    int reduced = 0;
    for (const Fault* f : faults::all()) {
        const std::string claim_text = "bf16," + std::string(f->base);
        Claim claim;
        ASSERT_FALSE(parse(claim_text, claim));
        InProcess k(claim_text + ",fault=" + std::string(f->kind));
        if (claim[0].residual != Residual::none || claim[0].gain == Gain::none || k.model.address || k.model.partner) continue;  // one row does not show it
        const auto fails = [&](std::span<const float> x, std::span<const float> w) {
            const std::size_t d = w.size();
            std::vector<bool> out;
            Prober p(k, 0, *find_op("q_a_layernorm"), claim[0], static_cast<std::int64_t>(d), 1);
            for (std::size_t i = 0; i * d < x.size(); ++i) {
                Tensors t = p.lay(1, 1e-6);
                t.find("x")->write_row(0, x.subspan(i * d, d));
                t.find("w")->write_row(0, w);
                out.push_back(judge(t, k.run(0, t), claim).verdict == Verdict::inadmissible);
            }
            return out;
        };
        for (const char* profile : {"gaussian", "eps_ladder", "absorption", "onehot", "master"}) {
            Case c;
            const auto line = "q_a_layernorm/bf16/40/contract=" + print(claim, false) + "/profile=" + profile + "/rows=8/seed=3";
            ASSERT_FALSE(parse(line, c)) << line;
            const auto made = make(c);
            std::vector<float> x(40), w(40);
            made.tensors.find("w")->read_row(0, w);
            bool done = false;
            for (std::int64_t i = 0; i < 8 && !done; ++i) {
                made.tensors.find("x")->read_row(i, x);
                if (!fails(x, w)[0]) continue;
                const auto before = std::count_if(x.begin(), x.end(), [](float v) { return v != 0; });
                const auto r = reduce(c, x, w, fails);
                ASSERT_TRUE(r.failed) << f->kind;
                EXPECT_LE(r.nonzero, before) << f->kind;
                Case back;
                ASSERT_FALSE(parse(r.line, back)) << r.line;
                const auto again = make(back);
                ASSERT_EQ(again.error, "") << r.line;
                EXPECT_EQ(judge(again.tensors, k.run(0, again.tensors), claim).verdict, Verdict::inadmissible) << f->kind << " " << r.line;
                EXPECT_LE(r.calls, 200) << f->kind;
                done = true;
            }
            if (done) {
                ++reduced;
                break;
            }
        }
    }
    EXPECT_GE(reduced, 15);
}

}  // namespace
}  // namespace ulpgate
