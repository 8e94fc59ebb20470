#include <gtest/gtest.h>

#include <cmath>

#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

Model model(std::string_view text) {
    Model m;
    const auto bad = parse(text, m);
    EXPECT_FALSE(bad) << text << ": " << (bad ? bad->what : "");
    return m;
}

TEST(ParseModel, Fields) {
    const Model plain = model("bf16,cast_first");
    EXPECT_EQ(plain.map->name, "cast_first");
    EXPECT_EQ(plain.order.text(), "sequential");
    EXPECT_FALSE(plain.fma);
    EXPECT_EQ(plain.fault, "");

    const Model m = model(
        "fma,fault=lane.dropped:7,bf16,f32_gain,rsqrt_form=recip_sqrt,assoc=x_rw,order=lanes:16x2,w=f32,y="
        "bf16");
    EXPECT_EQ(m.contract.x, Type::bf16);
    EXPECT_EQ(m.contract.w, Type::f32);
    EXPECT_EQ(m.map->name, "f32_gain,assoc=x_rw");
    EXPECT_EQ(m.order.text(), "lanes:16x2");
    EXPECT_EQ(m.order.p, (OrderParams{16, 2, 0}));
    EXPECT_TRUE(m.fma);
    EXPECT_EQ(m.fault, "lane.dropped:7");
    EXPECT_EQ(m.parameter(Stage::columns, 100), 7);
    EXPECT_EQ(m.rsqrt(4, {}, 0), 0.5f);
    EXPECT_EQ(print(m.contract), "bf16,f32_gain,w=f32,y=bf16,assoc=x_rw,order=lanes:16x2");

    EXPECT_EQ(model("f32,cast_first,rsqrt_form=up:3").r_steps, 3);
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=down:1").r_steps, -1);
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=rn").r_steps, 0);
    EXPECT_TRUE(model("f32,cast_first,acc=f64,mean_in=f64").f64_mean);
    EXPECT_FALSE(model("f32,cast_first,acc=f64,mean_in=f32").f64_mean);

    const Model defaults = model("fp16,cast_first,fault=lane.dropped");
    EXPECT_TRUE(std::isnan(defaults.parameters[static_cast<std::size_t>(Stage::columns)].p));
    EXPECT_EQ(defaults.parameter(Stage::columns, 100), 99);
    EXPECT_EQ(model("bf16,cast_first,fault=eps.value").parameter(Stage::epsilon, 100), 1e-5);
    EXPECT_EQ(model("bf16,cast_first,fault=eps.value:1e-4").parameter(Stage::epsilon, 100), 1e-4);
    const Model two = model("bf16,cast_first,fault=eps.outside+stat.wrong_divisor:2112");
    EXPECT_EQ(two.parameter(Stage::mean, 1536), 2112);
    EXPECT_EQ(faults_of(two).size(), 2u);
    EXPECT_NE(two.root, nullptr);
    EXPECT_EQ(model("bf16,f32_gain").map->assoc, Assoc::xr_w);
    EXPECT_EQ(model("bf16,cast_first,by=div").map->name, "cast_first,by=div");
    EXPECT_EQ(model("bf16,cast_first,by=div,fault=order.gain_then_cast").map->name,
              "f32_gain,assoc=xr_w,by=div");
    model(
        "bf16,cast_first,mean=recip,acc=f64,sq=f64,rsqrt=0,inplace=may,holds=rerun.batch,residual=var_"
        "unrounded");
}

TEST(ParseModel, ErrorsSayWhereAndWhat) {
    const struct {
        const char* text;
        std::size_t at;
        const char* what;  // a part of the message
    } bad[] = {
        {"", 0, "TYPE"},
        {"bf16", 0, "a model needs a map"},
        {"cast_first", 0, "no type"},
        {"bf16,cast_frist", 5, "did you mean 'cast_first'?"},
        {"fma,bf16,cast_frist", 9, "did you mean 'cast_first'?"},
        {"bf16,fault=eps.none,cast_first,orde=lanes", 31, "did you mean 'order'?"},
        {"bf16,cast_first,order=lanse", 22, "is not a value of order"},
        {"bf16,cast_first,fma=1", 19, "fma takes no value"},
        {"bf16,cast_first,fma,fma", 20, "given twice"},
        {"bf16,cast_first,fault=eps.none,fault=rstd.low", 31, "given twice"},
        {"bf16,cast_first,fault", 16, "needs a value"},
        {"bf16,cast_first,fault=", 22, "no fault ''"},
        {"bf16,cast_first,fault=eps.nome", 22, "did you mean 'eps.none'?"},
        {"bf16,cast_first,fault=eps.none+eps.max", 31, "eps.none and eps.max change the same line"},
        {"bf16,cast_first,fault=eps.none+eps.nome", 31, "did you mean 'eps.none'?"},
        {"bf16,cast_first,fault=eps.none:3", 31, "takes no parameter"},
        {"bf16,cast_first,fault=eps.value:", 32, "EPS of eps.value is a number of at least 0, not ''"},
        {"bf16,cast_first,fault=eps.value:nan", 32, "number of at least 0"},
        {"bf16,cast_first,fault=eps.value:-1", 32, "number of at least 0"},
        {"bf16,cast_first,fault=eps.value:1e-5x", 32, "number of at least 0"},
        {"bf16,cast_first,fault=lane.dropped:1.5", 35, "an integer"},
        {"bf16,cast_first,rsqrt_form=approx", 27, "rn, recip_sqrt"},
        {"bf16,cast_first,by=div,rsqrt_form=rn", 34, "by=mul"},
        {"bf16,cast_first,rsqrt_form=approx", 27, "up:K, down:K"},
        {"bf16,cast_first,rsqrt_form=up", 27, "whole number K from 1"},
        {"bf16,cast_first,rsqrt_form=up:", 27, "whole number K from 1"},
        {"bf16,cast_first,rsqrt_form=down:0", 27, "whole number K from 1"},
        {"bf16,cast_first,rsqrt_form=up:-2", 27, "not '-2'"},
        {"bf16,cast_first,mean_in=f64", 24, "goes with acc=f64"},
        {"bf16,cast_first,acc=f64,mean_in=f16", 32, "f32, f64"},
        {"bf16,cast_first,acc=f64,mean=recip,mean_in=f64", 43, "does not go with mean=recip"},
        {"bf16,cast_first+f32_gain", 15, "not a set"},
        {"bf16,cast_first,rstd=out", 0, "rstd=out"},
        {"bf16,cast_first,stat=mean_m2", 0, "mean_m2"},
        {"bf16,cast_first,beta=given", 0, "beta=given"},
        {"bf16,cast_first,quant=i8", 0, "quant"},
        {"bf16,cast_first,sq=f64", 0, "sq=f64 goes with acc=f64"},
        {"bf16,cast_first,acc=f64,fma", 24, "fma is of the f32 sum"},
    };
    for (const auto& b : bad) {
        Model m;
        m.fault = "untouched";
        const auto e = parse(b.text, m);
        ASSERT_TRUE(e) << b.text;
        EXPECT_EQ(e->at, b.at) << b.text << ": " << e->what;
        EXPECT_NE(e->what.find(b.what), std::string::npos) << b.text << ": " << e->what;
        EXPECT_EQ(m.fault, "untouched") << b.text;
    }
}

}  // namespace
}  // namespace ulpgate
