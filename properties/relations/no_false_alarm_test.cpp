// A model that honours its contract is never inadmissible: every profile, every type, any order and any
// choice that the contract leaves open.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/profiles/profile.hpp"
#include "properties/relations/models_test.hpp"

namespace ulpgate {
namespace {

bool honoured(Verdict v) { return v == Verdict::pass || v == Verdict::mistrusted; }

// Contract, and models that keep to it.
struct Keeps {
    const char* contract;
    const char* model;
};
constexpr Keeps pairs[] = {
    {"cast_first", "cast_first"},
    {"cast_first", "cast_first,order=lanes:8x4,mean=recip"},
    {"cast_first,rsqrt=0", "cast_first,order=pairwise"},
    {"cast_first,rsqrt=1", "cast_first,order=cuda_block,fma"},
    {"cast_first", "cast_first,order=aten_cascade,rsqrt_form=recip_sqrt"},
    {"cast_first,acc=f64", "cast_first,acc=f64,order=lanes:16x1"},
    {"cast_first,by=div", "cast_first,by=div,order=butterfly"},
    {"f32_gain", "f32_gain,assoc=xr_w,order=lanes:16x2"},
    {"f32_gain", "f32_gain,assoc=x_rw,fma"},
    {"f32_gain", "f32_gain,assoc=xw_r,mean=recip,order=masked"},
    {"f32_gain,assoc=x_rw,by=div", "f32_gain,assoc=x_rw,by=div"},
    {"cast_first,gain=one_plus", "cast_first,gain=one_plus,order=lanes:4x2"},
    {"f32_gain,gain=one_plus_t", "f32_gain,gain=one_plus_t,assoc=xr_w"},
    {"cast_first,gain=none", "cast_first,gain=none"},
    {"cast_first,w=f32", "cast_first,w=f32,order=pairwise"},
    {"cast_first,residual=rounded", "cast_first,residual=rounded,order=lanes:8x1"},
    {"cast_first,residual=unrounded", "cast_first,residual=unrounded,order=lanes:8x1"},
    {"cast_first,residual=var_unrounded", "cast_first,residual=var_unrounded"},
    {"f32_gain,residual=norm_unrounded,res=f32", "f32_gain,assoc=xr_w,residual=norm_unrounded,res=f32"},
    {"cast_first+f32_gain", "f32_gain,assoc=xw_r,order=butterfly"},
    {"", "f32_gain,assoc=xr_w,order=lanes:8x8"},
};

std::string line(std::string_view type, std::int64_t d, const Keeps& k, std::string_view profile,
                 std::int64_t rows, std::uint64_t seed) {
    return fmt::format("q_a_layernorm/{}/{}{}{}/profile={}/rows={}/seed={}", type, d,
                       *k.contract ? "/contract=" : "", k.contract, profile, rows, seed);
}

TEST(NoFalseAlarm, EveryProfileAndContract) {
    for (const Profile* p : profiles::all())
        for (const char* type : {"bf16", "fp16", "f32"})
            for (const Keeps& k : pairs) {
                const auto c = case_of(line(type, 96, k, p->name, 26, 5));
                const Tensors t = tensors_of(c);
                const auto j = judge(t, run_model(model_of(std::string(type) + "," + k.model), t), c.claim);
                EXPECT_TRUE(honoured(j.verdict)) << print(c) << "\n  model " << k.model << "\n  "
                                                 << name(j.verdict) << " " << j.what << "\n  " << j.reason;
            }
}

RC_GTEST_PROP(NoFalseAlarm, AnySizeSeedAndEps, ()) {
    const Keeps k = *rc::gen::elementOf(std::vector<Keeps>(std::begin(pairs), std::end(pairs)));
    const std::string type = *rc::gen::element("bf16", "fp16", "f32");
    const Profile* p = profiles::all()[*rc::gen::inRange<std::size_t>(0, profiles::all().size())];
    Case c = case_of(line(type, *rc::gen::inRange<std::int64_t>(1, 200), k, p->name, *rc::gen::inRange(1, 30),
                          *rc::gen::arbitrary<std::uint64_t>()));
    c.eps = *rc::gen::element(1e-6, 1e-6, 0.0, 1e-5, 0x1p-149, 1e-12, 0.5);
    const Tensors t = tensors_of(c);
    const auto j = judge(t, run_model(model_of(type + "," + k.model), t), c.claim);
    RC_LOG() << print(c) << "\nmodel " << k.model << "\n"
             << name(j.verdict) << " " << j.what << "\n"
             << j.reason << '\n';
    RC_ASSERT(honoured(j.verdict));
}

}  // namespace
}  // namespace ulpgate
