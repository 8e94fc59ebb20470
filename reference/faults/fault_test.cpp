#include "reference/faults/fault.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

using Words = std::vector<std::uint32_t>;

Model model(const std::string& text) {
    Model m;
    const auto bad = parse(text, m);
    EXPECT_FALSE(bad) << text << ": " << (bad ? bad->what : "");
    return m;
}

std::vector<float> values(const std::string& text, const std::vector<float>& x, float w, double eps) {
    std::vector<float> y(x.size());
    model(text).row(x, std::vector<float>(x.size(), w), eps, y);
    return y;
}

// The first `n` outputs, as words.
Words words(const std::string& text, const std::vector<float>& x, float w, double eps, std::size_t n) {
    const auto y = values(text, x, w, eps);
    Words out;
    for (std::size_t j = 0; j < n; ++j) out.push_back(encode(model(text).contract.y, y[j]));
    return out;
}

std::vector<float> tile(float a, float b, std::size_t d) {
    std::vector<float> x(d, a);
    for (std::size_t j = 1; j < d; j += 2) x[j] = b;
    return x;
}

// The tables below are worked out by hand or in exact arithmetic, not with this code.

TEST(Fault, MasterProbe) {
    const std::pair<const char*, Words> bf16[] = {
        {"cast_first", {0x3fc1, 0x3fd5}},
        {"cast_first,fault=order.gain_then_cast", {0x3fc2, 0x3fd4}},
        {"cast_first,fault=rstd.low", {0x3fc1, 0x3fd3}},
        {"f32_gain,fault=rstd.low", {0x3fc1, 0x3fd4}},
        {"cast_first,fault=round.truncate", {0x3fc1, 0x3fd2}},
        {"cast_first,fault=round.half_up", {0x3fc1, 0x3fd5}},
    };
    const std::pair<const char*, Words> fp16[] = {
        {"cast_first", {0x3c0d, 0x3c31}},
        {"cast_first,fault=order.gain_then_cast", {0x3c0e, 0x3c30}},
        {"cast_first,fault=rstd.low", {0x3c0d, 0x3c2f}},
        {"f32_gain,fault=rstd.low", {0x3c0d, 0x3c30}},
        {"cast_first,fault=round.truncate", {0x3c0d, 0x3c2f}},
    };
    for (const std::size_t d : {2, 8, 128, 512, 1536, 2112, 7168})
        for (const char* order : {"", ",order=lanes:8x4", ",order=lanes:1024x1"}) {
            for (const auto& [text, want] : bf16)
                EXPECT_EQ(
                    words("bf16," + std::string(text) + order, tile(1, 1.09375f, d), 1.5859375f, 1e-6, 2),
                    want)
                    << text << order << " d " << d;
            for (const auto& [text, want] : fp16)
                EXPECT_EQ(words("fp16," + std::string(text) + order, tile(1, 1.033203125f, d), 1.0302734375f,
                                1e-6, 2),
                          want)
                    << text << order << " d " << d;
        }
}

TEST(Fault, EpsFormsInBf16) {
    const struct {
        const char* fault;
        std::uint32_t at_2_10, at_2_20,
            small;  // x = 2^-10, eps 3 2^-20; x = eps = 2^-20; x = 2^-20, eps 1e-6
    } rows[] = {{"", 0x3f00, 0x3a80, 0x3a7a},
                {",fault=eps.outside", 0x3f7f, 0x3f00, 0x3efa},
                {",fault=eps.none", 0x3f80, 0x3f80, 0x3f80},
                {",fault=eps.squared", 0x3f80, 0x3f35, 0x3f31},
                {",fault=eps.max", 0x3f14, 0x3a80, 0x3a7a},
                {",fault=eps.in_sum", 0x3f5a, 0x3b35, 0}};
    for (const auto& r : rows) {
        const std::string text = std::string("bf16,cast_first") + r.fault;
        EXPECT_EQ(words(text, std::vector<float>(8, 0x1p-10f), 1, 0x3p-20, 1)[0], r.at_2_10) << text;
        EXPECT_EQ(words(text, std::vector<float>(8, 0x1p-20f), 1, 0x1p-20, 1)[0], r.at_2_20) << text;
        if (r.small) {
            EXPECT_EQ(words(text, std::vector<float>(8, 0x1p-20f), 1, 1e-6, 1)[0], r.small) << text;
        }
    }
    EXPECT_EQ(
        words("bf16,cast_first,fault=eps.value:1e-6", std::vector<float>(8, 0x1p-10f), 1, 0x3p-20, 1)[0],
        0x3f33u);
    for (const char* t :
         {"fp16,cast_first", "f32,cast_first", "f32,f32_gain,rsqrt_form=recip_sqrt", "f32,cast_first,by=div"})
        EXPECT_EQ(values(t, std::vector<float>(8, 0x1p-10f), 1, 0x3p-20)[0], 0.5f) << t;
    EXPECT_TRUE(std::isnan(values("bf16,cast_first,fault=eps.none", {0, 0}, 1, 1e-6)[0]));
    EXPECT_TRUE(std::isnan(values("bf16,cast_first,fault=eps.max", {NAN, 1}, 1, 1e-6)[1]));
}

// Row of 1e-3, d = 8, f32: the last digits belong to one form of the root, others are 1 to 3 ulp away.
TEST(Fault, EpsFormsInF32) {
    const std::pair<const char*, float> rows[] = {{"", .707106769f},
                                                  {",fault=eps.outside", .999000967f},
                                                  {",fault=eps.none", 1},
                                                  {",fault=eps.max", 1},
                                                  {",fault=eps.squared", .999999523f},
                                                  {",fault=eps.in_sum", .942809045f},
                                                  {",fault=eps.value", .301511377f},
                                                  {",fault=eps.value:0.00000011920928955078125", .945244908f},
                                                  {",fault=eps.value:1.19e-7", .945333302f},
                                                  {",fault=eps.value:0.0078125", .0113129849f},
                                                  {",fault=eps.value:7.8e-3", .0113220457f}};
    for (const auto& [fault, want] : rows)
        EXPECT_NEAR(values(std::string("f32,cast_first") + fault, std::vector<float>(8, 1e-3f), 1, 1e-6)[0],
                    want, 3 * 0x1p-24 * want)
            << fault;
}

// One-hot rows: 1/sqrt(1/d + 1e-6), and +0 beside it.
TEST(Fault, OneHotRows) {
    const auto hot = [](const std::string& text, std::size_t column) {
        std::vector<float> x(1536, 0.0f);
        x[column] = 1;
        const auto y = values(text, x, 1, 1e-6);
        for (std::size_t j = 0; j < y.size(); ++j)
            EXPECT_TRUE(j == column || std::bit_cast<std::uint32_t>(y[j]) == 0) << text << " " << j;
        return y[column];
    };
    for (const std::size_t i : {0, 700, 1535}) {
        EXPECT_FLOAT_EQ(hot("f32,cast_first", i), 39.16177f);
        EXPECT_EQ(encode(Type::bf16, hot("bf16,cast_first", i)), 0x421du);
        EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=stat.wrong_divisor", i), 45.90805f);
        EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=lane.dropped:700", i), i == 700 ? 1000.0f : 39.16177f);
        EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=lane.double:700", i), i == 700 ? 27.70218f : 39.16177f);
    }
    EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=lane.dropped", 1535), 1000.0f);
    for (const std::size_t i : {1529, 1530, 1535})
        EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=lane.tail:1530", i), i < 1530 ? 39.16177f : 1000.0f);
    EXPECT_FLOAT_EQ(hot("f32,cast_first,fault=stat.partial_width:512,order=lanes", 1000), 1000.0f);
    EXPECT_NEAR(hot("f32,cast_first,fault=stat.partial_width:512", 3), 1 / std::sqrt(1 / 512.0 + 1e-6), 1e-5);
}

TEST(Fault, Statistics) {
    const std::vector<float> x{3, 3, 3, 5};
    EXPECT_FLOAT_EQ(values("f32,cast_first", x, 1, 1e-6)[0], .832050323f);
    EXPECT_FLOAT_EQ(values("f32,cast_first,fault=stat.layernorm", x, 1, 1e-6)[0], -.577349901f);
    EXPECT_FLOAT_EQ(values("f32,cast_first,fault=stat.centred_var", x, 1, 1e-6)[0],
                    3.46409931f);  // 3/sqrt(0.750001)
    EXPECT_EQ(values("f32,cast_first,fault=stat.sum_not_mean", std::vector<float>(1024, 2.0f), 1, 0)[0],
              1.0f / 32);
}

// A row of ones sums to 256 a lane in bf16, 2048 in fp16.
TEST(Fault, AccumulationStalls) {
    const auto y = [](const std::string& text, std::size_t d) {
        return values(text, std::vector<float>(d, 1.0f), 1, 0)[0];
    };
    EXPECT_EQ(y("bf16,cast_first,fault=acc.low", 1536), round_to(Type::bf16, std::sqrt(6.0)));
    EXPECT_EQ(y("bf16,cast_first,order=lanes:8x1,fault=acc.low", 7168), round_to(Type::bf16, std::sqrt(3.5)));
    EXPECT_EQ(y("bf16,cast_first,order=lanes:8x1,fault=acc.low", 1536), 1.0f);  // 192 a lane: no stall
    EXPECT_EQ(y("fp16,cast_first,fault=acc.low", 7168), round_to(Type::fp16, std::sqrt(3.5)));
    EXPECT_EQ(y("f32,cast_first,fault=acc.low", 7168), 1.0f);
}

TEST(Fault, GainBias) {
    for (const auto& [w, right, low] :
         {std::tuple(0x1p-8f, 1.00390625f, 1.0f), std::tuple(3.140625f, 4.140625f, 4.125f)}) {
        EXPECT_EQ(values("bf16,cast_first,gain=one_plus,y=f32", {1, 1}, w, 0)[0], right);
        EXPECT_EQ(values("bf16,cast_first,gain=one_plus,y=f32,fault=gain.one_plus_low", {1, 1}, w, 0)[0],
                  low);
        EXPECT_EQ(values("bf16,cast_first,gain=one_plus_t,y=f32", {1, 1}, w, 0)[0], low);
    }
    EXPECT_EQ(values("bf16,cast_first,fault=gain.offset", {1, 1}, 0, 0)[0], 1.0f);
    EXPECT_EQ(values("bf16,cast_first,gain=one_plus,fault=gain.offset", {1, 1}, 0, 0)[0], 2.0f);
    EXPECT_EQ(values("bf16,cast_first,fault=gain.missing", {1, 1}, 7, 0)[0], 1.0f);
}

TEST(Fault, NanOutputIsOne) {
    const auto y = values("bf16,cast_first,fault=special.nan_output", {1, 2, 3}, 1, 1e-6);
    EXPECT_FALSE(std::isnan(y[0]) || std::isnan(y[1]));
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_TRUE(std::isnan(values("bf16,cast_first,fault=special.nan_output:1", {1, 2, 3}, 1, 1e-6)[1]));
}

// Rows of x, one gain for all of them, row stride ld.
Tensors rows_of(const Contract& c, const std::vector<std::vector<float>>& x, const std::vector<float>& w,
                double eps, std::int64_t ld) {
    Sizes s;
    s[Dim::batch] = 1;
    s[Dim::tokens] = s[Dim::rows] = static_cast<std::int64_t>(x.size());
    s[Dim::d] = static_cast<std::int64_t>(w.size());
    Tensors t = lay_out(*find_op("q_a_layernorm"), c, s, ld);
    t.eps = eps;
    for (std::size_t i = 0; i < x.size(); ++i) t.find("x")->write_row(static_cast<std::int64_t>(i), x[i]);
    if (Tensor* gain = t.find("w")) gain->write_row(0, w);
    return t;
}

std::vector<float> outputs(const Model& m, const Tensors& t) {
    const auto out = m.run(t);
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (t.all[k].spec->name != "y") continue;
        std::vector<float> y(static_cast<std::size_t>(t.all[k].count()));
        unpack(t.all[k].type, out[k].data(), y);
        return y;
    }
    return {};
}

TEST(Fault, RowMix) {
    std::vector<std::vector<float>> x;
    for (const float c : {1.0f, 4.0f, 16.0f}) x.push_back(std::vector<float>(8, c));
    const Model m = model("f32,cast_first,fault=lane.row_mix");
    const auto y = outputs(m, rows_of(m.contract, x, std::vector<float>(8, 1.0f), 0, 8));
    EXPECT_FLOAT_EQ(y[0], 0.242535618f);
    EXPECT_FLOAT_EQ(y[8], 0.970142472f);
    EXPECT_EQ(y[16], 1.0f);  // the last of three has no neighbour
}

TEST(Fault, RowStrideReadsTheGap) {
    const Model m = model("f32,cast_first,fault=layout.row_stride");
    const auto t =
        rows_of(m.contract, {{1, 1}, {2, 2}}, {1, 1}, 0, 3);  // storage 1 1 0 2 2: row 1 is read as 0 2
    const auto y = outputs(m, t);
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[2], 0.0f);
    EXPECT_FLOAT_EQ(y[3], std::sqrt(2.0f));
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
        if (std::bit_cast<std::uint32_t>(a[k]) != std::bit_cast<std::uint32_t>(b[k])) return false;
    return true;
}

// Every fault changes an output of some row, in every type but those for which it says that it cannot; and
// there it changes none, or what another kind does. Rows: the master probes, powers of two around eps, one-hots, ones, Gaussian
// rows around eps and around 1; an odd width, strided, in pairs; with a residual that makes every sum round.
TEST(Fault, EachChangesAnOutputOrSaysWhyNot) {
    constexpr std::int64_t d = 521;
    for (const Fault* f : faults::all())
        for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
            std::string base(f->base);
            if (f->kind == "gain.one_plus_low") base += ",y=f32";
            const std::string text = std::string(name(type)) + "," + base;
            const Model right = model(text), wrong = model(text + ",fault=" + std::string(f->kind));
            std::vector<std::vector<float>> x{tile(1, 1.09375f, d), tile(1, 1.033203125f, d),
                                              std::vector<float>(d, 1.0f)};
            for (int k = -20; k <= -8; k += 4) x.push_back(std::vector<float>(d, std::ldexp(1.0f, k)));
            for (const std::size_t hot : {0, 520}) {
                x.emplace_back(d, 0.0f);
                x.back()[hot] = 1;
            }
            x.emplace_back(d, 1.0f);  // S is infinite, which one Newton step turns into NaN
            x.back()[3] = std::numeric_limits<float>::infinity();
            Rng rng(7, 7, 7);
            for (int k = 0; k < 64; ++k) {
                x.emplace_back(d);
                for (float& v : x.back()) v = round_to(type, static_cast<float>(rng.gauss()) * (k < 8 ? 0x1p-26f : 0x1p-16f * (1 + 0.13f * static_cast<float>(k % 7))));
            }
            std::vector<float> w(d);
            for (float& v : w) v = round_to(type, 1 + static_cast<float>(rng.below(1000)) * 0x1p-10f);
            w[0] = w[1] = type == Type::fp16 ? 1.0302734375f : 1.5859375f;
            auto t = rows_of(right.contract, x, w, 1e-6, wrong.spill ? d : d + 1);  // a spill reads the next row, not the gap
            if (Tensor* residual = t.find("residual"))
                for (std::size_t i = 0; i < x.size(); ++i) {
                    for (float& v : x[i]) v *= 0x1.3p-9f;
                    residual->write_row(static_cast<std::int64_t>(i), x[i]);
                }
            const bool equal = same(outputs(right, t), outputs(wrong, t));
            const std::string why(f->invisible ? f->invisible(right.contract) : "");
            if (why.empty() && !f->needs.empty()) continue;
            if (const auto at = why.find(" is this line"); at != why.npos) {
                const auto other = why.substr(why.rfind(' ', at - 1) + 1, at - why.rfind(' ', at - 1) - 1);
                EXPECT_TRUE(same(outputs(model(text + ",fault=" + other), t), outputs(wrong, t))) << f->kind << " " << text << ": " << why;
                continue;
            }
            EXPECT_EQ(equal, !why.empty()) << f->kind << " " << text << ": " << why;
        }
}

TEST(Fault, BankIsComplete) {
    for (const char* kind :
         {"order.gain_then_cast", "rstd.low", "round.truncate", "acc.low", "stat.sum_not_mean",
          "stat.wrong_divisor", "stat.centred_var", "lane.dropped", "lane.row_mix", "eps.outside",
          "eps.value", "eps.none", "gain.one_plus_low", "special.nan_output"})
        EXPECT_TRUE(find_fault(kind)) << kind;
    EXPECT_FALSE(find_fault("eps"));
    for (const Fault* f : faults::all()) {
        EXPECT_FALSE(f->line.empty() || f->fix.empty()) << f->kind;
        EXPECT_EQ(f->param.empty(), f->default_param == nullptr) << f->kind;
        EXPECT_EQ(find_fault(f->kind), f);
    }
}

}  // namespace
}  // namespace ulpgate
