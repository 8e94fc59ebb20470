#include "reference/maps/map.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

std::vector<float> values(Type t, std::vector<std::uint32_t> words) {
    std::vector<float> v;
    for (const auto w : words) v.push_back(decode(t, w));
    return v;
}

std::vector<const MapPiece*> pieces(const char* text, Contract* contract = nullptr) {
    Claim c;
    const auto bad = parse(text, c);
    EXPECT_FALSE(bad) << text << ": " << bad->what;
    if (contract) *contract = c.at(0);
    return maps_for(c.at(0));
}

std::vector<std::uint32_t> outputs(const char* text, std::vector<float> x, std::vector<float> w, float r) {
    Contract c;
    const auto found = pieces(text, &c);
    EXPECT_EQ(found.size(), 1u) << text;
    std::vector<float> y(x.size());
    found.at(0)->apply(map_types(c), narrow_nearest, x, w, r, y);
    std::vector<std::uint32_t> words;
    for (const float v : y) words.push_back(encode(c.y, v));
    return words;
}

float reciprocal_rms(const std::vector<float>& x, double eps) {
    double s = 0;
    for (const float v : x) s += static_cast<double>(v) * static_cast<double>(v);
    return static_cast<float>(1 / std::sqrt(s / static_cast<double>(x.size()) + eps));
}

using Words = std::vector<std::uint32_t>;

// The tile that separates the gain orders in every even d.
TEST(Maps, MasterProbe) {
    const std::vector<float> x{1, 1.09375f}, w{1.5859375f, 1.5859375f};
    const float r = reciprocal_rms(x, 1e-6);
    EXPECT_EQ(outputs("bf16,cast_first", x, w, r), (Words{0x3fc1, 0x3fd5}));
    for (const char* t : {"bf16,f32_gain,assoc=xr_w", "bf16,f32_gain,assoc=x_rw", "bf16,f32_gain,assoc=xw_r"})
        EXPECT_EQ(outputs(t, x, w, r), (Words{0x3fc2, 0x3fd4})) << t;
    const std::vector<float> x16{1, 1.033203125f}, w16{1.0302734375f, 1.0302734375f};
    const float r16 = reciprocal_rms(x16, 1e-6);
    EXPECT_EQ(outputs("fp16,cast_first", x16, w16, r16), (Words{0x3c0d, 0x3c31}));
    EXPECT_EQ(outputs("fp16,f32_gain,assoc=xr_w", x16, w16, r16), (Words{0x3c0e, 0x3c30}));
    EXPECT_EQ(outputs("bf16,cast_first,by=div", x, w, 1 / r), (Words{0x3fc1, 0x3fd5}));
    for (const char* t :
         {"bf16,f32_gain,by=div,assoc=xr_w", "bf16,f32_gain,by=div,assoc=x_rw", "bf16,f32_gain,by=div,assoc=xw_r"})
        EXPECT_EQ(outputs(t, x, w, 1 / r), (Words{0x3fc2, 0x3fd4})) << t;
}

// Where an intermediate product leaves the normal range the associations part.
TEST(Maps, AssociationsAtTheEndsOfTheRange) {
    const auto word = [](std::uint32_t b) { return decode(Type::bf16, b); };
    const std::vector<float> a = values(Type::bf16, {0x45f3, 0x45d3}), wa(2, word(0x0247));
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=x_rw", a, wa, reciprocal_rms(a, 1e-6))[0], 0x0255u);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xr_w", a, wa, reciprocal_rms(a, 1e-6))[0], 0x0254u);
    const std::vector<float> b(4, word(0x1cfa)), wb(4, word(0x1c82));
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xw_r", b, wb, reciprocal_rms(b, 1e-6))[0], 0x0010u);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xr_w", b, wb, reciprocal_rms(b, 1e-6))[0], 0x000fu);
    const std::vector<float> big(4, 0x1p10f), wbig(4, 0x1p120f);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xw_r", big, wbig, reciprocal_rms(big, 0))[0], 0x7f80u);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xr_w", big, wbig, reciprocal_rms(big, 0))[0], 0x7b80u);
    const std::vector<float> small(4, 0x1p-9f), wsmall(4, 0x1p121f);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=x_rw", small, wsmall, reciprocal_rms(small, 0))[0], 0x7f80u);
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xr_w", small, wsmall, reciprocal_rms(small, 0))[0], 0x7c00u);
}

TEST(Maps, GainsAndTypes) {
    const std::vector<float> one{1};
    EXPECT_EQ(outputs("bf16,cast_first,gain=none", {3}, {}, 0.5f), (Words{0x3fc0}));
    EXPECT_EQ(outputs("bf16,f32_gain,gain=none", {3}, {}, 0.5f), (Words{0x3fc0}));
    // 1 + 2^-8 is a tie in bf16: in T it is 1, in f32 it survives until the product.
    const float w = 0x1p-8f;
    EXPECT_EQ(outputs("bf16,cast_first,gain=one_plus,y=f32", one, {w}, 1), (Words{0x3f808000}));
    EXPECT_EQ(outputs("bf16,cast_first,gain=one_plus_t,y=f32", one, {w}, 1), (Words{0x3f800000}));
    EXPECT_EQ(outputs("bf16,cast_first,gain=one_plus_t", one, {3.140625f}, 1),
              (Words{0x4084}));  // 4.125 by a tie to even
    EXPECT_EQ(outputs("bf16,cast_first,gain=one_plus,y=f32", one, {3.140625f}, 1), (Words{0x40848000}));
    // A wider gain promotes: y has the gain's type unless the contract says otherwise.
    EXPECT_EQ(outputs("bf16,cast_first,w=f32", one, {1.00000012f}, 1), (Words{0x3f800001}));
    EXPECT_EQ(outputs("bf16,cast_first,w=f32", one, {1}, 1.001f), (Words{0x3f800000}));  // still cast to T first
    EXPECT_EQ(outputs("bf16,f32_gain,assoc=xr_w,w=f32", one, {1}, 1.001f), (Words{0x3f8020c5}));
    EXPECT_EQ(outputs("bf16,cast_first,w=f32,y=bf16", one, {1.00000012f}, 1), (Words{0x3f80}));
    EXPECT_EQ(outputs("fp16,cast_first", {65504}, {2}, 1), (Words{0x7c00}));
    EXPECT_EQ(outputs("bf16,cast_first", {-0.0f}, {1}, 1), (Words{0x8000}));
    // More columns than one chunk of gains, each by its own.
    std::vector<float> x(1000, 1), gains(1000);
    for (std::size_t j = 0; j < gains.size(); ++j) gains[j] = static_cast<float>(j % 64);
    for (const char* t : {"bf16,cast_first,gain=one_plus", "bf16,cast_first,gain=one_plus_t",
                          "bf16,f32_gain,assoc=x_rw,gain=one_plus"}) {
        const auto y = outputs(t, x, gains, 1);
        for (std::size_t j = 0; j < y.size(); ++j) ASSERT_EQ(decode(Type::bf16, y[j]), gains[j] + 1) << t << " " << j;
    }
}

// Two values of bf16 whose product f32 rounds, because it is subnormal, still give what one rounding gives: the f32
// result is below half of bf16's smallest value with every bit that it loses (proof.md 5).
TEST(Maps, SubnormalProductsOfBf16RoundAsOnce) {
    for (std::uint32_t a = 0x80; a < 0x100; ++a)  // every significand
        for (std::uint32_t b = 0x80; b < 0x100; ++b)
            for (int e = -160; e <= -130; ++e) {
                const double exact = std::ldexp(static_cast<double>(a * b), e - 15);
                ASSERT_EQ(Bf16::encode(static_cast<float>(exact)), Bf16::encode(exact)) << a << " " << b << " " << e;
            }
}

TEST(Maps, PiecesOfAContract) {
    const auto names = [](const char* text) {
        std::string s;
        for (const MapPiece* m : pieces(text)) s += (s.empty() ? "" : " ") + std::string(m->name);
        return s;
    };
    EXPECT_EQ(names("bf16,cast_first"), "cast_first");
    EXPECT_EQ(names("bf16,f32_gain"), "f32_gain,assoc=xr_w f32_gain,assoc=x_rw f32_gain,assoc=xw_r");
    EXPECT_EQ(names("bf16,f32_gain,assoc=x_rw"), "f32_gain,assoc=x_rw");
    EXPECT_EQ(names("bf16,f32_gain,by=div,assoc=xw_r"), "f32_gain,assoc=xw_r,by=div");
    EXPECT_EQ(names("bf16,f32_gain,gain=none"), "f32_gain,assoc=xr_w");
    EXPECT_EQ(names("bf16,cast_first,by=div"), "cast_first,by=div");
    EXPECT_EQ(names("bf16"), "cast_first f32_gain,assoc=xr_w f32_gain,assoc=x_rw f32_gain,assoc=xw_r");
    for (const char* t : {"bf16,cast_first,beta=given", "bf16,cast_first,quant=i8", "bf16,cast_first,ftz=x.y"}) {
        Contract c;
        EXPECT_TRUE(pieces(t, &c).empty()) << t;
        EXPECT_FALSE(why_no_map(c).empty()) << t;
    }
    EXPECT_EQ(names("bf16,cast_first,ftz=sum"), "cast_first");
    for (const MapPiece* m : maps::all()) {  // each piece's name is the contract text that picks it
        EXPECT_EQ(pieces(("bf16," + std::string(m->name)).c_str()), std::vector{m}) << m->name;
    }
}

}  // namespace
}  // namespace ulpgate
