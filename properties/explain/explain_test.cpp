// The listed faults are named, from kernels that know nothing of the bank; others are not.
#include "properties/explain/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/judge/kit_test.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

using namespace kit;

struct Wrong {
    std::string kind;
    void (*change)(Kernel&);
    double scale = 1;
    const char* contract = "cast_first";
};

float truncated(Type t, float v) {
    const float r = round_to(t, v);
    if (!(std::fabs(r) > std::fabs(v))) return r;
    return decode(t, encode(t, r) - 1);
}

float without(const std::vector<float>& x, std::size_t column) {
    float s = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
        if (j != column) s += x[j] * x[j];
    return s;
}

float centred(const std::vector<float>& x) {
    float mean = 0, s = 0;
    for (float v : x) mean += v;
    mean /= static_cast<float>(x.size());
    for (float v : x) s += (v - mean) * (v - mean);
    return s;
}

const Wrong wrong[] = {
    {"order.gain_then_cast",
     [](Kernel& k) { k.element = [](float x, float w, float r) { return x * r * w; }; }},
    {"rstd.low", [](Kernel& k) { k.scale = [t = k.t](float r) { return round_to(t, r); }; }},
    {"round.truncate", [](Kernel& k) { k.cast = truncated; }},
    {"acc.low",
     [](Kernel& k) {
         k.sum = [t = k.t](const std::vector<float>& x) {
             float s = 0;
             for (float v : x) s = round_to(t, s + round_to(t, v * v));
             return s;
         };
     }},
    {"stat.sum_not_mean", [](Kernel& k) { k.mean = [](float s, float) { return s; }; }},
    {"stat.wrong_divisor", [](Kernel& k) { k.mean = [](float s, float) { return s / 576; }; }},
    {"stat.centred_var", [](Kernel& k) { k.sum = centred; }},
    {"lane.dropped", [](Kernel& k) { k.sum = [](const std::vector<float>& x) { return without(x, 17); }; }},
    {"lane.tail",
     [](Kernel& k) {
         k.sum = [](const std::vector<float>& x) {
             float s = 0;
             for (std::size_t j = 0; j < x.size() - 6; ++j) s += x[j] * x[j];
             return s;
         };
     }},
    {"eps.outside",
     [](Kernel& k) {
         k.with_eps = [](float ms, float) { return ms; };
         k.rsqrt = [](float v) { return 1 / (std::sqrt(v) + 1e-6f); };
     },
     1e-3},
    {"eps.value", [](Kernel& k) { k.with_eps = [](float ms, float) { return ms + 1e-5f; }; }, 1e-3},
    {"eps.none", [](Kernel& k) { k.with_eps = [](float ms, float) { return ms; }; }, 1e-3},
    {"gain.one_plus_low", [](Kernel& k) { k.gain = [t = k.t](float w) { return round_to(t, 1 + w); }; }, 1,
     "cast_first,gain=one_plus"},
};

Explanation explained(const Tensors& t, const Outcome& o, const std::string& contract) {
    const FailedCase f{&t, &o};
    return explain({&f, 1}, claim(contract));
}

const Named* find(const Explanation& e, std::string_view kind) {
    const auto at =
        std::find_if(e.equal.begin(), e.equal.end(), [&](const Named& n) { return n.kind == kind; });
    return at == e.equal.end() ? nullptr : &*at;
}

std::string list(const Explanation& e) {
    std::string s;
    for (const Named& n : e.equal) s += n.text() + "\n";
    for (const Excluded& x : e.excluded)
        s += "  not " + x.kind + " by row " + std::to_string(x.row) + ": " + x.why + "\n";
    return s;
}

TEST(Explain, NamesEveryListedFault) {
    for (const Type type : {Type::bf16, Type::fp16})
        for (const Wrong& f : wrong) {
            const Tensors t = make_case({.type = type, .d = 512, .rows = 24, .seed = 3, .scale = f.scale});
            Kernel k = kernel(type);
            f.change(k);
            const Explanation e = explained(t, run(t, k), std::string(name(type)) + "," + f.contract);
            const Named* n = find(e, f.kind);
            ASSERT_NE(n, nullptr) << name(type) << " " << f.kind << "\n" << list(e);
            EXPECT_EQ(n->rows, 24);
            EXPECT_FALSE(n->fix.empty());
            EXPECT_LE(e.equal.size(), f.kind.starts_with("eps.") ? 3u : 2u) << f.kind << "\n" << list(e);
        }
}

// The first rows are right, so each fault that changes nothing there gives them: eps.value with the right
// eps, say.
TEST(Explain, LooksAtTheRowThatFailedWhereverItStands) {
    const Tensors t = make_case({.type = Type::bf16, .d = 64, .rows = 24, .seed = 3});
    Outcome o = run(t, kernel(Type::bf16));
    put(t, o, 20, 5, get(t, o, 20, 5) ^ 1);
    const FailedCase failing{&t, &o, 20};
    EXPECT_TRUE(explain({&failing, 1}, claim("bf16,cast_first"), 16).equal.empty());
}

TEST(Explain, InFloat32Too) {
    for (const char* kind :
         {"stat.sum_not_mean", "stat.wrong_divisor", "lane.dropped", "eps.outside", "eps.value", "eps.none"})
        for (const Wrong& f : wrong) {
            if (f.kind != kind) continue;
            const Tensors t =
                make_case({.type = Type::f32, .d = 512, .rows = 24, .seed = 4, .scale = f.scale});
            Kernel k = kernel(Type::f32);
            f.change(k);
            k.sum = f.kind == "lane.dropped" ? k.sum
                                             : [](const std::vector<float>& x) { return lanes(x, 64, true); };
            const Explanation e = explained(t, run(t, k), "f32,cast_first");
            ASSERT_NE(find(e, kind), nullptr) << kind << "\n" << list(e);
            // A sum is a mean with divisor 1; no eps is eps 0, and a floor below every mean square; one eps alone
            // does not tell a constant from a lower bound. Listed together, those without a parameter first.
            const std::size_t tied = f.kind == "eps.none" ? 3 : f.kind == "stat.sum_not_mean" || f.kind == "eps.value" ? 2 : 1;
            EXPECT_EQ(e.equal.size(), tied) << list(e);
            EXPECT_TRUE(e.equal[0].kind == kind || !e.equal[0].parameter.empty()) << list(e);
        }
}

TEST(Explain, ParametersAreIntervalsThatHoldTheTruth) {
    const Tensors t = make_case({.type = Type::f32, .d = 512, .rows = 24, .scale = 1e-3});
    Kernel k = kernel(Type::f32);
    k.with_eps = [](float ms, float) { return ms + 1e-5f; };
    Explanation e = explained(t, run(t, k), "f32,cast_first");
    const Named* n = find(e, "eps.value");
    ASSERT_NE(n, nullptr) << list(e);
    double lo = 0, hi = 0;
    ASSERT_EQ(std::sscanf(n->parameter.c_str(), "EPS in [%lf, %lf]", &lo, &hi), 2) << n->parameter;
    EXPECT_LE(lo, 1e-5 * (1 + 1e-6));
    EXPECT_GE(hi, 1e-5 * (1 - 1e-6));
    EXPECT_LT(hi / lo, 1.001);
    k = kernel(Type::f32);
    k.mean = [](float s, float) { return s / 576; };
    e = explained(t, run(t, k), "f32,cast_first");
    n = find(e, "stat.wrong_divisor");
    ASSERT_NE(n, nullptr) << list(e);
    ASSERT_EQ(std::sscanf(n->parameter.c_str(), "DIVISOR in [%lf, %lf]", &lo, &hi), 2) << n->parameter;
    EXPECT_LE(lo, 576);
    EXPECT_GE(hi, 576);
    EXPECT_LT(hi / lo, 1.001);
    k = kernel(Type::f32);
    k.sum = [](const std::vector<float>& x) { return without(x, 17); };
    e = explained(t, run(t, k), "f32,cast_first");
    n = find(e, "lane.dropped");
    ASSERT_NE(n, nullptr) << list(e);
    EXPECT_EQ(n->parameter, "COLUMN 17");
}

TEST(Explain, NaNOutputAndRowMix) {
    const Tensors t = make_case({.d = 64, .rows = 6});
    Outcome o = run(t, kernel(Type::bf16));
    for (std::int64_t i = 0; i < 6; ++i) put(t, o, i, 9, 0x7fc0);
    const Explanation e = explained(t, o, "bf16,cast_first");
    ASSERT_EQ(e.equal.size(), 1u) << list(e);
    EXPECT_EQ(e.equal[0].kind, "special.nan_output");
    EXPECT_EQ(e.equal[0].parameter, "COLUMN 9");

    Tensors pairs = make_case({.d = 64, .rows = 6});  // the kernel sums two rows
    std::vector<float> x(64), s(6);
    for (std::int64_t i = 0; i < 6; ++i) {
        pairs.find("x")->read_row(i, x);
        s[static_cast<std::size_t>(i)] = Kernel{}.sum(x);
    }
    Kernel k = kernel(Type::bf16);
    k.sum = [&, row = std::size_t{0}](const std::vector<float>&) mutable {
        const float v = s[row] + s[row ^ 1];
        ++row;
        return v;
    };
    const Explanation mixed = explained(pairs, run(pairs, k), "bf16,cast_first");
    EXPECT_NE(find(mixed, "lane.row_mix"), nullptr) << list(mixed);
}

TEST(Explain, WhatIsNotListedIsUnknown) {
    const std::vector<std::pair<const char*, void (*)(Kernel&)>> others = {
        {"r off by 1e-3", [](Kernel& k) { k.scale = [](float r) { return r * 1.001f; }; }},
        {"a power of ms",
         [](Kernel& k) { k.with_eps = [](float ms, float eps) { return std::pow(ms, 1.01f) + eps; }; }},
        {"half row",
         [](Kernel& k) {
             k.at = [](float r, std::size_t j, std::int64_t) { return j < 256 ? r : r * 1.01f; };
         }},
        {"r by row",
         [](Kernel& k) {
             k.at = [](float r, std::size_t, std::int64_t i) {
                 return r * (1 + 0.003f * static_cast<float>(i % 5));
             };
         }},
    };
    for (const Type type : {Type::bf16, Type::f32})
        for (const auto& [what, change] : others) {
            const Tensors t = make_case({.type = type, .d = 512, .rows = 24, .scale = 1e-3});
            Kernel k = kernel(type);
            change(k);
            const Explanation e = explained(t, run(t, k), std::string(name(type)) + ",cast_first");
            EXPECT_TRUE(e.equal.empty()) << name(type) << " " << what << "\n" << list(e);
            EXPECT_FALSE(e.unknown.empty());
            EXPECT_FALSE(e.excluded.empty());
        }
}

// Each model of the bank, on rows with zeros and an Inf among them, is found again: what is new in the bank
// is tested too.
TEST(Explain, EveryFaultOfTheBankFindsItself) {
    for (const Type type : {Type::bf16, Type::f32})
        for (const ulpgate::Fault* f : faults::all()) {
            const std::string contract = std::string(name(type)) + "," + std::string(f->base);
            if (f->invisible && !f->invisible(claim(contract)[0]).empty()) continue;
            Tensors t = make_case({.type = type, .d = 96, .rows = 16, .seed = 8, .scale = 2e-3, .contract = contract});
            t.find("x")->write_row(2, std::vector<float>(96, 0.0f));
            std::vector<float> x(96, 1.0f);
            x[90] = std::numeric_limits<float>::infinity();
            t.find("x")->write_row(5, x);
            Model m;
            ASSERT_FALSE(parse(contract + ",order=lanes,fault=" + std::string(f->kind), m)) << f->kind;
            Outcome o;
            o.out = m.run(t);
            if (judge(t, o, claim(contract)).verdict != Verdict::inadmissible)
                continue;  // these rows do not show it
            const Explanation e = explained(t, o, contract);
            EXPECT_NE(find(e, f->kind), nullptr) << name(type) << " " << f->kind << "\n" << list(e);
        }
}

TEST(Explain, SpecialRowsCountToo) {
    Tensors t = make_case({.d = 64, .rows = 8, .scale = 1e-3});
    std::vector<float> x(64, 1.0f);
    x[5] = std::numeric_limits<float>::infinity();
    t.find("x")->write_row(3, x);
    Kernel k = kernel(Type::bf16);
    k.with_eps = [](float ms, float) { return ms; };
    Outcome o = run(t, k);
    EXPECT_NE(find(explained(t, o, "bf16,cast_first"), "eps.none"), nullptr);
    put(t, o, 3, 0, 0x3f80);  // 1 where an Inf in the row leaves 0
    const Explanation e = explained(t, o, "bf16,cast_first");
    EXPECT_TRUE(e.equal.empty()) << list(e);
}

// Off by more than the contract allows and by less than a name's range: the formula is the claim's, every fault that these rows
// do not show would "give" them.
TEST(Explain, NoNameForWhatTheClaimsOwnFormulaGives) {
    const Tensors t = make_case({.type = Type::f32, .d = 512, .rows = 12, .eps = 0});
    Kernel k = kernel(Type::f32);
    k.scale = [](float r) { return r * (1 + 0x1p-21f); };
    const Outcome o = run(t, k);
    ASSERT_EQ(judge(t, o, claim("f32,cast_first,order=pairwise,mean=div,rsqrt=0")).verdict, Verdict::inadmissible);
    const Explanation e = explained(t, o, "f32,cast_first,order=pairwise,mean=div,rsqrt=0");
    EXPECT_TRUE(e.equal.empty()) << list(e);
    EXPECT_NE(e.unknown.find("no other formula"), std::string::npos) << e.unknown;
}

// A kernel that scales before it squares gives a row whose f32 sum is infinite, with or without one of its columns.
TEST(Explain, ADroppedColumnDoesNotSaveASumThatOverflows) {
    Tensors t = make_case({.d = 512, .rows = 2});
    for (std::int64_t i = 0; i < 2; ++i) t.find("x")->write_row(i, std::vector<float>(512, 0x1p63f));
    Kernel k = kernel(Type::bf16);
    k.rsqrt = [](float) { return 0x1p-63f; };
    const Explanation e = explained(t, run(t, k), "bf16,cast_first");
    EXPECT_EQ(find(e, "lane.dropped"), nullptr) << list(e);
    EXPECT_EQ(find(e, "lane.double"), nullptr) << list(e);
}

TEST(Explain, OneParameterForAllCases) {  // each case alone has an eps, together they have none
    const Tensors a = make_case({.d = 512, .rows = 12, .seed = 1, .scale = 1e-3}),
                  b = make_case({.d = 512, .rows = 12, .seed = 2, .scale = 1e-3});
    Kernel k = kernel(Type::bf16), l = k;
    k.with_eps = [](float ms, float) { return ms + 1e-5f; };
    l.with_eps = [](float ms, float) { return ms + 3e-5f; };
    const Outcome x = run(a, k), y = run(b, l), z = run(b, k);
    const FailedCase both[] = {{&a, &x}, {&b, &y}}, same[] = {{&a, &x}, {&b, &z}};
    EXPECT_NE(find(explained(a, x, "bf16,cast_first"), "eps.value"), nullptr);
    EXPECT_NE(find(explained(b, y, "bf16,cast_first"), "eps.value"), nullptr);
    const Explanation e = explain(both, claim("bf16,cast_first"));
    EXPECT_EQ(find(e, "eps.value"), nullptr) << list(e);
    const Explanation f = explain(same, claim("bf16,cast_first"));
    ASSERT_NE(find(f, "eps.value"), nullptr) << list(f);
    EXPECT_EQ(find(f, "eps.value")->rows, 24);
}

}  // namespace
}  // namespace ulpgate
