#include "reference/model/model.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

__extension__ using Wide = unsigned __int128;

Model model(std::string_view text) {
    Model m;
    const auto bad = parse(text, m);
    EXPECT_FALSE(bad) << text << ": " << (bad ? bad->what : "");
    return m;
}

std::vector<float> row(const Model& m, const std::vector<float>& x, const std::vector<float>& w, double eps) {
    std::vector<float> y(x.size());
    m.row(x, w, eps, y);
    return y;
}

std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

// r is the correctly rounded 1/sqrt(v) iff v (r - h)^2 < 1 < v (r + h)^2, h half an ulp: in integers, for
// every significand at both parities of the exponent. Other exponents scale by powers of four, exactly; v is
// no power of four times 1, else r is exact. A tie would need v (2k+1)^2 to be a power of two.
TEST(Model, RsqrtIsCorrectlyRoundedForEverySignificand) {
    std::int64_t wrong = 0;
    for (std::uint32_t exponent : {127u, 128u})
        for (std::uint32_t m = 0; m < 1u << 23; ++m) {
            const float v = std::bit_cast<float>(exponent << 23 | m);
            const std::uint32_t r = bits(rsqrt_nearest(v));
            // v = V 2^-23 and r = R 2^-24; half the spacing of f32 below r is 2^-25, and above r too but for
            // r = 1
            const Wide V = Wide{m | 1u << 23} << (exponent - 127);
            const Wide R = Wide{(r & 0x7fffff) | 0x800000} << ((r >> 23) - 126);
            const Wide low = 2 * R - 1, high = 2 * R + (r >> 23 == 127 ? 2 : 1), one = Wide{1} << (23 + 50);
            if (v == 1)
                wrong += r != bits(1.0f);
            else
                wrong += !(V * low * low < one && one < V * high * high);
        }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(bits(rsqrt_nearest(0x1p-149f)), bits(static_cast<float>(std::sqrt(0x1p149))));
    EXPECT_EQ(rsqrt_nearest(0x1p-148f), 0x1p74f);
    EXPECT_TRUE(std::isinf(rsqrt_nearest(0)));
    EXPECT_EQ(rsqrt_nearest(INFINITY), 0);
    EXPECT_TRUE(std::isnan(rsqrt_nearest(-1)) && std::isnan(rsqrt_nearest(NAN)));
}

// FAULTS: f32 x = [1, 2.085], second output by rsqrt form.
TEST(Model, RsqrtForms) {
    const std::vector<float> x{1, 2.085f}, w{1, 1};
    EXPECT_EQ(bits(row(model("f32,cast_first"), x, w, 1e-6)[1]), 0x3fa337afu);
    EXPECT_EQ(bits(row(model("f32,cast_first,rsqrt_form=rn"), x, w, 1e-6)[1]), 0x3fa337afu);
    EXPECT_EQ(bits(row(model("f32,cast_first,rsqrt_form=recip_sqrt"), x, w, 1e-6)[1]), 0x3fa337adu);
    EXPECT_EQ(bits(row(model("f32,cast_first,by=div"), x, w, 1e-6)[1]), 0x3fa337aeu);
}

TEST(Model, SpikeRowByMean) {
    std::vector<float> x(7168, 1.0f);
    x[0] = 4096;
    EXPECT_EQ(bits(model("f32,cast_first,order=lanes:1024x1").statistic(x, 1e-6)), 0x3ca94abeu);
    EXPECT_EQ(bits(model("f32,cast_first,order=lanes:1024x1,mean=recip").statistic(x, 1e-6)), 0x3ca94abdu);
    EXPECT_EQ(bits(model("f32,cast_first").statistic(x, 1e-6)), 0x3ca953fdu);
    // In f64 nothing is absorbed: S = 2^24 + 7167, rounded once to f32, 16784384 (a tie to even).
    EXPECT_EQ(model("f32,cast_first,acc=f64").sum_of(x), 16784384.0f);
}

// S = 4096^2 + 1, d = 5. Rounded first: 16777216 / 5 = 3355443.2, in f32 3355443.25; divided in f64: 3355443.4,
// in f32 3355443.5. Exact 1/sqrt of both, rounded: two neighbours.
TEST(Model, MeanInF64) {
    const std::vector<float> x{4096, 1, 0, 0, 0};
    EXPECT_EQ(bits(model("f32,cast_first,acc=f64").statistic(x, 0)), 0x3a0f1bbdu);
    EXPECT_EQ(bits(model("f32,cast_first,acc=f64,mean_in=f64").statistic(x, 0)), 0x3a0f1bbcu);
    // The sum 2^128 is Inf in f32; its mean 2^126 is not.
    const std::vector<float> large(4, 0x1p63f);
    EXPECT_EQ(model("f32,cast_first,acc=f64").statistic(large, 0), 0.0f);
    EXPECT_EQ(model("f32,cast_first,acc=f64,mean_in=f64").statistic(large, 0), 0x1p-63f);
}

TEST(Model, RsqrtMovedByUlps) {
    const std::vector<float> x{2, 2, 2};
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=up:3").statistic(x, 0), 0.5f + 3 * 0x1p-24f);
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=down:2").statistic(x, 0), 0.5f - 2 * 0x1p-25f);
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=down:1").statistic(std::vector<float>{0}, 0), INFINITY);
    EXPECT_EQ(model("f32,cast_first,rsqrt_form=up:1").statistic(std::vector<float>{INFINITY}, 0), 0.0f);
}

TEST(Model, SquaresAndSums) {
    const std::vector<float> x{0x1.000002p0f, 0x1p-14f};  // x0^2 = 1 + 2^-22 + 2^-46, x1^2 = 2^-28
    EXPECT_EQ(model("f32,cast_first").sum_of(x), 0x1.000004p0f);
    EXPECT_EQ(model("f32,cast_first,sq=f64,acc=f64").sum_of(x), 0x1.000004p0f);
    // x = 1 + 2^-12: the square is 1 + 2^-11 + 2^-24, a tie in f32 that goes down; in f64 the 2^-40 beside it
    // tips it up.
    const std::vector<float> t{0x1.001p0f, 0x1p-20f};
    EXPECT_EQ(model("f32,cast_first").sum_of(t), 0x1.002p0f);
    EXPECT_EQ(model("f32,cast_first,acc=f64").sum_of(t), 0x1.002p0f);
    EXPECT_EQ(model("f32,cast_first,sq=f64,acc=f64").sum_of(t), 0x1.002002p0f);
    const std::vector<float> reversed{0x1p-20f, 0x1.001p0f};
    EXPECT_EQ(model("f32,cast_first").sum_of(reversed), 0x1.002p0f);
    EXPECT_EQ(model("f32,cast_first,fma").sum_of(reversed), 0x1.002002p0f);
    // bf16: 1.0078125^2 = 1.01568603515625, in bf16 1.015625; and the second square rounds with the sum only
    // where sq=f32.
    const std::vector<float> low{1.0078125f, 0.0625f};
    EXPECT_EQ(model("bf16,cast_first,sq=t").sum_of(low), 1.015625f + 0.00390625f);
    EXPECT_EQ(model("bf16,cast_first,sq=t,acc=t").sum_of(low),
              1.015625f);  // 1.01953125 is a tie; even is 1.015625
    EXPECT_EQ(model("bf16,cast_first,acc=t").sum_of(low), 1.015625f);
    const std::vector<float> wide{2, 3, 5, 7};
    const Model half = model("bf16,cast_first,stat_width=2");
    EXPECT_EQ(half.sum_of(wide), 13.0f);
    EXPECT_EQ(half.statistic(wide, 0), rsqrt_nearest(6.5f));
}

TEST(Model, SpecialValues) {
    const float inf = INFINITY, nan = NAN;
    const std::vector<float> w{1, 1, 1, 1};
    for (const char* text : {"bf16,cast_first", "fp16,cast_first", "f32,cast_first", "bf16,f32_gain",
                             "bf16,cast_first,by=div", "f32,f32_gain,assoc=x_rw,order=lanes,fma"}) {
        const Model m = model(text);
        for (const float y : row(m, {1, nan, 2, 3}, w, 1e-6)) EXPECT_TRUE(std::isnan(y)) << text;
        const auto one_inf = row(m, {1, -2, inf, 0}, w, 1e-6);
        EXPECT_EQ(bits(one_inf[0]), bits(0.0f)) << text;
        EXPECT_EQ(bits(one_inf[1]), bits(-0.0f)) << text;
        EXPECT_TRUE(std::isnan(one_inf[2])) << text;
        const auto zeros = row(m, {0, -0.0f, 0, 0}, w, 1e-6);
        EXPECT_EQ(bits(zeros[0]), bits(0.0f)) << text;
        EXPECT_EQ(bits(zeros[1]), bits(-0.0f)) << text;
        for (const float y : row(m, {0, 0, 0, 0}, w, 0)) EXPECT_TRUE(std::isnan(y)) << text;
        if (m.contract.x != Type::fp16) {  // f32 overflows: the specification's own limit
            for (const float y : row(m, {0x1p64f, 0x1p64f, 0x1p64f, 0x1p64f}, w, 1e-6))
                EXPECT_EQ(bits(y), bits(0.0f)) << text;
        }
    }
}

// A case of three rows with row stride 7, gaps poisoned with NaN.
Tensors strided(const char* contract, std::int64_t d, std::int64_t ld) {
    Claim c;
    EXPECT_FALSE(parse(contract, c));
    Sizes s;
    s[Dim::batch] = 1;
    s[Dim::tokens] = s[Dim::rows] = 3;
    s[Dim::d] = d;
    Tensors t = lay_out(*find_op("q_a_layernorm"), c.at(0), s, ld, ld);
    Rng rng(3, 1, 4);
    for (Tensor& n : t.all) {
        if (!n.spec->input()) continue;
        for (std::int64_t k = 0; k < n.extent(); ++k) n.set_word(k, encode(n.type, NAN));
        for (std::int64_t k = 0; k < n.count(); ++k)
            n.set_word(n.at(k), encode(n.type, static_cast<float>(rng.gauss()) * 0x1p-16f));
    }
    return t;
}

TEST(Model, RunIsRowByRow) {
    for (const char* text : {"bf16,cast_first", "fp16,f32_gain,assoc=x_rw", "f32,cast_first,gain=none",
                             "bf16,cast_first,w=f32"}) {
        const Model m = model(text);
        const Tensors t = strided(text, 5, 7);
        const auto out = m.run(t);
        std::vector<float> x(5), w, y(5);
        if (t.find("w")) t.find("w")->read_row(0, w = std::vector<float>(5));
        for (std::size_t k = 0; k < t.all.size(); ++k) {
            if (t.all[k].spec->input()) {
                EXPECT_TRUE(out[k].empty());
                continue;
            }
            const auto type = t.all[k].type;
            ASSERT_EQ(out[k].size(), static_cast<std::size_t>(15 * bytes(type))) << text;
            for (std::int64_t i = 0; i < 3; ++i) {
                t.find("x")->read_row(i, x);
                m.row(x, w, t.eps, y);
                std::vector<float> got(5);
                unpack(type, out[k].data() + i * 5 * bytes(type), got);
                for (std::size_t j = 0; j < 5; ++j)
                    EXPECT_EQ(bits(got[j]), bits(y[j])) << text << " " << i << " " << j;
            }
        }
    }
}

// x + residual = 1 + 2^-8 + 2^-15 in every column, in bf16 1 + 2^-7: every rounding goes the same way, so
// that each of the four mixes has its own value.
TEST(Model, ResidualMixes) {
    const float a = 1, b = 0x1.02p-8f;
    const float sum = a + b, rounded = round_to(Type::bf16, sum);
    ASSERT_EQ(rounded, 0x1.02p0f);
    const auto expected = [](float in_map, float in_statistic) {
        return in_map * rsqrt_nearest(in_statistic * in_statistic);
    };
    const std::pair<const char*, float> mixes[] = {{"rounded", expected(rounded, rounded)},
                                                   {"unrounded", expected(sum, sum)},
                                                   {"var_unrounded", expected(rounded, sum)},
                                                   {"norm_unrounded", expected(sum, rounded)}};
    for (const auto& [mix, y] : mixes) {
        const std::string text = std::string("bf16,f32_gain,y=f32,residual=") + mix;
        const Model m = model(text);
        Tensors t = strided(text.c_str(), 4, 4);
        t.eps = 0;
        for (std::int64_t k = 0; k < 12; ++k) {
            t.find("x")->set_word(k, encode(Type::bf16, a));
            t.find("residual")->set_word(k, encode(Type::bf16, b));
        }
        for (std::int64_t k = 0; k < 4; ++k) t.find("w")->set_word(k, encode(Type::bf16, 1.0f));
        const auto out = m.run(t);
        for (std::size_t k = 0; k < t.all.size(); ++k) {
            std::vector<float> got(12);
            if (out[k].empty()) continue;
            unpack(t.all[k].type, out[k].data(), got);
            const float want = t.all[k].spec->name == "y" ? y : rounded;
            for (const float v : got) EXPECT_EQ(bits(v), bits(want)) << mix << " " << t.all[k].spec->name;
        }
    }
}

}  // namespace
}  // namespace ulpgate
