// Wrong kernels are seen, and what is said about them is true.
#include <gtest/gtest.h>

#include <numeric>

#include "properties/judge/kit_test.hpp"

namespace ulpgate {
namespace {

// Both ways to ask agree.
Judgement judged(const Tensors& t, const Outcome& o, const Claim& c) {
    Judgement j = judge(t, o, c);
    EXPECT_EQ(inadmissible(t, o, c), j.verdict == Verdict::inadmissible) << j.what;
    return j;
}

using namespace kit;

Judgement judged(const Tensors& t, const Kernel& k, std::string_view contract) {
    return judged(t, run(t, k), claim(contract));
}

std::string cast_first(Type t) { return std::string(name(t)) + ",cast_first"; }

float truncated(Type t, float v) {  // towards zero
    const float r = round_to(t, v);
    if (std::fabs(r) <= std::fabs(v)) return r;
    return decode(t, encode(t, r) - 1);
}

struct Fault {
    const char* name;
    void (*change)(Kernel&);
    double scale = 1;  // where the fault shows
};

const Fault faults[] = {
    {"gain swap", [](Kernel& k) { k.element = [](float x, float w, float r) { return x * r * w; }; }},
    {"rstd in bf16", [](Kernel& k) { k.scale = [](float r) { return round_to(Type::bf16, r); }; }},
    {"no eps", [](Kernel& k) { k.with_eps = [](float ms, float) { return ms; }; }, 1e-3},
    {"eps 1e-5", [](Kernel& k) { k.with_eps = [](float ms, float) { return ms + 1e-5f; }; }, 1e-3},
    {"eps outside",
     [](Kernel& k) {
         k.with_eps = [](float ms, float) { return ms; };
         k.rsqrt = [](float v) { return 1 / (std::sqrt(v) + 1e-6f); };
     },
     1e-3},
    {"dropped column",
     [](Kernel& k) {
         k.sum = [](const std::vector<float>& x) {
             float s = 0;
             const auto big = std::max_element(x.begin(), x.end(),
                                               [](float a, float b) { return std::fabs(a) < std::fabs(b); });
             for (auto it = x.begin(); it != x.end(); ++it)
                 if (it != big) s += *it * *it;
             return s;
         };
     }},
    {"sum, not mean", [](Kernel& k) { k.mean = [](float s, float) { return s; }; }},
    {"truncation", [](Kernel& k) { k.cast = truncated; }},
    {"half row",
     [](Kernel& k) {
         k.at = [](float r, std::size_t j, std::int64_t) { return j < 256 ? r : r * (1 + 0x1p-7f); };
     }},
};

TEST(Judge, SeesEveryFault) {
    for (const Type type : {Type::bf16, Type::fp16})
        for (const Fault& f : faults) {
            const Tensors t = make_case({.type = type, .d = 512, .rows = 16, .seed = 5, .scale = f.scale});
            Kernel k = kernel(type);
            f.change(k);
            const Judgement j = judged(t, k, cast_first(type));
            EXPECT_EQ(j.verdict, Verdict::inadmissible) << name(type) << " " << f.name;
            EXPECT_GE(j.witness.row, 0) << f.name;
            EXPECT_FALSE(j.what.empty());
            EXPECT_FALSE(j.reason.empty()) << f.name;
            EXPECT_EQ(judged(t, kernel(type), cast_first(type)).verdict, Verdict::pass) << f.name;
        }
}

TEST(Judge, SeesOneWrongOutput) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
        const Tensors t = make_case({.type = type, .d = 512, .rows = 4, .seed = 3});
        const Outcome right = run(t, kernel(type));
        const auto with = [&](std::int64_t col, auto change) {
            Outcome o = right;
            put(t, o, 2, col, change(get(t, o, 2, col)));
            return judged(t, o, claim(cast_first(type)));
        };
        const std::uint32_t nan = encode(type, std::nanf(""));
        for (const std::int64_t col : {0, 17, 511}) {
            const auto ulp = with(col, [](std::uint32_t w) { return w + 1; });
            EXPECT_EQ(ulp.verdict, Verdict::inadmissible) << name(type) << " one ulp at " << col;
            EXPECT_NE(ulp.reason.find("all but 1 of 512 outputs: column " + std::to_string(col)),
                      std::string::npos)
                << ulp.reason;
            const auto bad = with(col, [&](std::uint32_t) { return nan; });
            EXPECT_EQ(bad.verdict, Verdict::inadmissible) << name(type) << " NaN";
            EXPECT_EQ(bad.witness.row, 2);
            EXPECT_EQ(bad.witness.col, col);
            EXPECT_EQ(bad.witness.got, nan);
            EXPECT_EQ(bad.measure.outside, 1);
            EXPECT_EQ(bad.measure.worst_ulp, std::numeric_limits<double>::infinity());
            EXPECT_EQ(with(col, [](std::uint32_t) { return 0u; }).verdict, Verdict::inadmissible) << "zero";
            const std::uint32_t sign = 1u << (bytes(type) * 8 - 1);
            EXPECT_EQ(with(col, [=](std::uint32_t w) { return w ^ sign; }).verdict, Verdict::inadmissible)
                << "sign";
        }
    }
}

// Each 32 columns take another r of the any-order interval: every output is possible, the row is not.
TEST(Judge, FreshRIsIncoherent) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
        const Tensors t = make_case({.type = type, .d = 7168, .rows = 3, .seed = 11});
        Kernel k = kernel(type);
        k.at = [](float r, std::size_t j, std::int64_t row) {
            Rng rng(7, static_cast<std::uint64_t>(row), j / 32);
            return r * (1 + 1e-4f * (static_cast<float>(rng.below(2001)) / 1000 -
                                     1));  // the interval is about +-2.1e-4
        };
        const Judgement j = judged(t, k, cast_first(type));
        EXPECT_EQ(j.verdict, Verdict::inadmissible);
        EXPECT_TRUE(j.incoherent) << name(type) << " " << j.what << " " << j.reason;
        EXPECT_NE(j.reason.find("need"), std::string::npos) << j.reason;
        if (type == Type::f32) {
            EXPECT_NE(j.reason.find("columns 0-31 need r"), std::string::npos) << j.reason;
        }
        EXPECT_EQ(j.measure.outside, 0) << "the elementwise set alone would have passed it";
    }
}

TEST(Judge, HalfRowIsIncoherentToo) {
    const Tensors t = make_case({.type = Type::f32, .d = 512, .rows = 2});
    Kernel k = kernel(Type::f32);
    k.at = [](float r, std::size_t j, std::int64_t) { return j < 256 ? r : r * 1.5f; };
    const Judgement j = judged(t, k, "f32,cast_first");
    EXPECT_TRUE(j.incoherent);
    EXPECT_NE(j.reason.find("columns 0-255 need r in"), std::string::npos) << j.reason;
    EXPECT_GE(j.measure.outside, 256 * 2 - 8);
}

TEST(Judge, NamesTheOtherContract) {
    const Tensors t = make_case({.d = 1536, .rows = 8});
    for (const int assoc : {0, 1, 2}) {
        Kernel k = kernel(Type::bf16);
        k.element = [assoc](float x, float w, float r) {
            return assoc == 0 ? x * r * w : assoc == 1 ? x * (r * w) : x * w * r;
        };
        const Judgement j = judged(t, k, "bf16,cast_first");
        EXPECT_EQ(j.verdict, Verdict::inadmissible);
        EXPECT_FALSE(j.incoherent);
        const auto said = explanations(j);
        ASSERT_FALSE(said.empty());
        EXPECT_EQ(said[0].rfind("f32_gain", 0), 0u) << said[0];
        EXPECT_NE(said[0].find("one r a row reproduces 12,288 of 12,288 outputs"), std::string::npos)
            << said[0];
        EXPECT_GT(j.measure.outside, 12288 / 10);  // 26 % of outputs differ
        EXPECT_LT(j.measure.outside, 12288 * 4 / 10);
        EXPECT_LE(j.measure.worst_ulp, 0.51);  // closer to real arithmetic than its claim
    }
}

TEST(Judge,
     WitnessIsOneLine) {  // the master probe: x = [1, 1.09375], w = 1.5859375: 3fc1 3fd5, swapped 3fc2 3fd4
    Tensors t = make_case({.d = 8, .rows = 1});
    for (std::int64_t j = 0; j < 8; ++j) {
        t.find("x")->set_word(j, j % 2 ? 0x3f8c : 0x3f80);
        t.find("w")->set_word(j, 0x3fcb);
    }
    Kernel k = kernel(Type::bf16);
    k.element = [](float x, float w, float r) { return x * r * w; };
    const Judgement j = judged(t, k, "bf16,cast_first");
    EXPECT_EQ(j.what, "row 0 col 0  x 0x1p+0 (3f80)  w 0x1.96p+0 (3fcb)   allowed 3fc1   got 3fc2");
    EXPECT_EQ(j.measure.outside, 8);
}

TEST(Judge, SaysWhereROutsideLies) {
    const Tensors t = make_case({.type = Type::f32, .d = 512, .rows = 1});
    Kernel k = kernel(Type::f32);
    k.scale = [](float r) { return r * (1 + 0x1p-10f); };
    const Judgement j = judged(t, k, "f32,cast_first");
    EXPECT_FALSE(j.incoherent);
    EXPECT_NE(j.reason.find("ulp32 above the allowed ["), std::string::npos) << j.reason;
    EXPECT_NEAR(j.measure.worst_r_ulp32, 0x1p-10 / 0x1p-24, 0x1p13);  // ulp32 is 2^-23..2^-24 of r
}

TEST(Judge, SpecialRows) {
    for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
        const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
        Tensors t = make_case({.type = type, .d = 16, .rows = 6});
        Tensor& x = *t.find("x");
        std::vector<float> v(16, 0.0f);
        v[3] = -0.0f;
        x.write_row(0, v);  // zeros
        v.assign(16, 1.0f);
        v[5] = nan;
        x.write_row(1, v);  // a NaN
        v[5] = -inf;
        v[6] = -1.0f;
        x.write_row(2, v);  // one Inf: +-0 and NaN
        const Outcome right = run(t, kernel(type));
        const auto verdict = [&](auto change) {
            Outcome o = right;
            change(o);
            return judged(t, o, claim(cast_first(type))).verdict;
        };
        const std::uint32_t sign = 1u << (bytes(type) * 8 - 1), quiet = encode(type, nan),
                            one = encode(type, 1.0f);
        EXPECT_EQ(verdict([](Outcome&) {}), Verdict::pass) << name(type);
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 1, 2, quiet | 1 | sign); }), Verdict::pass)
            << "any NaN is NaN";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 0, 3, get(t, o, 0, 3) ^ sign); }),
                  Verdict::inadmissible)
            << "sign of zero";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 0, 4, 1); }), Verdict::inadmissible)
            << "a subnormal for zero";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 0, 4, quiet); }), Verdict::inadmissible)
            << "NaN for zero";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 1, 0, one); }), Verdict::inadmissible)
            << "a number in a NaN row";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 2, 5, one); }), Verdict::inadmissible)
            << "NaN swallowed at the Inf";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 2, 6, get(t, o, 2, 6) ^ sign); }),
                  Verdict::inadmissible)
            << "sign of 0 beside Inf";
        EXPECT_EQ(verdict([&](Outcome& o) { put(t, o, 2, 0, one); }), Verdict::inadmissible)
            << "a number beside an Inf";
    }
}

TEST(Judge, ZeroRowWithoutEpsIsNaN) {
    Tensors t = make_case({.d = 8, .rows = 1, .eps = 0});
    t.find("x")->write_row(0, std::vector<float>(8, 0.0f));
    Outcome o = run(t, kernel(Type::bf16));
    EXPECT_EQ(judged(t, o, claim("bf16,cast_first")).verdict, Verdict::pass);
    put(t, o, 0, 1, 0);
    EXPECT_EQ(judged(t, o, claim("bf16,cast_first")).verdict, Verdict::inadmissible);
}

TEST(Judge, OverflowIsTheSpecificationsLimit) {  // 2^64 squared is beyond f32: the specification gives 0
    Tensors t = make_case({.d = 8, .rows = 2});
    std::vector<float> v(8, 0x1p64f);
    t.find("x")->write_row(0, v);
    const Outcome o = run(t, kernel(Type::bf16));
    const Judgement j = judged(t, o, claim("bf16,cast_first"));
    EXPECT_EQ(j.verdict, Verdict::pass) << j.what;
    EXPECT_EQ(j.measure.spec_limit_rows, 1);
    // What a sum of wider range gives is no fault, a factor beside it is, and so is NaN.
    const auto at_inf = [&](float r) {
        Kernel k = kernel(Type::bf16);
        k.rsqrt = [r](float x) { return std::isinf(x) ? r : Kernel{}.rsqrt(x); };
        return judged(t, k, "bf16,cast_first");
    };
    EXPECT_EQ(at_inf(0x1p-64f).verdict, Verdict::pass);
    EXPECT_EQ(at_inf(0x1p-64f).measure.spec_limit_rows, 1);
    EXPECT_EQ(at_inf(0x1.02p-64f).verdict, Verdict::inadmissible);
    const Judgement newton = at_inf(std::numeric_limits<float>::quiet_NaN());  // 0 * inf
    EXPECT_EQ(newton.verdict, Verdict::inadmissible);
    EXPECT_NE(newton.reason.find("overflows float32: 0 is allowed, and what real arithmetic gives; NaN is not"),
              std::string::npos)
        << newton.reason;
}

TEST(Judge, ResidualMixes) {
    for (const std::string mix : {"rounded", "unrounded", "var_unrounded", "norm_unrounded"}) {
        const Tensors t =
            make_case({.d = 512, .rows = 24, .seed = 9, .contract = "bf16,cast_first,residual=" + mix});
        Kernel k = kernel(Type::bf16);
        k.var_unrounded = mix == "unrounded" || mix == "var_unrounded";
        k.norm_unrounded = mix == "unrounded" || mix == "norm_unrounded";
        const Outcome o = run(t, k);
        EXPECT_EQ(judged(t, o, claim("bf16,cast_first,residual=" + mix)).verdict, Verdict::pass) << mix;
        for (const std::string other : {"rounded", "unrounded"})
            if ((other == "unrounded") != k.norm_unrounded) {
                const Judgement j = judged(t, o, claim("bf16,cast_first,residual=" + other));
                EXPECT_EQ(j.verdict, Verdict::inadmissible) << mix << " as " << other;
                bool named = false;
                for (const Contract& c : explaining(j))
                    named = named || print(c, false).find(mix) != std::string::npos;
                EXPECT_TRUE(named) << mix;
            }
        const Judgement found = judged(t, o, claim("bf16,residual=" + mix));
        EXPECT_EQ(found.verdict, Verdict::pass);
        Outcome bad = o;
        for (std::size_t i = 0; i < t.all.size(); ++i)
            if (t.all[i].spec->name == "residual_out") bad.out[i][700] ^= std::byte{1};
        const Judgement j = judged(t, bad, claim("bf16,cast_first,residual=" + mix));
        EXPECT_EQ(j.verdict, Verdict::inadmissible);
        EXPECT_EQ(j.what.rfind("row 0 col 350  residual_out", 0), 0u) << j.what;
    }
}

TEST(Judge, InfersTheContract) {
    for (const Type type : {Type::bf16, Type::fp16}) {
        const Tensors t = make_case({.type = type, .d = 1536, .rows = 4});
        const auto first = [&](const Kernel& k) {
            const Judgement j = judged(t, k, name(type));
            EXPECT_TRUE(j.inferred);
            const auto e = explaining(j);
            return j.verdict != Verdict::pass || e.empty() ? std::string(name(j.verdict))
                                                           : print(e[0], false);
        };
        Kernel k = kernel(type);
        EXPECT_EQ(first(k), "cast_first");
        k.element = [](float x, float w, float r) { return x * r * w; };
        EXPECT_EQ(first(k).rfind("f32_gain", 0), 0u);
        k.element = nullptr;
        k.gain = [](float w) { return 1 + w; };
        EXPECT_EQ(first(k), "cast_first,gain=one_plus");
        k.gain = [type](float w) { return round_to(type, 1 + w); };
        EXPECT_EQ(first(k), "cast_first,gain=one_plus_t");
        k.cast = truncated;
        EXPECT_EQ(first(k), "inadmissible");
    }
}

TEST(Judge, OneAssociationInTheWholeCase) {  // in f32 the three differ in every row
    const Tensors t = make_case({.type = Type::f32, .d = 64, .rows = 4});
    Kernel a = kernel(Type::f32), b = a;
    a.element = [](float x, float w, float r) { return x * r * w; };
    b.element = [](float x, float w, float r) { return x * (r * w); };
    EXPECT_EQ(judged(t, a, "f32,f32_gain").verdict, Verdict::pass);
    EXPECT_EQ(judged(t, b, "f32,f32_gain").verdict, Verdict::pass);
    Outcome mixed = run(t, a), other = run(t, b);
    for (std::int64_t col = 0; col < 64; ++col) put(t, mixed, 3, col, get(t, other, 3, col));
    EXPECT_EQ(judged(t, mixed, claim("f32,f32_gain")).verdict, Verdict::inadmissible);
    EXPECT_EQ(judged(t, mixed, claim("f32")).verdict, Verdict::inadmissible) << "nor is it inferred";
}

TEST(Judge, ASetHoldsIffOneMemberExplainsEveryRow) {
    const Tensors t = make_case({.d = 1536, .rows = 4});
    const Kernel right = kernel(Type::bf16);
    Kernel swapped = right;
    swapped.element = [](float x, float w, float r) { return x * r * w; };
    const Outcome a = run(t, right), b = run(t, swapped);
    EXPECT_EQ(judged(t, a, claim("bf16,cast_first+bf16,f32_gain")).verdict, Verdict::pass);
    EXPECT_EQ(judged(t, b, claim("bf16,cast_first+bf16,f32_gain")).verdict, Verdict::pass);
    Outcome mixed = a;  // rows 2 and 3 from the other kernel: each row has a member, the case has none
    const Tensor& y = *t.find("y");
    std::copy(y_of(t, const_cast<Outcome&>(b)).begin() + 2 * y.width() * 2,
              y_of(t, const_cast<Outcome&>(b)).end(), y_of(t, mixed).begin() + 2 * y.width() * 2);
    EXPECT_EQ(judged(t, mixed, claim("bf16,cast_first+bf16,f32_gain")).verdict, Verdict::inadmissible);
    EXPECT_EQ(judged(t, mixed, claim("bf16")).verdict, Verdict::inadmissible) << "nor is it inferred";
}

}  // namespace
}  // namespace ulpgate
