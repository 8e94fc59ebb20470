// A model that honours its contract is never inadmissible: every profile, every type, any order and any
// choice that the contract leaves open.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/profiles/profile.hpp"
#include "properties/relations/kept.hpp"
#include "properties/relations/models_test.hpp"

namespace ulpgate {
namespace {

bool honoured(Verdict v) { return v == Verdict::pass || v == Verdict::mistrusted; }

std::string line(std::string_view type, std::int64_t d, const Kept& k, std::string_view profile,
                 std::int64_t rows, std::uint64_t seed) {
    return fmt::format("q_a_layernorm/{}/{}{}{}/profile={}/rows={}/seed={}", type, d,
                       k.contract.empty() ? "" : "/contract=", k.contract, profile, rows, seed);
}

TEST(NoFalseAlarm, EveryProfileAndContract) {
    for (const Profile* p : profiles::all())
        for (const char* type : {"bf16", "fp16", "f32"})
            for (const Kept& k : kept_contracts()) {
                const auto c = case_of(line(type, 96, k, p->name, 26, 5));
                const Tensors t = tensors_of(c);
                const auto j = judge(t, run_model(model_of(fmt::format("{},{}", type, k.model)), t), c.claim);
                EXPECT_TRUE(honoured(j.verdict)) << print(c) << "\n  model " << k.model << "\n  "
                                                 << name(j.verdict) << " " << j.what << "\n  " << j.reason;
            }
}

// Every order, with and without FMA and in f64, in every form of the mean and of the root: inside the contract that
// names exactly this, and inside the one that leaves all of it open.
TEST(NoFalseAlarm, EveryOrderInEveryForm) {
    struct Root {
        const char *claim, *model;
    };
    constexpr Root roots[] = {{"rsqrt=0", "rsqrt=0"},
                              {"rsqrt=2", "rsqrt=2,rsqrt_form=recip_sqrt"},
                              {"rsqrt=2", "rsqrt=2,rsqrt_form=up:1"},
                              {"rsqrt=4", "rsqrt=4,rsqrt_form=down:3"},
                              {"by=div", "by=div"}};
    const auto all = profiles::all();
    std::size_t turn = 0;
    int models = 0;
    for (const Order* o : orders::all())
        for (const char* sum : {"", ",fma", ",acc=f64", ",acc=f64,sq=f64", ",acc=f64,mean_in=f64"})
            for (const char* mean : {"mean=div", "mean=recip"})
                for (const Root& root : roots)
                    for (const char* type : {"bf16", "fp16", "f32"}) {
                        const std::string_view way = sum;
                        if (way.ends_with("mean_in=f64") && mean == std::string_view("mean=recip")) continue;
                        const auto m = model_of(fmt::format("{},cast_first,order={},{},{}{}", type, o->name, mean, root.model, sum));
                        const std::string wide = way.starts_with(",acc") ? std::string(way.substr(0, way.find(",mean"))) : "";
                        const Profile* p = all[turn++ % all.size()];
                        for (const auto& claim : {fmt::format("cast_first,order={},{},{}{}", o->name, mean, root.claim, wide),
                                                  fmt::format("cast_first,{}{}", root.claim, wide)}) {
                            const auto c = case_of(line(type, 301, Kept{claim, ""}, p->name, 4, turn));
                            EXPECT_TRUE(honoured(verdict_of(m, c))) << print(c) << " " << sum << " " << root.model;
                        }
                        ++models;
                    }
    EXPECT_GE(models, 900);
}

RC_GTEST_PROP(NoFalseAlarm, AnySizeSeedAndEps, ()) {
    const auto all = kept_contracts();
    const Kept k = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    const std::string type = *rc::gen::element("bf16", "fp16", "f32");
    const Profile* p = profiles::all()[*rc::gen::inRange<std::size_t>(0, profiles::all().size())];
    Case c = case_of(line(type, *rc::gen::inRange<std::int64_t>(1, 200), k, p->name, *rc::gen::inRange(1, 30),
                          *rc::gen::arbitrary<std::uint64_t>()));
    c.eps = *rc::gen::element(1e-6, 1e-6, 0.0, 1e-5, 0x1p-149, 1e-12, 0.5);
    const Tensors t = tensors_of(c);
    const auto j = judge(t, run_model(model_of(fmt::format("{},{}", type, k.model)), t), c.claim);
    RC_LOG() << print(c) << "\nmodel " << k.model << "\n"
             << name(j.verdict) << " " << j.what << "\n"
             << j.reason << '\n';
    RC_ASSERT(honoured(j.verdict));
}

}  // namespace
}  // namespace ulpgate
